/** The gate and the report on counts and on values that do not scatter: few equal values prove nothing. */
import { describe, expect, it } from "vitest";
import { contrast, summarize } from "../../../bench/figures/estimate.ts";
import { type FigureId, figures } from "../../../bench/figures/index.ts";
import { corrected } from "../../../bench/statistics/difference.ts";
import { judgeFigures } from "../../../report/comparison/gate.ts";
import { randomFrom } from "../../fixtures/results/hand-made.ts";

const random = randomFrom(7);
const some = <Value>(n: number, make: () => Value) => Array.from({ length: n }, make);
/** Knuth's algorithm: the number of uniform random numbers until their product is small. */
const poisson = (level: number) => {
  let [count, product] = [-1, 1];
  while (product > Math.exp(-level)) {
    count++;
    product *= random();
  }
  return count;
};
const coin = () => (random() < 0.5 ? 60 : 120);
const found = (metric: FigureId, values: readonly number[]) => summarize(values, figures[metric]);
const pairOf = (metric: FigureId, before: readonly number[], after: readonly number[]) => ({
  ...{ metric, before: found(metric, before), after: found(metric, after) },
});
const RUNS = 200;
const sizes = [2, 3, 5].flatMap((n) => [1, 8, 20].map((of) => [n, of] as const));

describe("the gate", () => {
  it.each([
    ["packetsForwardedDropped", [0, 0], [9, 9], "not judged"],
    ["requestsFailed", [0, 0], [9, 9], "not judged"],
    ["idleTimeout", [120, 120], [60, 60], "not judged"],
    ["idleTimeout", [120, 120, 120], [60, 60, 60], "not judged"],
    ["idleTimeout", [120, 120, 120, 120], [60, 60, 60, 60], "worse"],
    ["idleTimeout", [120, 120, 120, 120], [120, 120, 120, 120], "within tolerance"],
    ["packetsForwardedDropped", [0, 0, 0, 0], [1, 1, 1, 1], "within tolerance"],
    ["packetsForwardedDropped", [0, 1, 0, 0], [90, 70, 80, 90], "worse"],
  ] as const)("judges %s from %j to %j: %s", (metric, before, after, verdict) => {
    expect(judgeFigures([pairOf(metric, before, after)], 5)[0]?.verdict).toBe(verdict);
  });

  it.each(sizes)("alarms by chance in at most one of twenty comparisons: n = %d, figures %d", (n, of) => {
    const alarms = (metric: FigureId, make: () => number) =>
      some(RUNS, () =>
        judgeFigures(
          some(of, () => pairOf(metric, some(n, make), some(n, make))),
          5,
        ).some(({ verdict }) => verdict === "worse"),
      ).filter(Boolean).length / RUNS;
    for (const level of [0.5, 1, 3]) {
      expect(alarms("packetsForwardedDropped", () => poisson(level))).toBeLessThanOrEqual(0.05);
    }
    expect(alarms("idleTimeout", coin)).toBeLessThanOrEqual(0.05);
  });
});

describe("topologies of the same run", () => {
  it.each(sizes)("differ by chance in one of twenty reports: n = %d, comparisons %d", (n, of) => {
    const differ = (metric: FigureId, make: () => number) =>
      some(RUNS, () => {
        const one = () => {
          const rounds = some(n, make);
          return { ...found(metric, rounds), rounds };
        };
        const chances = some(of, () => contrast(one(), one()).chance).filter((chance) => chance !== null);
        return corrected(chances).some((chance) => chance < 0.05);
      }).filter(Boolean).length / RUNS;
    for (const level of [0.5, 1, 3]) {
      expect(differ("packetsForwardedDropped", () => poisson(level))).toBeLessThanOrEqual(0.05);
    }
    expect(differ("idleTimeout", coin)).toBeLessThanOrEqual(0.05);
  });
});
