/** Outages of a case: times in which nothing got through. */

import type { Case } from "../plan/plan.ts";
import type { HostUsage, Measurement, Outage } from "../results/index.ts";
import { directionOf } from "../tools/index.ts";
import { outagesAtServer } from "./arrived.ts";
import { outagesOf } from "./silence.ts";

export { outagesOf };

/**
 * Adds outages to a measurement whose tool reports none, from its series. For UDP egress they come from the samples of the
 * server's host, since the series is the sender's. Null: the recorded data cannot tell.
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
    return { ...measurement, outages: outagesOfBoth(measurement.series) };
  }
  if (protocolOf(benchCase) !== "udp" || directionOf(benchCase) !== "egress") {
    return { ...measurement, outages: outagesOf(measurement.series) };
  }
  // A search's samples span all trials, and a loaded case's samples include the probe's datagrams.
  return { ...measurement, outages: benchCase.tool === "iperf3" ? outagesAtServer(hosts, benchCase) : null };
}

/** The protocol of a case's series: the load's under a probe. */
function protocolOf(benchCase: Case): string {
  return ("load" in benchCase && benchCase.load != null ? benchCase.load : benchCase).protocol;
}

/** Each direction's outages; null: the series has only the sum. */
function outagesOfBoth(series: Measurement["series"]): Outage[] | null {
  if (series.some(({ bothWays }) => bothWays === undefined)) {
    return null;
  }
  const of = (direction: "egress" | "ingress") =>
    outagesOf(
      series.map((one) => ({ ...one, bitsPerSecond: one.bothWays?.[`${direction}BitsPerSecond`] ?? null })),
    ).map((outage): Outage => ({ ...outage, direction }));
  return [...of("egress"), ...of("ingress")].sort((a, b) => a.startSeconds - b.startSeconds);
}
