/** Outages of a case: times without any arriving traffic. */

import type { Case } from "../plan/plan.ts";
import type { HostUsage, Measurement, Outage } from "../results/index.ts";
import { directionOf, toolOf } from "../tools/index.ts";
import { outagesAtServer } from "./arrived.ts";
import { type Interval, LEAST_SECONDS, meanRate, outagesOf, unknownSeconds } from "./silence.ts";

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
  // Unlimited TCP fills a buffer, from which the path takes a steady stream.
  return isUdp || rateOf(benchCase) !== null ? certain(outages, series, benchCase) : outages;
}

/** The rate that each stream is held to; null: none. */
function rateOf(benchCase: Case): number | null {
  return "bitsPerSecond" in benchCase ? benchCase.bitsPerSecond : null;
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
