import type { PlanInput } from "../plan/plan-input.ts";
import { BOTH_WAYS, THREE_TIMES } from "./shared.ts";

/**
 * Reproduces the suite published as azure-nat-2025-11: iperf3 for 30 s with TCP, UDP and UDP of 64 bytes, each
 * egress and ingress, then TCP-connect latency. Beyond it: warm-up is left out, and irtt measures round trips.
 *
 * UDP egress is unlimited (`-b 0`). The publication does not state its rate, but its counts do: 50 million datagrams
 * per case at any size, which is a sender limited by its CPU and not by `-b`. Such a flood also loses half of its
 * datagrams on a direct path: always read its loss against `direct`.
 */
export const standard: PlanInput = {
  name: "standard",
  repeat: THREE_TIMES,
  cases: [
    { ...BOTH_WAYS, protocol: "tcp", durationSeconds: 30, omitSeconds: 5 },
    { ...BOTH_WAYS, protocol: "udp", bitrate: "unlimited", durationSeconds: 30, omitSeconds: 2 },
    {
      ...BOTH_WAYS,
      protocol: "udp",
      datagramBytes: 64,
      bitrate: "unlimited",
      durationSeconds: 30,
      omitSeconds: 2,
    },
    { tool: "connect", durationSeconds: 30 },
    { tool: "irtt", durationSeconds: 30 },
  ],
};
