import type { PlanInput } from "../plan/plan-input.ts";

const HOUR = "1h";

/**
 * Five hours a topology of mixed load with latency measured underneath. It shows what a minute does not: burst credits that
 * run out, tables that fill, and tails. Latency at rest comes first and last, for comparison.
 */
export const soak: PlanInput = {
  name: "soak",
  cases: [
    { id: "rest-before", tool: "sockperf", protocol: "tcp", durationSeconds: "30m" },
    { tool: "sockperf", protocol: "tcp", durationSeconds: HOUR, load: { direction: "egress", streams: 8 } },
    { tool: "sockperf", protocol: "tcp", durationSeconds: HOUR, load: { direction: "ingress", streams: 8 } },
    {
      tool: "irtt",
      intervalMs: 100,
      durationSeconds: HOUR,
      load: { protocol: "udp", streams: 20, bitrate: "5M" },
    },
    { tool: "connect", durationSeconds: HOUR, load: { direction: "egress", streams: 8 } },
    { id: "rest-after", tool: "sockperf", protocol: "tcp", durationSeconds: "30m" },
  ],
};
