/** One client's outcome of a case: its figures, or why there are none. */
import type { RunReport } from "../agent/protocol.ts";
import type { Case } from "../plan/plan.ts";
import type { Failure, HostUsage, Measurement, Outage } from "../results/index.ts";
import { median } from "../statistics/sample.ts";
import { directionOf, parseOutput, toolOf } from "../tools/index.ts";
import { ToolFailure } from "../tools/tool.ts";
import { busyOf, isOneEgressTest, outagesAtServer, samplesOf, spacingOf } from "./arrived.ts";
import { arrivedBetweenHosts, lostBetweenHosts } from "./loss-places.ts";
import { type Interval, LEAST_SECONDS, meanRate, outagesOf, unknownSeconds } from "./silence.ts";

interface Outcome {
  readonly failure: Failure | null;
  readonly measurement: Measurement | null;
  readonly version: string | null;
}

/** The failure of a case without a report. */
export function notRun(): Outcome {
  const failure: Failure = { class: "not-run", message: "the case did not run", stderrTail: "" };
  return { failure, measurement: null, version: null };
}

/** A failure that the agent reports (a wrong path, a lost host) takes precedence over the tool's. */
export function readReport(benchCase: Case, report: RunReport): Outcome {
  if (report.failure !== null) {
    return { failure: { ...report.failure, stderrTail: report.stderr }, measurement: null, version: null };
  }
  const { exitCode, timedOut, stderr, hosts } = report;
  try {
    const direction = directionOf(benchCase);
    const read = parseOutput(report.stdout, {
      ...{ case: benchCase, exitCode, timedOut, stderr },
      lostBetweenHosts: lostBetweenHosts(direction, hosts),
      arrivedDatagrams: arrivedBetweenHosts(direction, hosts),
      testDatagrams: arrivedBetweenHosts(direction, hosts, true),
    });
    checkDelivered(read.measurement, benchCase, hosts);
    const measurement = overReceivingTime(read.measurement, benchCase, hosts);
    return { failure: null, ...read, measurement: withOutages(measurement, benchCase, hosts) };
  } catch (error) {
    if (!(error instanceof ToolFailure)) {
      throw error;
    }
    const failure = { class: error.failureClass, message: error.message, stderrTail: stderr };
    return { failure, measurement: null, version: null };
  }
}

/**
 * A sender counts what its kernel took, which never arrives where its connection is lost. Bytes of both directions have no one
 * receiver, and are not compared.
 *
 * @throws {ToolFailure} if that is more than all that the receiving host's interfaces received.
 */
function checkDelivered(
  { bytes, countedBy, bothWays }: Measurement,
  benchCase: Case,
  hosts: readonly HostUsage[],
): void {
  const receiver = directionOf(benchCase) === "egress" ? "server" : "client";
  const interfaces = bothWays ? [] : (hosts.find(({ role }) => role === receiver)?.network?.interfaces ?? []);
  const received = interfaces.reduce((sum, { receivedBytes }) => sum + receivedBytes, 0);
  const isKnown = interfaces.length > 0 && interfaces.every(({ restarted }) => restarted !== true);
  if (countedBy === "sender" && isKnown && (bytes ?? 0) > received) {
    const what = `the sender counted ${bytes} bytes, and the ${receiver}'s interfaces received ${received}, headers included`;
    throw new ToolFailure(
      "control-lost",
      `${what}: a connection of the test was lost, or the rest stood in socket buffers at the end; a longer case shows which`,
    );
  }
}

/** A receiver's time that exceeds the sender's by less than this share has no significant idle tail. */
const TAIL_SHARE = 0.01;
/** A sample with less than this share of the largest is not a whole second of the test. */
const WHOLE_SHARE = 0.5;
/** A sample with less than this share of the largest count may hold other programs' datagrams only. */
const IDLE_SHARE = 0.02;
/** Whole seconds needed to know the usual rate. */
const LEAST_SAMPLES = 3;

/**
 * The measurement with a rate over the time in which data arrived. TCP's time ends within the last sample with traffic on the
 * server, at that sample's share of the usual rate. Without an idle sample behind it, the receiver's time stands: TCP is not
 * steady enough to decide less.
 */
export function overReceivingTime(
  measurement: Measurement,
  benchCase: Case,
  hosts: readonly HostUsage[],
): Measurement {
  const isBothWays = "bothWays" in benchCase && benchCase.bothWays === true;
  return isOneEgressTest(benchCase, "tcp") && !isBothWays
    ? tcpOverReceivingTime(measurement, benchCase, hosts)
    : udpOverReceivingTime(measurement, benchCase, hosts);
}

function tcpOverReceivingTime(
  measurement: Measurement,
  { durationSeconds: sent, omitSeconds }: Case,
  hosts: readonly HostUsage[],
): Measurement {
  const { durationSeconds: seconds, bitsPerSecond, countedBy, streams } = measurement;
  const samples = samplesOf(hosts, "server");
  const busy = busyOf(samples.map(({ receivedBitsPerSecond }) => receivedBitsPerSecond));
  if (busy === null || countedBy !== "receiver" || seconds === null || bitsPerSecond === null) {
    return measurement;
  }
  const span = busy.last - busy.first + busy.lastShare - omitSeconds;
  // The last sample may be cut short: then all others and a part of it tell that data ended before.
  const isCounted = samples.length - busy.first - omitSeconds >= Math.floor(seconds);
  const endsInLast = isCounted && busy.lastShare < WHOLE_SHARE && seconds - span >= 1;
  if (spacingOf(samples) !== 1 || (busy.last === samples.length - 1 && !endsInLast)) {
    return measurement;
  }
  const received = Math.min(seconds, Math.max(sent, span));
  const scaled = (rate: number | null) => (rate === null ? null : (rate * seconds) / received);
  return {
    ...measurement,
    durationSeconds: received,
    bitsPerSecond: scaled(bitsPerSecond),
    streams: streams.map((one) => ({ ...one, bitsPerSecond: scaled(one.bitsPerSecond) })),
  };
}

/**
 * The measurement with a rate over the time in which datagrams arrived, by the server's usual second: at least the sender's time, at
 * most the receiver's. Unchanged where the server counted no datagrams, or the samples show that they came for longer: the path slowed.
 */
function udpOverReceivingTime(
  measurement: Measurement,
  benchCase: Case,
  hosts: readonly HostUsage[],
): Measurement {
  const { durationSeconds: seconds, packetsPerSecond, bytes, countedBy } = measurement;
  const taken = isOneEgressTest(benchCase, "udp") ? takenBy(hosts) : null;
  if (
    taken === null ||
    countedBy !== "receiver" ||
    seconds === null ||
    packetsPerSecond === null ||
    bytes === null
  ) {
    return measurement;
  }
  const sent = benchCase.durationSeconds;
  if (seconds <= sent * (1 + TAIL_SHARE)) {
    return measurement;
  }
  const packets = packetsPerSecond * seconds;
  const steady = Math.max(sent, packets / taken.perSecond);
  if (taken.seconds - benchCase.omitSeconds > steady + LATE_SECONDS) {
    return measurement;
  }
  const received = Math.min(seconds, steady);
  return {
    ...measurement,
    durationSeconds: received,
    bitsPerSecond: (8 * bytes) / received,
    packetsPerSecond: packets / received,
  };
}

/** Seconds by which samples may be read too late. */
const LATE_SECONDS = 0.5;

/**
 * Datagrams that the server's sockets took in its median second of the test, and in how many seconds they came. Null: not counted.
 */
function takenBy(hosts: readonly HostUsage[]): { perSecond: number; seconds: number } | null {
  const samples = samplesOf(hosts, "server");
  const width = spacingOf(samples);
  const taken = samples.flatMap(({ arrivedDatagrams, receiveBufferErrors }) =>
    arrivedDatagrams == null ? [] : [arrivedDatagrams - (receiveBufferErrors ?? 0)],
  );
  const whole = taken.filter((count) => count > WHOLE_SHARE * Math.max(...taken));
  const busy = busyOf(taken, IDLE_SHARE);
  if (width === null || busy === null || taken.length < samples.length || whole.length < LEAST_SAMPLES) {
    return null;
  }
  const { first, last, firstShare } = busy;
  const usual = median(whole);
  // Of the sample before it: the path may be slower by then.
  const lastShare = Math.min(1, (taken[last] ?? 0) / (taken[last - 1] || usual));
  return { perSecond: usual / width, seconds: width * (last - first - 1 + firstShare + lastShare) };
}

/**
 * A sender whose socket buffer has room again writes up to this much at once. If such writes are more than a second apart, the
 * series has silent intervals although the path is not silent.
 */
const SEND_BUFFER_BYTES = 4 * 1024 * 1024;
/** iperf3 writes this much to TCP at once, and pauses after it where a rate is asked for. */
const TCP_BLOCK_BYTES = 128 * 1024;
/** The UDP payload that iperf3 chooses at an MTU of 1,500, at most. */
const DATAGRAM_BYTES = 1460;

/**
 * Adds outages to a measurement whose tool reports none, from its series. For UDP egress, and for slow TCP egress, they come from the
 * samples of the server's host, since the series is the sender's. Null: the recorded data cannot tell, because a part of the test is missing
 * or the traffic came in blocks as far apart as an outage is long.
 */
export function withOutages(
  measurement: Measurement,
  benchCase: Case,
  hosts: readonly HostUsage[],
): Measurement {
  if (measurement.outages !== null || measurement.series.length === 0) {
    return measurement;
  }
  if ("bothWays" in benchCase && benchCase.bothWays) {
    return { ...measurement, outages: outagesOfBoth(measurement.series, benchCase, hosts) };
  }
  const outages = outagesOfOne(measurement.series, benchCase, hosts);
  const isUnseen = outages?.length === 0 && bitsMayHide(measurement, benchCase, hosts);
  return { ...measurement, outages: isUnseen ? null : outages };
}

/** Idle threshold in datagrams per second: below it, a host that counts all programs' datagrams leaves out its counts. */
const IDLE_PER_SECOND = 50;

/** Whether bits may hide an outage of UDP egress at the server's firewall: few datagrams, uncounted, and many lost. */
function bitsMayHide(
  { packets, lostPackets }: Measurement,
  benchCase: Case,
  hosts: readonly HostUsage[],
): boolean {
  const perSecond = (packets ?? 0) / benchCase.durationSeconds;
  const isCounted = hosts.some(
    ({ role, network }) => role === "server" && network?.series.some((one) => one.arrivedDatagrams != null),
  );
  return (
    trafficOf(benchCase).protocol === "udp" &&
    directionOf(benchCase) === "egress" &&
    packets !== null &&
    perSecond <= IDLE_PER_SECOND &&
    !isCounted &&
    (lostPackets === null || lostPackets >= perSecond * LEAST_SECONDS)
  );
}

function outagesOfOne(
  series: readonly Interval[],
  benchCase: Case,
  hosts: readonly HostUsage[],
  direction = directionOf(benchCase),
): Outage[] | null {
  const isUdp = trafficOf(benchCase).protocol === "udp";
  const hidesPath = isUdp || (8 * SEND_BUFFER_BYTES) / meanRate(series) >= LEAST_SECONDS;
  if (direction !== "egress" || !hidesPath) {
    return unknownSeconds(series, benchCase.durationSeconds) < LEAST_SECONDS / 2
      ? certain(outagesOf(series), series, benchCase)
      : null;
  }
  // A search's samples span all trials, and a loaded case's samples include the probe's datagrams.
  if (toolOf(benchCase).isOneTest !== true) {
    return null;
  }
  const outages = outagesAtServer(hosts, benchCase, isUdp);
  const hasRate = "bitsPerSecond" in benchCase && benchCase.bitsPerSecond !== null;
  // Unlimited TCP fills a buffer, from which the path takes a steady stream.
  return isUdp || hasRate ? certain(outages, series, benchCase) : outages;
}

/** The traffic of a case's series: the load's under a probe. */
function trafficOf(benchCase: Case) {
  return "load" in benchCase && benchCase.load != null ? benchCase.load : benchCase;
}

/** The outages, if each is longer than the pauses between a stream's blocks or datagrams; null: one may be such a pause. */
function certain(
  outages: ReturnType<typeof outagesOf> | null,
  series: readonly Interval[],
  benchCase: Case,
): Outage[] | null {
  const { protocol, ...traffic } = trafficOf(benchCase);
  const bytes =
    protocol === "udp"
      ? (("datagramBytes" in traffic ? traffic.datagramBytes : null) ?? DATAGRAM_BYTES)
      : TCP_BLOCK_BYTES;
  const streams = "streams" in traffic ? (traffic.streams ?? 1) : 1;
  const pause = (8 * bytes * streams) / meanRate(series);
  const isUnsure =
    pause >= LEAST_SECONDS || outages?.some(({ leastSeconds = 0 }) => leastSeconds < 2 * pause);
  return isUnsure ? null : outages;
}

/** Each direction's outages; null: the series has only the sum, or one direction's are unknown. */
function outagesOfBoth(
  series: Measurement["series"],
  benchCase: Case,
  hosts: readonly HostUsage[],
): Outage[] | null {
  const of = (direction: "egress" | "ingress") =>
    outagesOfOne(
      series.map((one) => ({ ...one, bitsPerSecond: one.bothWays?.[`${direction}BitsPerSecond`] ?? null })),
      benchCase,
      hosts,
      direction,
    )?.map((outage): Outage => ({ ...outage, direction }));
  const [egress, ingress] = [of("egress"), of("ingress")];
  return egress && ingress ? [...egress, ...ingress].sort((a, b) => a.startSeconds - b.startSeconds) : null;
}
