import type { PlanInput } from "../plan/plan-input.ts";
import { BOTH_WAYS } from "./shared.ts";

/**
 * About a minute a topology: every kind of measurement once, at rates that any machine carries, so that a loss
 * is the path's. Use it to try a set-up, and `standard` for figures to publish.
 */
export const quick: PlanInput = {
  name: "quick",
  cases: [
    { ...BOTH_WAYS, protocol: "tcp", durationSeconds: 8, omitSeconds: 1 },
    { ...BOTH_WAYS, protocol: "udp", bitrate: "100M", durationSeconds: 6, omitSeconds: 1 },
    {
      tool: "iperf3",
      protocol: "udp",
      direction: "egress",
      datagramBytes: 64,
      bitrate: "10M",
      durationSeconds: 6,
      omitSeconds: 1,
    },
    { tool: "sockperf", protocol: "tcp", durationSeconds: 7 },
    { tool: "connect", durationSeconds: 6 },
  ],
};
