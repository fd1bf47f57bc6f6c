/**
 * The gate on figures with two levels, like throughput where a flow's hash chooses one of two queues: a few runs at
 * one level against a few at the other are no change.
 */
import { describe, expect, it } from "vitest";
import { contrastOfMeans, summarize } from "../../../bench/figures/estimate.ts";
import { chanceOfRounds, corrected } from "../../../bench/statistics/difference.ts";
import { howCompared } from "../../../report/comparison/differences.ts";
import { judgeFigures } from "../../../report/comparison/gate.ts";
import { randomFrom } from "../../fixtures/results/hand-made.ts";

const random = randomFrom(11);
const some = <Value>(n: number, make: () => Value) => Array.from({ length: n }, make);
const noise = () => 1 + (random() - 0.5) / 50;
const twoLevels = () => (random() < 0.5 ? 70 : 130) * noise();
const outliers = () => (random() < 0.2 ? 500 : 100) * noise();
const steady = (level: number) => () => level * noise();
const pairOf = (n: number, before: () => number, after: () => number) => ({
  metric: "throughput" as const,
  before: summarize(some(n, before)),
  after: summarize(some(n, after)),
});
const RUNS = 400;
const share = (happens: () => boolean) => some(RUNS, happens).filter(Boolean).length / RUNS;

describe.each([
  ["two levels", twoLevels],
  ["outliers", outliers],
])("figures of %s", (_, make) => {
  it.each([2, 3, 4, 5].flatMap((n) => [1, 20].map((of) => [n, of] as const)))(
    "alarm by chance in one of twenty comparisons: n = %d, figures %d",
    (n, of) => {
      const alarms = share(() =>
        judgeFigures(
          some(of, () => pairOf(n, make, make)),
          5,
        ).some(({ verdict }) => verdict === "worse"),
      );
      expect(alarms).toBeLessThanOrEqual(0.05);
    },
  );

  it("differ by chance between topologies in one of twenty comparisons", () => {
    for (const n of [2, 3, 5]) {
      const differ = share(() => {
        const { before, after } = pairOf(n, make, make);
        return (contrastOfMeans(before, after).chance ?? 1) < 0.05;
      });
      expect(differ).toBeLessThanOrEqual(0.05);
    }
  });
});

describe("twenty comparisons round by round", () => {
  const chances = (n: number, before: () => number, after: () => number) =>
    corrected(some(20, () => chanceOfRounds(some(n, () => [before(), after()] as const)) ?? 1));

  it.each([
    ["two levels", twoLevels],
    ["outliers", outliers],
  ])("of %s name a leader by chance in one of twenty reports", (_, make) => {
    for (const n of [3, 4, 5]) {
      expect(share(() => chances(n, make, make).some((chance) => chance < 0.05))).toBeLessThanOrEqual(0.05);
    }
  });

  it("name one after three rounds where all twenty differ", () => {
    expect(Math.max(...chances(3, steady(100), steady(70)))).toBeLessThan(0.05);
  });
});

describe("a drop of 70 %", () => {
  const dropped = (n: number) => pairOf(n, steady(100), steady(30));
  const same = (n: number) => pairOf(n, steady(100), steady(100));

  it.each([
    [2, 1, "not judged", true],
    [3, 1, "worse", false],
    [3, 20, "not judged", true],
    [4, 20, "not judged", true],
    [5, 20, "worse", false],
  ] as const)("of one figure, n = %d, of %d figures is %s", (n, of, verdict, undecided) => {
    const [first] = judgeFigures([dropped(n), ...some(of - 1, () => same(n))], 5);
    expect(first).toMatchObject({ verdict, undecided });
    expect(first?.visiblePercent === null).toBe(verdict !== "worse");
  });

  it("of all of twenty figures is worse with three runs", () => {
    const judged = judgeFigures(
      some(20, () => dropped(3)),
      5,
    );
    expect(new Set(judged.map(({ verdict }) => verdict))).toEqual(new Set(["worse"]));
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
