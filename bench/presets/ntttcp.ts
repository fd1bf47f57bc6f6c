import type { PlanInput } from "../plan/plan-input.ts";
import { BOTH_WAYS, THREE_TIMES } from "./shared.ts";

/**
 * The cases of azure-vpn-2017-10: ntttcp for Linux, 5 minutes of TCP each way. Streams are not in the publication:
 * 64 is what the tool's sender starts by itself. Client and server need the tool; see `docs/plans.md`.
 */
export const ntttcp: PlanInput = {
  name: "ntttcp",
  repeat: THREE_TIMES,
  cases: [
    { ...BOTH_WAYS, tool: "ntttcp", protocol: "tcp", streams: 64, durationSeconds: 300, omitSeconds: 5 },
  ],
};
