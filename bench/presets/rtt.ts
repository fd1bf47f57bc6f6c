import type { PlanInput } from "../plan/plan-input.ts";
import { THREE_TIMES } from "./shared.ts";

/** Reproduces what azure-rtt-2024-05 measured: sockperf ping-pong over TCP, messages of 350 bytes, 101 s. */
export const rtt: PlanInput = {
  name: "rtt",
  repeat: THREE_TIMES,
  cases: [{ tool: "sockperf", protocol: "tcp", messageBytes: 350, durationSeconds: 101 }],
};
