/** Values that several presets share. */
import type { Repeat } from "../plan/plan.ts";

/** Three repetitions, the least that a ranking needs: a single run shows no scatter. */
export const THREE_TIMES: Repeat = { least: 3, most: 3, withinPercent: null };

/** An iperf3 case of each direction, egress first. */
export const BOTH_WAYS = { tool: "iperf3", direction: ["egress", "ingress"] } as const;
