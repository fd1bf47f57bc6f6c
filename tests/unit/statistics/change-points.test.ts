/** Changes of level are found where they are, and nowhere else. Their rates: `npm run bench -- history`. */
import { expect, test } from "vitest";
import { changePoints } from "../../../bench/statistics/change-points.ts";
import { randomFrom } from "../../fixtures/results/hand-made.ts";

/** Normal scatter around levels, with a number of runs each. */
function runs(
  seed: number,
  scatter: number,
  ...levels: readonly (readonly [level: number, count: number])[]
) {
  const random = randomFrom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return levels.flatMap(([level, count]) =>
    Array.from({ length: count }, () => level * (1 + scatter * normal())),
  );
}
const places = (values: readonly number[]) => (changePoints([values])[0] ?? []).map(({ at }) => at);

test("a step is found at its first run", () => {
  expect(places(runs(1, 0.01, [100, 10], [90, 10]))).toEqual([10]);
});

test("two steps are found, each with the runs of its levels", () => {
  expect(changePoints([runs(2, 0.01, [100, 12], [80, 12], [95, 12])])[0]).toMatchObject([
    { from: 0, at: 12, to: 24 },
    { from: 12, at: 24, to: 36 },
  ]);
});

test("five runs of each of two levels are enough, nine runs are not", () => {
  expect(places(runs(3, 0.01, [100, 5], [50, 5]))).toEqual([5]);
  expect(places(runs(3, 0.01, [100, 4], [50, 5]))).toEqual([]);
});

test("a single outlier is no change", () => {
  const values = runs(4, 0.01, [100, 20]);
  values[12] = 5;
  expect(places(values)).toEqual([]);
});

test("equal runs have no change", () => {
  expect(places(Array<number>(30).fill(7))).toEqual([]);
});

test("of 200 series without a change, judged together, at most a twentieth of the trials has any", () => {
  const trials = Array.from({ length: 20 }, (_, trial) =>
    changePoints(Array.from({ length: 10 }, (__, index) => runs(1000 + 10 * trial + index, 0.05, [100, 20]))),
  );
  expect(trials.filter((found) => found.flat().length > 0).length).toBeLessThanOrEqual(3);
});

test("a few outliers among many equal values are no change, in 40 series of 120 runs judged together", () => {
  const random = randomFrom(7);
  const values = () => Array.from({ length: 120 }, () => (random() < 0.05 ? random() : 0));
  const trials = Array.from({ length: 20 }, () => changePoints(Array.from({ length: 40 }, values)));
  expect(trials.filter((found) => found.flat().length > 0).length).toBeLessThanOrEqual(3);
});

test("a change that would count alone does not count among many series without one", () => {
  // Five runs each: the clearest split of ten runs, 5 splits of 2/252.
  const alone = runs(5, 0.01, [100, 5], [50, 5]);
  const still = Array.from({ length: 40 }, (_, index) => runs(2000 + index, 0.01, [100, 10]));
  expect(changePoints([alone])[0]?.[0]?.chance).toBeCloseTo((5 * 2) / 252, 6);
  expect(changePoints([alone, ...still])[0]).toEqual([]);
});
