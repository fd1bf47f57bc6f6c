/** Pairs that start one after the other, on a link whose capacity is known. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sumMeasurements } from "../../../bench/assemble/sum-measurements.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { samples } from "../../helpers/samples.ts";
import { interval as intervalOf } from "./udp-hosts.ts";

const CAPACITY = 1e9;

/** A pair's measurement on a link shared equally by all running pairs, as a series of such intervals. */
function pairOf(startSeconds: number, seconds: number, starts: readonly number[], interval: number) {
  const rateAt = (second: number) =>
    CAPACITY / starts.filter((start) => start <= second && second < start + seconds).length;
  const steps = 1000;
  const meanRate = (from: number, to: number) =>
    Array.from({ length: steps }, (_, step) => rateAt(from + ((step + 0.5) * (to - from)) / steps)).reduce(
      (sum, rate) => sum + rate / steps,
      0,
    );
  const series = Array.from({ length: Math.round(seconds / interval) }, (_, index) => {
    const at = index * interval;
    return intervalOf(at, meanRate(startSeconds + at, startSeconds + at + interval), interval);
  });
  const bitsPerSecond = meanRate(startSeconds, startSeconds + seconds);
  const packetsPerSecond = bitsPerSecond / 12_000;
  const measurement = {
    ...nothingMeasured,
    ...{ bitsPerSecond, packetsPerSecond, series, durationSeconds: seconds },
  };
  return { measurement, skewMs: startSeconds * 1000 };
}

const pairsOf = (starts: readonly number[], seconds: number, interval = 1) =>
  starts.map((start) => pairOf(start, seconds, starts, interval));

describe("the sum over pairs", () => {
  it.each([
    [10, [0, 1], 1.1, 1],
    [2, [0, 0.25], 1.125, 1],
    [2, [0, 0.25], 1.125, 0.1],
    [1, [0, 0.25], 1.25, 0.1],
    [1, [0, 0.13, 0.25], 1.2, 0.1],
    [10, [0, 0.4, 1], 1.1, 1],
    [10, [0, 0], 1, 1],
  ])(
    "of %d s that start at %j is the link's capacity, where all their time makes it %d of it, by intervals of %d s",
    (seconds, starts, plain, interval) => {
      const parts = pairsOf(starts, seconds, interval);
      const naive = parts.reduce((sum, { measurement }) => sum + measurement.bitsPerSecond, 0);
      expect(naive / CAPACITY).toBeCloseTo(plain, 1);
      const { bitsPerSecond, packetsPerSecond } = sumMeasurements(parts);
      expect(bitsPerSecond! / CAPACITY).toBeCloseTo(1, 2);
      expect(packetsPerSecond! * 12_000).toBeCloseTo(bitsPerSecond!, -3);
    },
  );

  it.each([
    ["whole seconds", 10, 5, 1],
    ["tenths of a second", 2, 0.7, 0.1],
    ["seconds that it does not fill", 10, 7.4, 1],
  ])("covers the time in which all ran, if one ends early: by %s", (_, seconds, end, interval) => {
    // Each has half of the link, and the first one all of it once it is alone.
    const rateAt = (second: number) => (second < end ? CAPACITY / 2 : CAPACITY);
    const part = (until: number) => {
      const count = Math.ceil(until / interval - 1e-9);
      const series = Array.from({ length: count }, (__, index) => {
        const [from, to] = [index * interval, Math.min(until, (index + 1) * interval)];
        const first = Math.min(Math.max(end - from, 0), to - from) * (CAPACITY / 2);
        const rest = Math.max(0, to - Math.max(from, end)) * rateAt(end);
        return intervalOf(from, (first + rest) / (to - from), to - from);
      });
      const bits = series.reduce(
        (sum, one) => sum + one.bitsPerSecond! * (one.endSeconds - one.startSeconds),
        0,
      );
      const measurement = { ...nothingMeasured, bitsPerSecond: bits / until, series, durationSeconds: until };
      return { measurement, skewMs: 0 };
    };
    const parts = [part(seconds), part(end)];
    const naive = parts.reduce((sum, { measurement }) => sum + measurement.bitsPerSecond, 0);
    expect(naive / CAPACITY).toBeGreaterThan(1.1);
    expect(sumMeasurements(parts).bitsPerSecond! / CAPACITY).toBeCloseTo(1, 2);
    expect(sumMeasurements(parts.toReversed()).bitsPerSecond! / CAPACITY).toBeCloseTo(1, 2);
  });

  it("covers all intervals, if tools end a few milliseconds apart", () => {
    const one = (end: number) => {
      const series = Array.from({ length: 10 }, (_, second) =>
        intervalOf(second, second * 1e8, second === 9 ? end - 9 : 1),
      );
      return {
        measurement: { ...nothingMeasured, bitsPerSecond: 4.5e8, series, durationSeconds: end },
        skewMs: 0,
      };
    };
    expect(sumMeasurements([one(10), one(10.06)]).bitsPerSecond).toBeCloseTo(9e8, -6);
  });

  it("does not use a second's rate if the series has only one interval", () => {
    const sum = sumMeasurements(pairsOf([0, 0.25], 1));
    expect(sum).toMatchObject({ bitsPerSecond: null, packetsPerSecond: null });
  });

  it("has no rate if a pair started later and its series does not show when it sent", () => {
    const [first, second] = pairsOf([0, 1], 10);
    const silent = { ...second!, measurement: { ...second!.measurement, series: [], bytes: 7 } };
    const sum = sumMeasurements([{ ...first!, measurement: { ...first!.measurement, bytes: 5 } }, silent]);
    expect(sum).toMatchObject({ bitsPerSecond: null, packetsPerSecond: null, bytes: 12 });
  });

  it("never exceeds the sum over the whole time, on an equally shared link", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 }),
        (later) => {
          const parts = pairsOf([0, ...later], 10);
          const naive = parts.reduce((sum, { measurement }) => sum + measurement.bitsPerSecond, 0);
          expect(sumMeasurements(parts).bitsPerSecond).toBeLessThanOrEqual(naive * (1 + 1e-9));
        },
      ),
      { numRuns: samples(30) },
    );
  });
});
