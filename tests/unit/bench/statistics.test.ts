import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  mean,
  meanConfidence95,
  median,
  percentile,
  stddev,
  studentT975,
} from "../../../bench/assemble/statistics.ts";

/** Student (1908): hours of sleep gained, second drug less first, 10 patients; in R as `sleep`. */
const sleep = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];

describe("statistics", () => {
  it("agrees with what is published of Student's sleep data", () => {
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
    [1e9, 1.96],
  ])("t(0.975, %d) is %d", (degreesOfFreedom, t) => {
    expect(studentT975(degreesOfFreedom)).toBeCloseTo(t, 4);
  });

  it.each([
    // numpy.percentile([15, 20, 35, 40, 50], p), whose default is definition 7.
    [0, 15],
    [25, 20],
    [40, 29],
    [50, 35],
    [99, 49.6],
    [100, 50],
  ])("percentile %d is %d", (percent, value) => {
    expect(percentile([50, 15, 40, 20, 35], percent)).toBeCloseTo(value, 10);
  });

  it("keeps percentiles within the values and in order, and means within their interval", () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 50 });
    const percent = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(values, percent, percent, (list, p, q) => {
        const [low, high] = [Math.min(p, q), Math.max(p, q)];
        expect(percentile(list, low)).toBeLessThanOrEqual(percentile(list, high) + 1e-6);
        expect(percentile(list, low)).toBeGreaterThanOrEqual(Math.min(...list));
        expect(meanConfidence95(list).low).toBeLessThanOrEqual(mean(list));
      }),
    );
  });

  it.each([
    ["mean of nothing", () => mean([]), "got 0 values; expected at least 1"],
    ["median of nothing", () => median([]), "got 0 values; expected at least 1"],
    ["spread of one", () => stddev([1]), "got 1 values; expected at least 2"],
    ["interval of one", () => meanConfidence95([1]), "got 1 values; expected at least 2"],
    ["percentile 101", () => percentile([1], 101), "percent is 101; expected 0 to 100"],
    ["percentile NaN", () => percentile([1], Number.NaN), "percent is NaN; expected 0 to 100"],
  ])("refuses %s", (_, call, message) => {
    expect(call).toThrow(new RangeError(message));
  });
});
