/**
 * Reads an `iperf3 -J` document, whole or reduced. Figures are the receiver's and come from `end`; whatever
 * a version cannot know is null.
 */

import { plainText } from "../../plain-text.ts";
import type { Measurement } from "../../results/measurement.ts";
import { checkEnded, excerpt, failureFromText, lastLine } from "../shared/failure.ts";
import { parseJsonObject } from "../shared/json-text.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { type ParseContext, type Parsed, ToolFailure } from "../tool.ts";
import { average, count, minus, positive, ratio, times, total } from "./numbers.ts";
import { type Iperf3Output, type Iperf3Stream, type Iperf3Sum, iperf3OutputSchema } from "./output.ts";
import type { Iperf3Case } from "./plan.ts";
import { readSeries } from "./series.ts";

type Test = NonNullable<NonNullable<Iperf3Output["start"]>["test_start"]>;
type Loss = Pick<Measurement, "packets" | "lostPackets" | "lostPercent">;

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
      ? readUdp(document, test, lostOf(document, context))
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

/** 3.9 tells some errors on stderr only; 3.16 and 3.17 may crash without a word. */
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

/** Refuses figures of another test than the one asked for, among them a bidirectional one's mixed streams. */
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
  // 0 where the server sends: its kernel is out of the client's sight.
  const rtts = streams.map((stream) => positive(stream.sender?.mean_rtt));
  return {
    ...nothingMeasured,
    ...receivedOf(end),
    sentBitsPerSecond: count(end?.sum_sent?.bits_per_second),
    retransmits: count(end?.sum_sent?.retransmits),
    tcpRttUs: average(rtts),
    streams: streams.map(readTcpStream),
  };
}

/** The sum of both directions, and each one's rate. 3.9 and older repeat keys for the second direction, and lose one. */
function readBothWays(document: Iperf3Output): Measurement {
  const { end } = document;
  if (end?.sum_received_bidir_reverse == null) {
    throw new ToolFailure(
      "bad-output",
      "iperf3's document lacks the server's direction; 3.10 or newer has it",
    );
  }
  const reverse = {
    ...end,
    sum_sent: end.sum_sent_bidir_reverse,
    sum_received: end.sum_received_bidir_reverse,
  };
  const [egress, ingress] = [readTcp(document), readTcp({ ...document, end: reverse })];
  const both = (read: (one: Measurement) => number | null) => total([read(egress), read(ingress)]);
  return {
    ...egress,
    countedBy: egress.countedBy === ingress.countedBy ? egress.countedBy : null,
    bitsPerSecond: both((one) => one.bitsPerSecond),
    sentBitsPerSecond: both((one) => one.sentBitsPerSecond),
    bytes: both((one) => one.bytes),
    retransmits: both((one) => one.retransmits),
    bothWays: { egressBitsPerSecond: egress.bitsPerSecond, ingressBitsPerSecond: ingress.bitsPerSecond },
  };
}

/**
 * Datagrams that the kernels count as lost. In a test without warm-up iperf3 itself tells how many it sent, with one datagram
 * a stream to open it, so that no other program's are among them. Null: not counted.
 */
function lostOf({ end }: Iperf3Output, context: ParseContext<Iperf3Case>): number | null {
  const { case: asked, lostBetweenHosts = null, arrivedDatagrams = null } = context;
  const sent = positive((end?.sum_sent ?? end?.sum)?.packets);
  return lostBetweenHosts === null || arrivedDatagrams === null || sent === null || asked.omitSeconds > 0
    ? lostBetweenHosts
    : Math.min(lostBetweenHosts, Math.max(0, sent + asked.streams - arrivedDatagrams));
}

/** More than the buffers at both ends hold, of what was sent. */
const OVERSHOOT_SHARE = 0.001;

/**
 * The receiver's figures, or the sender's where its rate is lower: no more can arrive than was sent. For UDP, the loss is
 * subtracted from the sender's figure. iperf3's receiver may count a part of the warm-up, which its sender has left out by then.
 */
function receivedOf(
  end: Iperf3Output["end"],
): Pick<Measurement, "bitsPerSecond" | "bytes" | "durationSeconds" | "countedBy"> {
  const [received, sent] = [end?.sum_received, end?.sum_sent];
  const bytes = [count(received?.bytes), positive(sent?.bytes)] as const;
  const rates = [count(received?.bits_per_second), positive(sent?.bits_per_second)] as const;
  const overshot = bytes[0] !== null && bytes[1] !== null && bytes[0] > bytes[1] * (1 + OVERSHOOT_SHARE);
  const isLower = overshot && rates[0] !== null && rates[1] !== null && rates[1] < rates[0];
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

function readUdp({ end }: Iperf3Output, test: Test, lostBetweenHosts: number | null): Measurement {
  const streams = end?.streams ?? [];
  const received = end?.sum_received ?? null;
  // Up to 3.10 there is only `sum`, which counts what was sent.
  const sent = end?.sum_sent ?? end?.sum ?? null;
  const loss = readLoss(received ?? end?.sum, sent, receivedPackets(received, test), lostBetweenHosts);
  const arrived = receivedPackets(received, test) ?? minus(loss.packets, loss.lostPackets);
  if (arrived === 0) {
    const message = `no datagram arrived, of ${loss.packets ?? "an unknown number"} sent`;
    throw new ToolFailure("nothing-received", message);
  }
  const share = ratio(arrived, loss.packets);
  const own = received === null ? null : receivedOf(end);
  const isReceivers = own?.countedBy === "receiver";
  const kept = isReceivers ? arrived : (minus(loss.packets, loss.lostPackets ?? 0) ?? arrived);
  const seconds = positive((isReceivers ? received : sent)?.seconds);
  return {
    ...nothingMeasured,
    bitsPerSecond: isReceivers
      ? own.bitsPerSecond
      : times(sent?.bits_per_second, own ? ratio(kept, loss.packets) : share),
    sentBitsPerSecond: count(sent?.bits_per_second),
    bytes: isReceivers ? own.bytes : times(kept, test.blksize),
    durationSeconds: seconds,
    packetsPerSecond: ratio(kept, seconds),
    ...loss,
    toolLostPackets: count((received ?? end?.sum)?.lost_packets),
    countedBy: isReceivers ? "receiver" : "sender",
    outOfOrderPackets: total(streams.map((stream) => count(stream.udp?.out_of_order))),
    jitterMs: count((received ?? end?.sum)?.jitter_ms),
    streams: streams.map((stream) => readUdpStream(stream, test)),
  };
}

/** A counted loss is larger than the missing datagrams where it exceeds them by this share of all. */
const LARGER_SHARE = 0.001;
/** A count of more than this many times all datagrams is no figure at all. */
const MAX_WARM_UP = 3;
/** No queue holds more than a second of what passes it: as many of a warm-up's datagrams may arrive in the test. */
const LONGEST_QUEUE_SECONDS = 1;

/**
 * Loss as the receiver counted it, from gaps in the sequence numbers. Where more is missing than that, the last datagrams
 * were on their way when the receiver stopped, or were lost without a gap behind them, or the client prints 0 for a loss
 * that the server saw (before 3.21, esnet/iperf issue 1984). What the hosts' kernels count decides between these, and
 * where it is not known a count of less than half of what is missing is not believed; a larger one is raised to it.
 *
 * A receiver that lags behind takes the warm-up's last datagrams, lost and arrived, for the test's. Those that arrived make
 * too little missing, and those that were lost make the count too large: the kernels' count decides again. Without it the
 * count stands, unless it exceeds what was sent. Both counts have the warm-up's losses too, so no more is lost than the
 * longest queue could have hidden.
 */
function readLoss(
  seen: Iperf3Sum | null | undefined,
  sent: Iperf3Sum | null,
  arrived: number | null,
  lostBetweenHosts: number | null,
): Loss {
  const packets = positive(sent?.packets) ?? positive(seen?.packets);
  const counted = count(seen?.lost_packets);
  const missing = Math.round(minus(packets, arrived) ?? Math.min(packets ?? 0, lostBetweenHosts ?? 0));
  if (counted === null || packets === null || (lostBetweenHosts === null && 2 * counted < missing)) {
    return { packets, lostPackets: null, lostPercent: null };
  }
  const isLarger = counted > missing + packets * LARGER_SHARE && counted < MAX_WARM_UP * packets;
  if (arrived !== null && isLarger) {
    const bound = lostBetweenHosts ?? (counted > packets ? missing : counted);
    const most = Math.round(missing + (arrived * LONGEST_QUEUE_SECONDS) / (positive(seen?.seconds) ?? 1));
    const lost = Math.min(packets, most, Math.max(missing, Math.min(counted, bound)));
    return { packets, lostPackets: lost, lostPercent: (100 * lost) / packets };
  }
  if (missing <= counted) {
    return { packets, lostPackets: counted, lostPercent: (100 * counted) / packets };
  }
  const lostPackets = Math.max(counted, Math.min(missing, lostBetweenHosts ?? missing));
  return { packets, lostPackets, lostPercent: (100 * lostPackets) / packets };
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
    jitterMs: count(udp?.jitter_ms),
  };
}

function receivedPackets(received: Iperf3Sum | null, test: Test): number | null {
  return ratio(count(received?.bytes), positive(test.blksize));
}
