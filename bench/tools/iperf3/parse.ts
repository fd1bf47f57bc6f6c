/**
 * Reads an `iperf3 -J` document, whole or reduced. Figures are the receiver's and come from `end`; figures that a version does
 * not report are null.
 */

import { plainText } from "../../plain-text.ts";
import type { Measurement } from "../../results/measurement.ts";
import { mean, meanOfKnown, totalOfKnown } from "../../statistics/sample.ts";
import { checkEnded, excerpt, failureFromText, lastLine } from "../shared/failure.ts";
import { parseJsonObject } from "../shared/json-text.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { type ParseContext, type Parsed, ToolFailure } from "../tool.ts";
import { cameDatagrams, handedOver, hasCutDatagrams, outOfOrder, readLoss, receivedPackets } from "./loss.ts";
import { count, minus, positive, ratio, times } from "./numbers.ts";
import { type Iperf3Output, type Iperf3Stream, iperf3OutputSchema } from "./output.ts";
import type { Iperf3Case } from "./plan.ts";
import { readServerOutput } from "./server-output.ts";

type Test = NonNullable<NonNullable<Iperf3Output["start"]>["test_start"]>;

/** @throws {ToolFailure} */
export function parseIperf3(stdout: string, context: ParseContext<Iperf3Case>): Parsed {
  checkEnded(context);
  const document = readDocument(stdout, context);
  if (document.error) {
    throw failureFromText(document.error);
  }
  const streams = document.end?.streams ?? [];
  if (streams.length === 0) {
    throw withoutFigures(stdout, context);
  }
  const test = document.start?.test_start ?? {};
  checkAnswersCase(context.case, test, streams.length);
  const measurement = context.case.bothWays
    ? readBothWays(document)
    : context.case.protocol === "udp"
      ? readUdp(document, test, context)
      : readTcp(document);
  const version = document.start?.version?.replace(/^iperf /, "") ?? null;
  return { measurement: { ...measurement, series: readSeries(document) }, version };
}

function readDocument(stdout: string, context: ParseContext): Iperf3Output {
  const json = parseJsonObject(stdout);
  if (json === undefined) {
    throw withoutFigures(stdout, context);
  }
  const checked = iperf3OutputSchema.safeParse(json);
  if (!checked.success) {
    const where = checked.error.issues[0]?.path.join(".");
    throw new ToolFailure(
      "bad-output",
      `iperf3's document is not as expected at ${where}: ${excerpt(stdout)}`,
    );
  }
  return checked.data;
}

/** 3.9 reports some errors on stderr only; 3.16 and 3.17 may crash without a message. */
function withoutFigures(stdout: string, context: ParseContext): ToolFailure {
  const said = [stdout, context.stderr]
    .map(plainText)
    .map((text) => /iperf3: (?:error - )?(.+)/.exec(text)?.[1]);
  const reason = said.find((text) => text !== undefined && text !== "no error") ?? lastLine(context.stderr);
  if (reason !== "") {
    return failureFromText(reason);
  }
  const message = `iperf3 ended with status ${context.exitCode} and without end figures; its output: ${excerpt(stdout)}`;
  return new ToolFailure("bad-output", message);
}

/** Refuses figures of another test than requested, including a bidirectional one's mixed streams. */
function checkAnswersCase(asked: Iperf3Case, test: Test, streams: number): void {
  const direction = test.reverse ? "ingress" : "egress";
  const facts: [string, unknown, unknown][] = [
    ["protocol", asked.protocol, test.protocol?.toLowerCase() ?? asked.protocol],
    ["direction", asked.direction, test.reverse == null ? asked.direction : direction],
    ["number of streams", (asked.bothWays ? 2 : 1) * asked.streams, streams],
  ];
  const wrong = facts.find(([, expected, got]) => expected !== got);
  if (wrong !== undefined) {
    const [what, expected, got] = wrong;
    throw new ToolFailure("bad-output", `iperf3's document has ${what} ${got}; expected ${expected}`);
  }
}

function readTcp({ end }: Iperf3Output): Measurement {
  const received = end?.sum_received;
  const streams = end?.streams ?? [];
  if (received?.bytes === 0 || received?.bits_per_second === 0) {
    const sent = end?.sum_sent?.bytes;
    throw new ToolFailure(
      "nothing-received",
      `the connection came up and nothing arrived, of ${sent ?? "an unknown number of"} bytes sent: does the path drop full-sized packets (MTU)?`,
    );
  }
  // The receiver's sum lacks streams that it does not report.
  const counted = streams.filter(({ receiver }) => count(receiver?.bytes) !== null).length;
  const isPart = counted > 0 && counted < streams.length;
  // 0 where the server sends: the client cannot see its kernel.
  const rtts = streams.map((stream) => positive(stream.sender?.mean_rtt));
  return {
    ...nothingMeasured,
    ...receivedOf(end, { isPart }),
    sentBitsPerSecond: count(end?.sum_sent?.bits_per_second),
    retransmits: count(end?.sum_sent?.retransmits),
    tcpRttUs: meanOfKnown(rtts),
    streams: streams.map(readTcpStream),
  };
}

/** The sum of both directions and each one's rate. 3.9 and older repeat keys for the second direction, which loses one. */
function readBothWays(document: Iperf3Output): Measurement {
  const { end } = document;
  if (end?.sum_received_bidir_reverse == null) {
    throw new ToolFailure(
      "bad-output",
      "iperf3's document lacks the server's direction; 3.10 or newer has it",
    );
  }
  // iperf3 divides the other end's bytes by each end's time: the client received in the time in which it sent.
  const reverse = {
    ...end,
    sum_sent: over(end.sum_sent_bidir_reverse, end.sum_received),
    sum_received: over(end.sum_received_bidir_reverse, end.sum_sent),
  };
  const [egress, ingress] = [readTcp(document), readTcp({ ...document, end: reverse })];
  const both = (read: (one: Measurement) => number | null) => totalOfKnown([read(egress), read(ingress)]);
  return {
    ...egress,
    countedBy: egress.countedBy === ingress.countedBy ? egress.countedBy : null,
    bitsPerSecond: both((one) => one.bitsPerSecond),
    sentBitsPerSecond: both((one) => one.sentBitsPerSecond),
    bytes: both((one) => one.bytes),
    retransmits: both((one) => one.retransmits),
    bothWays: { egressBitsPerSecond: egress.bitsPerSecond, ingressBitsPerSecond: ingress.bitsPerSecond },
    // Theirs are over the other end's time too, and a document does not say which way each goes.
    streams: egress.streams.map((stream) => ({ ...stream, bitsPerSecond: null })),
  };
}

type Sum = NonNullable<Iperf3Output["end"]>["sum_sent"];

/** A sum of bytes as a rate over another sum's time, as its rate has it: `seconds` of a reduced document are rounded. */
function over(sum: Sum, other: Sum): Sum {
  const seconds = ratio(times(count(other?.bytes), 8), positive(other?.bits_per_second));
  return sum?.bytes == null || seconds === null || seconds === 0
    ? sum
    : { ...sum, seconds, bits_per_second: (8 * sum.bytes) / seconds };
}

/** Share of the sent datagrams by which the ends' warm-ups may differ: each ends by its own clock. */
const WARM_UP_SHARE = 0.01;

/** Share of the sent data that exceeds the buffers at both ends. */
const OVERSHOOT_SHARE = 0.001;

/**
 * The receiver's figures, or the sender's where its rate is lower: no more can arrive than was sent. For UDP, the loss is
 * subtracted from the sender's figure. iperf3's receiver may count a part of the warm-up that its sender leaves out.
 *
 * @param isPart Whether the receiver's sum lacks a stream. @default false
 * @param mayExceed Whether more may have arrived than was sent. @default false
 */
function receivedOf(
  end: Iperf3Output["end"],
  { isPart = false, mayExceed = false },
): Pick<Measurement, "bitsPerSecond" | "bytes" | "durationSeconds" | "countedBy"> {
  const [received, sent] = [end?.sum_received, end?.sum_sent];
  const bytes = [count(received?.bytes), positive(sent?.bytes)] as const;
  const rates = [count(received?.bits_per_second), positive(sent?.bits_per_second)] as const;
  const most = mayExceed || bytes[1] === null ? Number.POSITIVE_INFINITY : bytes[1] * (1 + OVERSHOOT_SHARE);
  const overshot = bytes[0] !== null && bytes[0] > most;
  const isLower = isPart || (overshot && rates[0] !== null && rates[1] !== null && rates[1] < rates[0]);
  const figures = isLower ? sent : received;
  return {
    bitsPerSecond: count(figures?.bits_per_second),
    bytes: count(figures?.bytes),
    durationSeconds: count(figures?.seconds),
    countedBy: isLower ? "sender" : "receiver",
  };
}

function readTcpStream({ sender, receiver }: Iperf3Stream): Measurement["streams"][number] {
  return {
    bitsPerSecond: count(receiver?.bits_per_second),
    bytes: count(receiver?.bytes),
    retransmits: count(sender?.retransmits),
    lostPackets: null,
    packets: null,
    jitterMs: null,
  };
}

const OF_WARM_UP =
  "some datagrams were lost, and iperf3 up to 3.9 does not tell the warm-up's from the test's: use a newer one on the client, or leave out `omitSeconds`";

const CUT =
  "datagrams were cut on their way, or came after the test: iperf3's bytes and numbers do not agree with each other or with the receiver's kernel, and none is known. Look for the part of the path that cuts them";

function readUdp(document: Iperf3Output, test: Test, context: ParseContext<Iperf3Case>): Measurement {
  const { end } = document;
  const streams = end?.streams ?? [];
  const received = end?.sum_received ?? null;
  // Up to 3.10 only `sum` exists, which counts what was sent.
  const sent = end?.sum_sent ?? end?.sum ?? null;
  if (hasCutDatagrams(document, context)) {
    throw new ToolFailure("bad-output", CUT);
  }
  const loss = readLoss(document, context);
  if (received === null && context.case.omitSeconds > 0 && loss.lostPackets === null) {
    throw new ToolFailure("bad-output", OF_WARM_UP);
  }
  const server = readServerOutput(document.server_output_text);
  const arrived =
    receivedPackets(document) ??
    minus(loss.packets, loss.lostPackets) ??
    cameDatagrams(document, context) ??
    // Doubled datagrams would make this too low.
    count(server?.outOfOrder === 0 ? server.packets - server.lost : null);
  if (arrived === 0) {
    const message = `no datagram arrived, of ${loss.packets ?? "an unknown number"} sent`;
    throw new ToolFailure("nothing-received", message);
  }
  const share = ratio(arrived, loss.packets);
  // More arrives than is sent where datagrams are doubled, and how many is known where the loss is; or a part of the warm-up is counted.
  const disordered = outOfOrder(document, context.case);
  const isDoubles =
    (minus(arrived, loss.packets) ?? 0) <= (disordered ?? 0) + WARM_UP_SHARE * (loss.packets ?? 0);
  const hasUnknownDoubles = loss.lostPackets === null && (context.case.omitSeconds === 0 || isDoubles);
  const own = received === null ? null : receivedOf(end, { mayExceed: hasUnknownDoubles });
  const isReceivers = own?.countedBy === "receiver";
  // A receiver may count a part of the warm-up: the same share of its datagrams belongs to the test as of the sender's.
  const keptShare =
    received === null ? share : (ratio(minus(loss.packets, loss.lostPackets ?? 0), loss.packets) ?? share);
  const kept = isReceivers ? arrived : times(loss.packets, keptShare);
  // A receiver ends before it has read the last ones: where the loss is known, they came, or else what its kernel handed over.
  const all =
    (context.case.omitSeconds === 0 ? minus(loss.packets, loss.lostPackets) : null) ??
    handedOver({ ...context, arrivedDatagrams: context.testDatagrams ?? null }) ??
    kept;
  // What comes long after its time, from a queue or a late sender, is not in its rate.
  const late = isReceivers ? Math.abs(minus(all, arrived) ?? 0) : 0;
  const came = late > WARM_UP_SHARE * (arrived ?? 0) ? arrived : all;
  const jitters = streams.flatMap(({ udp }) => positive(udp?.jitter_ms) ?? []);
  const seconds = positive((isReceivers ? received : sent)?.seconds);
  const bitsPerSecond = isReceivers ? own.bitsPerSecond : times(sent?.bits_per_second, keptShare);
  return {
    ...{ ...nothingMeasured, bitsPerSecond },
    sentBitsPerSecond: count(sent?.bits_per_second),
    bytes: times(came === null ? null : Math.round(came), test.blksize) ?? own?.bytes ?? null,
    durationSeconds: seconds,
    packetsPerSecond: ratio(kept, seconds),
    ...loss,
    toolLostPackets: count((received ?? end?.sum)?.lost_packets),
    countedBy: isReceivers ? "receiver" : "sender",
    outOfOrderPackets: disordered,
    // iperf3's mean has 0 for a stream that got nothing.
    jitterMs:
      jitters.length < streams.length && jitters.length > 0
        ? mean(jitters)
        : count((received ?? end?.sum)?.jitter_ms),
    streams: udpStreams(streams, test, loss, { arrived: received === null ? null : arrived, bitsPerSecond }),
  };
}

/** Largest difference, as a share, at which the streams' counts agree with the total. */
const AGREEING_SHARE = 0.001;
/** The same of rates, whose ends have different times. */
const AGREEING_RATE = 0.02;

/**
 * A stream's loss comes from gaps that its receiver saw, so a stream that died in the middle shows none, and up to 3.12 it
 * includes the warm-up's. Where the streams do not add up to what arrived, or doubled datagrams may hide losses, theirs are unknown. Their
 * rates are the sender's less the loss, and unknown where these do not add up to the receiver's.
 */
function udpStreams(
  streams: readonly Iperf3Stream[],
  test: Test,
  { lostPackets }: Pick<Measurement, "lostPackets">,
  { arrived, bitsPerSecond }: { readonly arrived: number | null; readonly bitsPerSecond: number | null },
): Measurement["streams"] {
  const all = streams.map((stream) => readUdpStream(stream, test));
  const rate = totalOfKnown(all.map((stream) => stream.bitsPerSecond));
  const isSteady = Math.abs(minus(rate, bitsPerSecond) ?? 0) <= AGREEING_RATE * (bitsPerSecond ?? 0);
  const read = isSteady ? all : all.map((stream) => ({ ...stream, bitsPerSecond: null }));
  const sum = totalOfKnown(read.map(({ packets, lostPackets }) => minus(packets, lostPackets)));
  const agrees = sum === null || arrived === null || Math.abs(sum - arrived) <= AGREEING_SHARE * arrived;
  return lostPackets !== null && agrees
    ? read
    : read.map((stream) => ({ ...stream, bitsPerSecond: null, bytes: null, lostPackets: null }));
}

/** `udp` of a stream has the sender's rate and packets, with the receiver's loss. */
function readUdpStream({ udp }: Iperf3Stream, test: Test): Measurement["streams"][number] {
  const packets = positive(udp?.packets);
  const lostPackets = count(udp?.lost_packets);
  const arrived = minus(packets, lostPackets);
  return {
    bitsPerSecond: times(udp?.bits_per_second, ratio(arrived, packets)),
    bytes: times(arrived, test.blksize),
    retransmits: null,
    lostPackets,
    packets,
    jitterMs: positive(udp?.jitter_ms),
  };
}

type Series = Measurement["series"];
type Interval = NonNullable<NonNullable<Iperf3Output["intervals"]>[number]["sum"]>;

/** If the first interval's `seconds` are this many times its end, it began in the warm-up. */
const MERGED_TIMES = 1.5;

/** The intervals as the client saw them: received for ingress, sent for egress. */
function readSeries({ intervals }: Iperf3Output): Series {
  const series: Series = [];
  for (const { sum, sum_bidir_reverse: reverse } of intervals ?? []) {
    if (sum?.end == null || sum.omitted) {
      continue;
    }
    const previousEnd = series.at(-1)?.endSeconds ?? 0;
    const merged = series.length === 0 ? mergedTimes(sum) : 1;
    const rates = [sum, ...(reverse ? [reverse] : [])].map((one) =>
      times(count(one.bits_per_second), merged),
    );
    const [egressBitsPerSecond = null, ingressBitsPerSecond = null] = rates;
    series.push({
      startSeconds: merged > 1 ? previousEnd : (sum.start ?? previousEnd),
      endSeconds: sum.end,
      bitsPerSecond: totalOfKnown(rates),
      ...(reverse && { bothWays: { egressBitsPerSecond, ingressBitsPerSecond } }),
      retransmits: count(sum.retransmits),
      lostPackets: count(sum.lost_packets),
      packets: count(sum.packets),
    });
  }
  return series;
}

/**
 * Factor by which the first interval's rate is too low. iperf3 sometimes merges the warm-up's last interval into it: its bytes
 * are from after the warm-up, but its rate is over both.
 */
function mergedTimes({ seconds, end }: Interval): number {
  return seconds != null && end != null && end > 0 && seconds > MERGED_TIMES * end ? seconds / end : 1;
}
