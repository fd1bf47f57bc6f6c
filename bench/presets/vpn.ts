import type { PlanInput } from "../plan/plan-input.ts";
import { BOTH_WAYS } from "./shared.ts";

/**
 * The cases of azure-vpn-2017-10 with a tool that every host has: 5 minutes of TCP each way with as many streams as
 * ntttcp starts by itself. The preset `ntttcp` is the publication's own tool, where it is installed.
 */
export const vpn: PlanInput = {
  name: "vpn",
  cases: [{ ...BOTH_WAYS, protocol: "tcp", streams: 64, durationSeconds: 300, omitSeconds: 5 }],
};
