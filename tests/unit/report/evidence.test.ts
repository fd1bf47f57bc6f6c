/** Measurements that a choice uses. */
import { describe, expect, it } from "vitest";
import type { CaseResult } from "../../../bench/results/index.ts";
import { evidenceOf } from "../../../report/choice/evidence.ts";
import { compare } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { iperf3Case, ntttcpCase } from "../bench/fixture.ts";

const whole = handMadeResults();
const template = whole.cases.find(
  ({ id, topology }) => id === "tcp-egress" && topology === "direct",
) as CaseResult;

describe("throughput of TCP", () => {
  it("counts as measured if ntttcp measured it", () => {
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

  it("uses both directions' sum if a case loaded both at once, not a single direction's", () => {
    const rates = { egress: 8e9, ingress: 6e9, both: 9e9 };
    const planned = [
      { ...iperf3Case, id: "egress" },
      { ...iperf3Case, id: "ingress", direction: "ingress" as const },
      { ...iperf3Case, id: "both", bothWays: true as const },
    ];
    const carried = (ids: readonly (keyof typeof rates)[]) => {
      const cases = ids.map(
        (id): CaseResult => ({
          ...template,
          ...{ id, tool: "iperf3", measurement: { ...template.measurement!, bitsPerSecond: rates[id] } },
        }),
      );
      const plan = { ...whole.plan, cases: planned.filter(({ id }) => ids.some((one) => one === id)) };
      const comparison = compare([{ source: "", results: { ...whole, plan, cases } }]);
      return evidenceOf(comparison, comparison.columns[0]!)?.bitsPerSecond;
    };
    expect(carried(["egress", "ingress"])).toBe(6e9);
    expect(carried(["egress", "ingress", "both"])).toBe(9e9);
    expect(carried(["egress", "both"])).toBe(9e9);
  });
});
