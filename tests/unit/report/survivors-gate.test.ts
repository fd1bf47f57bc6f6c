/** The gate on flows that survive a failure: a lower share is worse, or not judged, and never good. */
import { describe, expect, it } from "vitest";
import { summarize } from "../../../bench/figures/estimate.ts";
import { figures } from "../../../bench/figures/index.ts";
import type { Results } from "../../../bench/results/index.ts";
import { judgeFigures } from "../../../report/comparison/gate.ts";
import { kill, killMeasured } from "../../helpers/killed-pair.ts";
import { gateOf, repeatedResults } from "./repeated.ts";

/** Outages of about half a second, scattered by a few milliseconds, with the flows that survive each. */
function resultsOf(survived: readonly number[], established = 500): Results {
  const measurements = survived.map((flows, index) => {
    const measurement = structuredClone(killMeasured);
    const { outages, flows: held } = measurement.failover!;
    Object.assign(outages.new, { ms: 500 + index, ended: true });
    Object.assign(outages.established, { ms: established + index, ended: true });
    Object.assign(held.tcp, { opened: 1000, survived: flows });
    return measurement;
  });
  return repeatedResults(kill, measurements);
}
const all = [1000, 1000, 1000, 1000, 1000];
const rowOf = ({ rows }: ReturnType<typeof gateOf>, metric: string) =>
  rows.find((row) => row.metric === metric);

describe("the gate", () => {
  it("is worse if the flows survive no failure any more, or not in most of five", () => {
    for (const after of [[0, 0, 0, 0, 0], [900, 1000, 800, 700, 600].map((flows) => flows - 500)]) {
      const verdict = gateOf(resultsOf(all), resultsOf(after));
      expect(rowOf(verdict, "failoverTcpSurvived")?.verdict).toBe("worse");
      expect(verdict.verdict).toBe("worse");
    }
  });

  it("is not judged if two of five lost all: the median is the same, and chance does it in 22 %", () => {
    const verdict = gateOf(resultsOf(all), resultsOf([1000, 0, 1000, 0, 1000]));
    expect(rowOf(verdict, "failoverTcpSurvived")).toMatchObject({ verdict: "not judged", undecided: true });
    expect(verdict.verdict).toBe("not-judged");
  });

  it("is not judged if three of three lost all, for which ranks give exactly 5 %", () => {
    expect(gateOf(resultsOf([1000, 1000, 1000]), resultsOf([0, 0, 0])).verdict).toBe("not-judged");
  });

  it.each([
    ["as many survive", all],
    ["fewer of one repetition survive, within the tolerance", [1000, 1000, 990, 1000, 1000]],
  ])("is good where %s", (_, after) => {
    expect(gateOf(resultsOf(all), resultsOf(after)).verdict).toBe("good");
  });

  it("is good if more survive than before", () => {
    expect(gateOf(resultsOf([0, 0, 0, 0, 0]), resultsOf(all)).verdict).toBe("good");
  });

  it("is worse if an established flow waits longer than before", () => {
    const verdict = gateOf(resultsOf(all), resultsOf(all, 5000));
    expect(rowOf(verdict, "failoverEstablished")?.verdict).toBe("worse");
  });

  it.each([
    ["failoverOutage", [500, 501, 502, 503, 504], [8000, 8001, 8002, 8003]],
    ["noDropRate", [190e6, 191e6, 192e6, 193e6, 194e6], [94e6, 95e6, 96e6, 97e6]],
  ] as const)("is worse where the values of %s are worse and one of five has none", (metric, then, now) => {
    const after = { ...summarize(now, figures[metric]), absent: 1 };
    const before = summarize(then, figures[metric]);
    const [found] = judgeFigures([{ metric, before, after }], 5);
    expect(found).toMatchObject({ verdict: "worse", undecided: false });
    expect(found?.chance).toBeLessThan(0.05);
    // The values themselves have not changed.
    const same = { ...summarize(then.slice(1), figures[metric]), absent: 1 };
    expect(judgeFigures([{ metric, before, after: same }], 5)[0]).toMatchObject({
      ...{ verdict: "not judged", undecided: true },
    });
  });
});
