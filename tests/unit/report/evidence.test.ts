/** What a choice takes from measurements. */
import { describe, expect, it } from "vitest";
import type { CaseResult } from "../../../bench/results/index.ts";
import { evidenceOf } from "../../../report/choice/evidence.ts";
import { compare } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { ntttcpCase } from "../bench/fixture.ts";

const whole = handMadeResults();
const template = whole.cases.find(
  ({ id, topology }) => id === "tcp-egress" && topology === "direct",
) as CaseResult;

describe("throughput of TCP", () => {
  it("counts as measured when ntttcp measured it", () => {
    const planned = (["egress", "ingress"] as const).map((direction) => ({
      ...ntttcpCase,
      id: `ntttcp-${direction}`,
      direction,
    }));
    const cases = planned.map(
      ({ id, tool, direction }): CaseResult => ({
        ...template,
        ...{ id, tool },
        measurement: { ...template.measurement!, bitsPerSecond: direction === "egress" ? 8e9 : 6e9 },
      }),
    );
    const results = { ...whole, plan: { ...whole.plan, cases: planned }, cases };
    const comparison = compare([{ source: "", results }]);
    expect(evidenceOf(comparison, comparison.columns[0]!)?.bitsPerSecond).toBe(6e9);
  });
});
