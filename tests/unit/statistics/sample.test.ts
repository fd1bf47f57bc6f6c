import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summarize } from "../../../bench/figures/estimate.ts";
import { chanceOfRise, chanceOfRounds, type Round } from "../../../bench/statistics/difference.ts";
import {
  mean,
  meanConfidence95,
  median,
  repetitionsNeeded,
  stddev,
  studentT,
} from "../../../bench/statistics/sample.ts";

import { randomFrom } from "../../fixtures/results/hand-made.ts";

/** Student (1908): hours of sleep gained, second drug less first, 10 patients; in R as `sleep`. */
const sleep = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];

describe("statistics", () => {
  it("agrees with published results for Student's sleep data", () => {
    expect(mean(sleep)).toBeCloseTo(1.58, 10);
    expect(median(sleep)).toBeCloseTo(1.3, 10);
    expect(stddev(sleep)).toBeCloseTo(1.229995, 6);
    // R's documentation of t.test: 95 percent confidence interval 0.7001142 2.4598858
    expect(meanConfidence95(sleep).low).toBeCloseTo(0.7001142, 4);
    expect(meanConfidence95(sleep).high).toBeCloseTo(2.4598858, 4);
  });

  it.each([
    // Tables of Student's t, two-sided 95 %.
    [1, 12.7062],
    [9, 2.2622],
    [30, 2.0423],
    [31, 2.0395],
    [40, 2.0211],
    [60, 2.0003],
    [120, 1.9799],
    // SciPy: stats.t.ppf(0.975, 3.7)
    [3.7, 2.8675],
  ])("t(0.975, %s) is %s", (degreesOfFreedom, t) => {
    expect(studentT(0.975, degreesOfFreedom)).toBeCloseTo(t, 4);
  });

  it("keeps means within their interval", () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 50 });
    fc.assert(
      fc.property(values, (list) => {
        expect(meanConfidence95(list).low).toBeLessThanOrEqual(mean(list));
        expect(meanConfidence95(list).high).toBeGreaterThanOrEqual(mean(list));
      }),
    );
  });

  it.each([
    ["mean of nothing", () => mean([]), "got 0 values; expected at least 1"],
    ["median of nothing", () => median([]), "got 0 values; expected at least 1"],
    ["spread of one", () => stddev([1]), "got 1 values; expected at least 2"],
    ["interval of one", () => meanConfidence95([1]), "got 1 values; expected at least 2"],
  ])("refuses %s", (_, call, message) => {
    expect(call).toThrow(new RangeError(message));
  });
});

describe("repetitions that an interval takes", () => {
  it("are those of Stein's second stage", () => {
    // t(0.975, 2) = 4.3027, s = 5: (4.3027 * 5 / 10)^2 = 4.63
    expect(repetitionsNeeded([95, 100, 105], 10)).toBe(5);
    expect(repetitionsNeeded([100, 100, 100], 1)).toBe(3);
    expect(repetitionsNeeded([99.9, 100, 100.1], 10)).toBe(3);
    expect(repetitionsNeeded([-1, 0, 1], 10)).toBe(Number.POSITIVE_INFINITY);
  });

  it("give an interval with the first ones' scatter", () => {
    const { low, high } = meanConfidence95([95, 100, 105, 100, 100], 3);
    expect((high - low) / 2).toBeCloseTo((4.3027 * 5) / Math.sqrt(5), 3);
    // Tests and ratios take it, too.
    expect(summarize([95, 100, 105, 100, 100], { pilot: 3 }).stddev).toBeCloseTo(5, 9);
  });

  // This may happen to a figure other than the one they are repeated for.
  it("use the scatter of all if the first are equal, in intervals, tests and rounds", () => {
    const values = [60, 60, 60, 120, 60, 120, 60, 60, 120, 120];
    expect(meanConfidence95(values, 3)).toEqual(meanConfidence95(values));
    const coins = [values, values.map((value) => 180 - value)].map((own) => summarize(own, { pilot: 3 }));
    expect(coins[0]).toMatchObject({ stddev: stddev(values), pilot: 10 });
    expect(chanceOfRise(coins[0]!, coins[1]!)).toBeGreaterThan(0.05);
    const steps = [5, 5, 5, 60, -60, 60, -60, 60, -60, 60];
    const rounds = steps.map((step): Round => [100, 100 + step]);
    expect(chanceOfRounds(rounds, 3)).toBeCloseTo(chanceOfRounds(rounds)!, 9);
  });

  it("make it cover the mean in 95 %, unlike checking each time", () => {
    const random = randomFrom(4);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const covers = ({ low, high }: { low: number; high: number }) => low <= 100 && 100 <= high;
    const runs = 2000;
    let [kept, looked] = [0, 0];
    for (let run = 0; run < runs; run++) {
      const values = Array.from({ length: 60 }, () => 100 + 5 * normal());
      const needed = Math.min(values.length, repetitionsNeeded(values.slice(0, 3), 5));
      kept += covers(meanConfidence95(values.slice(0, needed), 3)) ? 1 : 0;
      const stop = values.findIndex((_, index) => {
        const { low, high } =
          index < 2 ? { low: 0, high: 1e9 } : meanConfidence95(values.slice(0, index + 1));
        return high - low <= 10;
      });
      looked += covers(meanConfidence95(values.slice(0, stop + 1 || values.length))) ? 1 : 0;
    }
    // 2,000 runs determine 95 % to half a percent.
    expect(kept / runs).toBeGreaterThan(0.935);
    expect(looked / runs).toBeLessThan(0.92);
  });

  it.each([
    [3, 0.7, 0.8],
    [7, 0.935, 0.97],
  ])(
    "of values that jump between two levels cover the mean as the documents say: least %i",
    (least, low, high) => {
      const random = randomFrom(9);
      const runs = 2000;
      let covered = 0;
      for (let run = 0; run < runs; run++) {
        const values = Array.from({ length: 40 }, () => (random() < 0.5 ? 90 : 110));
        const own = values.slice(0, repetitionsNeeded(values.slice(0, least), 5));
        const interval = meanConfidence95(own, least);
        covered += interval.low <= 100 && 100 <= interval.high ? 1 : 0;
      }
      expect(covered / runs).toBeGreaterThan(low);
      expect(covered / runs).toBeLessThan(high);
    },
  );
});
