/** The traffic of a plan before it runs. */
import { toolOf } from "../tools/index.ts";
import { type Case, pairsOf } from "./plan.ts";

/** Hours of measuring, and the most traffic in that time. */
export interface PlannedTraffic {
  readonly hours: number;
  /** GB that clients receive. */
  readonly gbIn: number;
  /** GB that clients send. */
  readonly gbOut: number;
}

/**
 * Traffic of a plan on one topology, at most, in GB, and the hours it takes.
 *
 * @param ceilingBitsPerSecond What a case without a rate of its own may reach, e.g. the machines' published limit.
 */
export function planTraffic(cases: readonly Case[], ceilingBitsPerSecond: number): PlannedTraffic {
  const total = { gbIn: 0, gbOut: 0, hours: 0 };
  for (const one of cases) {
    const tool = toolOf(one);
    const seconds = tool.busySeconds?.(one) ?? one.durationSeconds + one.omitSeconds;
    total.hours += seconds / 3600;
    const traffic = tool.traffic(one);
    if (traffic !== null) {
      const { askedBitsPerSecond: asked, direction } = traffic;
      const rate = asked === 0 ? ceilingBitsPerSecond : Math.min(asked, ceilingBitsPerSecond);
      total[direction === "egress" ? "gbOut" : "gbIn"] += (pairsOf(one) * rate * seconds) / 8e9;
    }
  }
  return total;
}
