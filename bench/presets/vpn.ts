import type { PlanInput } from "../plan/plan-input.ts";
import { BOTH_WAYS } from "./shared.ts";

/**
 * The cases of azure-vpn-2017-10 with iperf3, which every host has: 5 minutes of TCP each way with ntttcp's default number of
 * streams. The preset `ntttcp` uses the publication's own tool, where it is installed.
 */
export const vpn: PlanInput = {
  name: "vpn",
  cases: [{ ...BOTH_WAYS, protocol: "tcp", streams: 64, durationSeconds: 300, omitSeconds: 5 }],
};
