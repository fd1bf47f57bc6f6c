/** Estimates the traffic of a plan. */
import { toolOf } from "../tools/index.ts";
import { type Case, pairsOf } from "./plan.ts";

/** Hours of measuring, and the maximum traffic in that time. */
export interface PlannedTraffic {
  readonly hours: number;
  /** GB that clients receive. */
  readonly gbIn: number;
  /** GB that clients send. */
  readonly gbOut: number;
}

/**
 * Maximum traffic of a plan on one topology, in GB, and its duration in hours.
 *
 * @param ceilingBitsPerSecond Rate that an unlimited case may reach, e.g. the machines' published limit.
 */
export function planTraffic(cases: readonly Case[], ceilingBitsPerSecond: number): PlannedTraffic {
  const total = { gbIn: 0, gbOut: 0, hours: 0 };
  for (const one of cases) {
    const tool = toolOf(one);
    const seconds = tool.busySeconds?.(one) ?? one.durationSeconds + one.omitSeconds;
    total.hours += seconds / 3600;
    const traffic = tool.traffic(one);
    if (traffic !== null) {
      const { askedBitsPerSecond: asked, direction, bothWays } = traffic;
      const rate = asked === 0 ? ceilingBitsPerSecond : Math.min(asked, ceilingBitsPerSecond);
      const gb = (pairsOf(one) * rate * seconds) / 8e9;
      total.gbOut += direction === "egress" || bothWays ? gb : 0;
      total.gbIn += direction === "ingress" || bothWays ? gb : 0;
    }
  }
  return total;
}
