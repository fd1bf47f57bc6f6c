import { parsePlan } from "../../../bench/parse-plan.ts";
import type { NatCase } from "../../../bench/plan.ts";

/** Cases of one entry of a plan; `durationSeconds` is the plan's own. */
export const natCases = (input: object, durationSeconds?: number) =>
  parsePlan({ cases: [{ tool: "nat", ...input }], ...(durationSeconds && { durationSeconds }) })
    .cases as NatCase[];
export const natCase = (input: object) => natCases(input)[0] as NatCase;
export const rateCase = natCase({ probe: "connection-rate", durationSeconds: 10 });
export const flowsCase = natCase({ probe: "concurrent-flows" });
export const idleCase = natCase({ probe: "idle-timeout", protocol: "udp" });
export const behaviourCase = natCase({ probe: "behaviour" });
