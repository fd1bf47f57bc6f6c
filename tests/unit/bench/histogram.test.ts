/**
 * Latency distributions: the host agent's buckets compared with every sample, and several repetitions' buckets compared with all
 * samples together.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  mergeHistograms,
  mergeRepetitions,
  percentileOf,
  samplesOf,
} from "../../../bench/assemble/repetitions.ts";
import { connectOutputSchema } from "../../../bench/tools/connect/index.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { result } from "./summary-results.ts";

const buckets = (runs: readonly (readonly number[])[]) =>
  evaluate("[latency.histogram(one) for one in data]", runs) as [number, number][][];

const rank = (samples: readonly number[], perMille: number) =>
  samples.toSorted((a, b) => a - b)[Math.max(1, Math.ceil((perMille * samples.length) / 1000)) - 1] ?? 0;

describe("a distribution", () => {
  it("has every sample, and its percentiles to 0.8 %, also of several runs together", () => {
    const sample = fc.double({ min: 0, max: 3e6, noNaN: true }).map((value) => Math.round(value * 10) / 10);
    const runs = fc.sample(fc.array(sample, { minLength: 1, maxLength: 300 }), 30);
    const histograms = buckets(runs);
    histograms.forEach((histogram, index) => {
      expect(samplesOf(histogram)).toBe(runs[index]?.length);
    });
    const merged = mergeHistograms(histograms);
    const all = runs.flat();
    expect(samplesOf(merged)).toBe(all.length);
    for (const perMille of [0, 500, 900, 990, 999, 1000]) {
      const [found, exact] = [percentileOf(merged, perMille) ?? Number.NaN, rank(all, perMille)];
      expect(found).toBeGreaterThanOrEqual(exact - 1e-9);
      expect(found - exact).toBeLessThanOrEqual(0.008 * exact + 0.1);
    }
  });

  it("is small: a long test's samples are few buckets", () => {
    const many = Array.from({ length: 50_000 }, (_, index) => 80 + (index % 5000) / 7);
    const [histogram] = buckets([many]);
    expect(JSON.stringify(histogram).length).toBeLessThan(8 * 1024);
  });

  it("without samples has no percentiles", () => {
    expect(buckets([[]])).toEqual([[]]);
    expect(percentileOf([], 500)).toBeNull();
  });
});

describe("repetitions of a latency", () => {
  const five = { least: 5, most: 5, withinPercent: null };
  const repetition = (samples: readonly number[], withHistogram = true) => {
    const { latencyUs } = connectOutputSchema.parse({
      ...{ version: 1, attempted: samples.length, failed: 0, durationSeconds: 1, errors: {} },
      latencyUs: evaluate("latency.latency_statistics(data)", samples),
    });
    const { histogram, ...rest } = latencyUs;
    const kept = withHistogram ? latencyUs : rest;
    return result("tcp-connect", "direct", { latencyUs: { kind: "connect", ...kept } });
  };
  const runs = [1, 2, 3].map((run) => Array.from({ length: 400 }, (_, index) => 100 * run + index / 10));

  it("have the percentiles of all samples: a p99.9 although no repetition has enough", () => {
    const { repetitions, measurement } = mergeRepetitions(
      runs.map((run) => repetition(run)),
      five,
    );
    expect(measurement?.latencyUs?.samples).toBe(400);
    const { samples, p50, p999 } = repetitions?.allLatencyUs ?? {};
    expect(samples).toBe(1200);
    expect(Math.abs((p50 ?? 0) - rank(runs.flat(), 500)) / rank(runs.flat(), 500)).toBeLessThan(0.008);
    expect(Math.abs((p999 ?? 0) - rank(runs.flat(), 999)) / rank(runs.flat(), 999)).toBeLessThan(0.008);
  });

  it("have none if one of them has no distribution, and no p99.9 from too few samples", () => {
    const mixed = [repetition(runs[0] ?? []), repetition(runs[1] ?? [], false)];
    expect(mergeRepetitions(mixed, five).repetitions).not.toHaveProperty("allLatencyUs");
    const few = mergeRepetitions([repetition(runs[0] ?? [])], five).repetitions?.allLatencyUs;
    expect(few).toMatchObject({ samples: 400, p999: null });
    expect(few?.p99).not.toBeNull();
  });
});
