/** The gate's verdict by figure, repetitions and number of figures. How often chance alone alarms: tests/model/chance.test.ts. */
import { describe, expect, it } from "vitest";
import { summarize } from "../../../bench/figures/estimate.ts";
import { figures } from "../../../bench/figures/index.ts";
import { chanceOfRounds, corrected } from "../../../bench/statistics/difference.ts";
import { howCompared } from "../../../report/comparison/differences.ts";
import { judgeFigures } from "../../../report/comparison/gate.ts";

it.each([
  ["packetsForwardedDropped", [0, 0], [9, 9], "not judged"],
  ["requestsFailed", [0, 0], [9, 9], "not judged"],
  ["idleTimeout", [120, 120], [60, 60], "not judged"],
  ["idleTimeout", [120, 120, 120], [60, 60, 60], "not judged"],
  ["idleTimeout", [120, 120, 120, 120], [60, 60, 60, 60], "worse"],
  ["idleTimeout", [120, 120, 120, 120], [120, 120, 120, 120], "within tolerance"],
  ["packetsForwardedDropped", [0, 0, 0, 0], [1, 1, 1, 1], "within tolerance"],
  ["packetsForwardedDropped", [0, 1, 0, 0], [90, 70, 80, 90], "worse"],
] as const)("%s from %j to %j is %s: few equal values prove nothing", (metric, before, after, verdict) => {
  const pair = {
    metric,
    before: summarize(before, figures[metric]),
    after: summarize(after, figures[metric]),
  };
  expect(judgeFigures([pair], 5)[0]?.verdict).toBe(verdict);
});

describe("a drop of 70 %", () => {
  /** Values around a level that scatter by 1 %. */
  const around = (level: number, n: number) =>
    Array.from({ length: n }, (_, at) => level * (1 + (((at * 7 + 3) % 5) - 2) / 200));
  const figure = (after: number, n: number) => ({
    metric: "throughput" as const,
    before: summarize(around(100, n)),
    after: summarize(around(after, n).reverse()),
  });

  it.each([
    [2, 1, 1, "not judged"],
    [3, 1, 1, "worse"],
    [3, 1, 20, "not judged"],
    [4, 1, 20, "not judged"],
    [5, 1, 20, "worse"],
    [3, 20, 20, "worse"],
  ] as const)("with n = %d of %d of %d figures is %s", (n, dropped, of, verdict) => {
    const all = Array.from({ length: of }, (_, at) => figure(at < dropped ? 30 : 100, n));
    const [first] = judgeFigures(all, 5);
    expect(first).toMatchObject({ verdict, undecided: verdict !== "worse" });
    // A change of one figure alone: all twenty together tell what none does.
    expect(first?.visiblePercent === null).toBe(verdict !== "worse" || dropped === 20);
  });

  it("of all twenty comparisons is told round by round after three rounds", () => {
    const rounds = around(100, 3).map((before, at) => [before, around(70, 3)[at]!] as const);
    const chances = corrected(Array.from({ length: 20 }, () => chanceOfRounds(rounds) ?? 1));
    expect(Math.max(...chances)).toBeLessThan(0.05);
  });
});

it.each([
  [3, 20, / 3 repetitions can tell .* to tell each by itself takes 5 \(repeat: 5 in a plan\)\.$/],
  [5, 20, /expected to be chance\.$/],
  [3, 1, /expected to be chance\.$/],
])("a report of %d repetitions and %d comparisons says how many are needed", (repetitions, tests, said) => {
  const areDifferent = () => false;
  expect(howCompared({ tests, byRound: tests, repetitions, areDifferent }).join(" ")).toMatch(said);
});
