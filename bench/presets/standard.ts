import type { PlanInput } from "../plan/plan-input.ts";
import { THREE_TIMES } from "./repeat.ts";

/**
 * Reproduces the suite published as azure-nat-2025-11: iperf3 for 30 s with TCP, UDP and UDP of 64 bytes, each
 * egress and ingress, then TCP-connect latency. Beyond it: warm-up is left out, and irtt measures round trips.
 *
 * UDP goes out unlimited (`-b 0`). The publication does not name its rate, but its counts do: 50 million
 * datagrams in a case whatever their size, which is a sender held by its CPU and not by `-b`. Such a flood loses
 * half of its datagrams on a direct path also: read its loss against `direct`, never by itself.
 */
export const standard: PlanInput = {
  name: "standard",
  repeat: THREE_TIMES,
  cases: [
    { tool: "iperf3", protocol: "tcp", direction: "egress", durationSeconds: 30, omitSeconds: 5 },
    { tool: "iperf3", protocol: "tcp", direction: "ingress", durationSeconds: 30, omitSeconds: 5 },
    {
      tool: "iperf3",
      protocol: "udp",
      direction: "egress",
      bitrate: "unlimited",
      durationSeconds: 30,
      omitSeconds: 2,
    },
    {
      tool: "iperf3",
      protocol: "udp",
      direction: "ingress",
      bitrate: "unlimited",
      durationSeconds: 30,
      omitSeconds: 2,
    },
    {
      tool: "iperf3",
      protocol: "udp",
      direction: "egress",
      datagramBytes: 64,
      bitrate: "unlimited",
      durationSeconds: 30,
      omitSeconds: 2,
    },
    {
      tool: "iperf3",
      protocol: "udp",
      direction: "ingress",
      datagramBytes: 64,
      bitrate: "unlimited",
      durationSeconds: 30,
      omitSeconds: 2,
    },
    { tool: "connect", durationSeconds: 30 },
    { tool: "irtt", durationSeconds: 30 },
  ],
};
