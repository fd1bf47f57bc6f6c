import type { PlanInput } from "../plan/plan-input.ts";
import { THREE_TIMES } from "./shared.ts";

/**
 * Reproduces the sweep of azure-vm-bandwidth: TCP with the published numbers of streams. A search for the best number
 * follows, in shorter trials, as it takes a dozen of them.
 */
export const streams: PlanInput = {
  name: "streams",
  repeat: THREE_TIMES,
  cases: [
    {
      tool: "iperf3",
      protocol: "tcp",
      direction: "egress",
      streams: [1, 16, 28, 32, 40, 48, 64],
      durationSeconds: 30,
      omitSeconds: 5,
    },
    { tool: "search", goal: "peak", direction: "egress", durationSeconds: 10, omitSeconds: 2 },
  ],
};
