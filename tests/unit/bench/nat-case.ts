import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { NatCase } from "../../../bench/tools/nat/plan.ts";

/** Cases of one entry of a plan; `durationSeconds` is the plan's own. */
export const natCases = (input: object, durationSeconds?: number) =>
  parsePlan({ cases: [{ tool: "nat", ...input }], ...(durationSeconds && { durationSeconds }) })
    .cases as NatCase[];
const natCase = (input: object) => natCases(input)[0] as NatCase;
export const rateCase = natCase({ probe: "connection-rate", durationSeconds: 10 });
export const flowsCase = natCase({ probe: "concurrent-flows" });
export const idleCase = natCase({ probe: "idle-timeout", protocol: "udp" });
export const behaviourCase = natCase({ probe: "behaviour" });

const microseconds = { mean: 900, min: 300, max: 9000, stddev: 50, p50: 800, p90: 1e3, p99: 2e3, p999: 3e3 };
export const rateOutput = {
  version: 1,
  probe: "connection-rate",
  attempted: 123_402,
  failed: 2,
  durationSeconds: 10,
  errors: { ETIMEDOUT: 2 },
  latencyUs: { samples: 16_384, ...microseconds },
};
export const flowsOutput = {
  version: 1,
  probe: "concurrent-flows",
  protocol: "tcp",
  opened: 2000,
  bound: 70_000,
  limitReached: true,
  error: "ETIMEDOUT",
  durationSeconds: 9.5,
};
export const idleOutput = {
  version: 1,
  probe: "idle-timeout",
  protocol: "udp",
  survivedSeconds: [1, 2, 3],
  diedSeconds: [4, 5],
  notOpened: 0,
  error: null,
};
export const outside = (port: number, address = "198.19.1.1") => ({ address, port });
export const behaviourOutput = {
  version: 1,
  probe: "behaviour",
  mappings: [
    { port: 40_000, seen: [outside(5000), outside(6000)] },
    { port: 40_001, seen: [outside(5001), outside(6001)] },
  ],
  otherPortHeard: false,
};
export const outputs = [
  [rateCase, rateOutput],
  [flowsCase, flowsOutput],
  [idleCase, idleOutput],
  [behaviourCase, behaviourOutput],
] as const;
