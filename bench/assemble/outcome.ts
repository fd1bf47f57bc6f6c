/** One client's outcome of a case: its figures, or why there are none. */
import type { RunReport } from "../agent/protocol.ts";
import type { Case } from "../plan/plan.ts";
import type { Failure, HostUsage, Measurement } from "../results/index.ts";
import { median } from "../statistics/sample.ts";
import { directionOf, parseOutput } from "../tools/index.ts";
import { ToolFailure } from "../tools/tool.ts";
import { busyOf, isOneEgressTest, samplesOf, spacingOf } from "./arrived.ts";
import { arrivedBetweenHosts, lostBetweenHosts } from "./loss-places.ts";
import { withOutages } from "./outages.ts";

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
    });
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

/** A receiver's time that exceeds the sender's by less than this share has no significant idle tail. */
const TAIL_SHARE = 0.01;
/** A sample with less than this share of the largest is not a whole second of the test. */
const WHOLE_SHARE = 0.5;
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
  const isIdleAtEnd = (busy?.last ?? samples.length) < samples.length - 1 && spacingOf(samples) === 1;
  if (
    !isIdleAtEnd ||
    busy === null ||
    countedBy !== "receiver" ||
    seconds === null ||
    bitsPerSecond === null
  ) {
    return measurement;
  }
  const received = Math.min(seconds, Math.max(sent, busy.last - busy.first + busy.lastShare - omitSeconds));
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
 * most the receiver's. Unchanged where the server counted no datagrams.
 */
function udpOverReceivingTime(
  measurement: Measurement,
  benchCase: Case,
  hosts: readonly HostUsage[],
): Measurement {
  const { durationSeconds: seconds, packetsPerSecond, bytes, countedBy } = measurement;
  const usual = isOneEgressTest(benchCase, "udp") ? usualPerSecond(hosts) : null;
  if (
    usual === null ||
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
  const received = Math.min(seconds, Math.max(sent, packets / usual));
  return {
    ...measurement,
    durationSeconds: received,
    bitsPerSecond: (8 * bytes) / received,
    packetsPerSecond: packets / received,
  };
}

/** Datagrams that the server's sockets took in its median second of the test; null: not counted. */
function usualPerSecond(hosts: readonly HostUsage[]): number | null {
  const samples = samplesOf(hosts, "server");
  const width = spacingOf(samples);
  const taken = samples.flatMap(({ arrivedDatagrams, receiveBufferErrors }) =>
    arrivedDatagrams == null ? [] : [arrivedDatagrams - (receiveBufferErrors ?? 0)],
  );
  const whole = taken.filter((count) => count > WHOLE_SHARE * Math.max(...taken));
  return width === null || taken.length < samples.length || whole.length < LEAST_SAMPLES
    ? null
    : median(whole) / width;
}
