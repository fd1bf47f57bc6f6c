import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSettled, mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { estimate } from "../../../bench/figures/estimate.ts";
import { type CaseResult, caseResultSchema, type Measurement } from "../../../bench/results/index.ts";
import { describeCase } from "../../../bench/summary/case-words.ts";
import { result as caseOf, failed, latency, rateGoal, searched } from "./summary-results.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** A repetition that began at a second. */
function result(measured: Partial<Measurement> | null, second = 0): CaseResult {
  const times = { startedAt: at(second), finishedAt: at(second + 1) };
  return caseResultSchema.parse({
    ...caseOf("nat", "tcp-egress", measured ?? failed("timeout", "too long")),
    ...{ command: `run ${second}`, ...times, attempts: [{ ...times, exitCode: 0, timedOut: false }] },
  });
}
const latencies = (mean: number, p50: number, p99: number) => ({
  latencyUs: { ...latency(p50, p99).latencyUs!, mean, p999: null },
});

const speeds = (...values: (number | null)[]) =>
  values.map((value, second) => result(value === null ? null : { bitsPerSecond: value }, second));
const five = { least: 5, most: 5, withinPercent: null };
const adaptive = { least: 3, most: 10, withinPercent: 5 };

describe("repetitions", () => {
  // Moore, McCabe: vitamin C in corn soy blend, n = 8: mean 22.50, s = 7.19, 95 % interval 16.5 to 28.5.
  it("have the confidence interval of a published example", () => {
    const { repetitions } = mergeRepetitions(speeds(26, 31, 23, 22, 11, 22, 14, 31), five);
    expect(repetitions).toMatchObject({
      metric: "bitsPerSecond",
      mean: 22.5,
      median: 22.5,
      min: 11,
      max: 31,
    });
    expect(repetitions?.stddev).toBeCloseTo(7.19, 2);
    expect(repetitions?.confidence95?.low).toBeCloseTo(16.5, 1);
    expect(repetitions?.confidence95?.high).toBeCloseTo(28.5, 1);
  });

  it("are represented by the median one, and span all", () => {
    const merged = mergeRepetitions(speeds(10, 90, 30, 20, 80), five);
    expect(merged).toMatchObject({ command: "run 2", startedAt: at(0), finishedAt: at(5) });
    expect(merged.measurement?.bitsPerSecond).toBe(30);
    expect(merged.attempts).toHaveLength(5);
  });

  it("are judged by latency if measured, also under load", () => {
    const loaded = [4, 6].map((mean) => result({ bitsPerSecond: 1e9, ...latencies(mean, 5, 9) }));
    expect(mergeRepetitions(loaded, five).repetitions).toMatchObject({ metric: "latencyUs.mean", mean: 5 });
  });

  it("are judged by a searched rate", () => {
    const of = (goal: "ndr" | "peak", found: number) =>
      result({ bitsPerSecond: 5, ...searched(goal, found) });
    expect(mergeRepetitions([of("ndr", 10), of("ndr", 20)], five).repetitions).toMatchObject({
      metric: "search.found",
      median: 15,
    });
    expect(mergeRepetitions([of("peak", 8), of("peak", 16)], five).repetitions).toMatchObject({ median: 5 });
  });

  it("keep the second rate of a search for both, which report and gate judge as well", () => {
    const of = (ndr: number, pdr: number) =>
      result(searched("ndr", ndr, { goals: [rateGoal("ndr", ndr), rateGoal("pdr", pdr)] }));
    const merged = mergeRepetitions([of(10, 30), of(20, 50)], five);
    expect(merged.repetitions?.metrics["search.pdr.found"]).toMatchObject({ values: [30, 50], mean: 40 });
    expect(estimate("partialDropRate", [merged])).toMatchObject({ value: 40, n: 2 });
    expect(estimate("partialDropRate", [of(10, 30)])).toMatchObject({ value: 30, n: 1 });
    expect(estimate("noDropRate", [merged])).toMatchObject({ value: 15, n: 2 });
  });

  it("leave failed ones out of the figures, and count them", () => {
    const merged = mergeRepetitions(speeds(null, 10, 20), five);
    expect(merged).toMatchObject({ status: "ok", failure: null });
    expect(merged.repetitions).toMatchObject({ failed: 1, values: [10, 20], median: 15 });
  });

  it("keep every figure of every repetition", () => {
    const of = (p50: number, p99: number, lostPercent: number | null) =>
      result({ lostPercent, ...latencies(p50, p50, p99) });
    const { metrics } = mergeRepetitions([of(5, 50, null), of(7, 90, 1), of(6, 70, 3)], five).repetitions!;
    expect(metrics["latencyUs.p99"]).toMatchObject({
      values: [50, 90, 70],
      median: 70,
      mean: 70,
      stddev: 20,
    });
    expect(metrics["latencyUs.p50"]!.confidence95!.low).toBeCloseTo(6 - 4.3027 / Math.sqrt(3), 3);
    expect(metrics.lostPercent).toMatchObject({ values: [null, 1, 3], mean: 2 });
    expect(metrics).not.toHaveProperty("latencyUs.p999");
    expect(metrics).not.toHaveProperty("bitsPerSecond");
  });

  it("fail the case if more than half failed, and not if half did", () => {
    const merged = mergeRepetitions(speeds(null, 10, null, null, 20), five);
    expect(merged).toMatchObject({
      status: "failed",
      measurement: null,
      failure: {
        class: "timeout",
        message: expect.stringMatching(/^3 of 5 repetitions failed, more than 50 %; the first: /),
      },
      repetitions: { failed: 3, values: [10, 20] },
    });
    expect(mergeRepetitions(speeds(null, 10), five)).toMatchObject({ status: "ok", failure: null });
  });

  it("fail if all failed", () => {
    const merged = mergeRepetitions(speeds(null, null), five);
    expect(merged).toMatchObject({ status: "failed", failure: { class: "timeout" } });
    expect(merged.repetitions).toMatchObject({ failed: 2, values: [], median: null, confidence95: null });
  });
});

describe("convergence", () => {
  it("does not apply to a fixed number", () => {
    expect(mergeRepetitions(speeds(1, 1, 1), five).repetitions?.converged).toBeNull();
    expect(isSettled(speeds(1, 1, 1, 1, 1, 1), five)).toBe(false);
  });

  it("needs the least number, and figures that agree", () => {
    expect(isSettled(speeds(100, 100), adaptive)).toBe(false);
    expect(isSettled(speeds(100, 100, 100), adaptive)).toBe(true);
    expect(isSettled(speeds(100, 150, 50), adaptive)).toBe(false);
    expect(mergeRepetitions(speeds(100, 150, 50), adaptive).repetitions?.converged).toBe(false);
  });

  it("does not count failures as agreement", () => {
    expect(isSettled(speeds(null, null, null), adaptive)).toBe(false);
    expect(isSettled(speeds(100, null, null), adaptive)).toBe(false);
  });

  it("is decided by the scatter of the first ones, and withdrawn if that of all is wider", () => {
    const values = fc.array(fc.double({ min: 0.9, max: 1.1, noNaN: true }), { minLength: 3, maxLength: 10 });
    fc.assert(
      fc.property(values, fc.constantFrom(1, 1e3, 1e9), (relative, scale) => {
        const results = speeds(...relative.map((one) => one * scale));
        const { confidence95, converged } = mergeRepetitions(results, adaptive).repetitions ?? {};
        const half = ((confidence95?.high ?? 0) - (confidence95?.low ?? 0)) / 2;
        const first = (scale * (relative[0]! + relative[1]! + relative[2]!)) / 3;
        fc.pre(Math.abs(half / first - 0.05) > 1e-6);
        expect(isSettled(results, adaptive)).toBe(half <= 0.05 * first);
        expect(converged && !isSettled(results, adaptive)).toBe(false);
      }),
    );
    const lucky = speeds(100, 100.5, 101, 70, 130);
    expect(isSettled(lucky, adaptive)).toBe(true);
    expect(mergeRepetitions(lucky, adaptive).repetitions?.converged).toBe(false);
  });
});

describe("what all repetitions say", () => {
  it("has the round of each repetition that measured", () => {
    expect(mergeRepetitions(speeds(10, null, 20), five).repetitions?.rounds).toEqual([1, 3]);
  });

  it("has the outages of all, even if the median one had none", () => {
    const outage = { startSeconds: 3, seconds: 5 };
    const results = [10, 1, 11].map((bitsPerSecond) =>
      result({ bitsPerSecond, outages: bitsPerSecond === 1 ? [outage] : [] }),
    );
    const merged = mergeRepetitions(results, five);
    expect(merged.measurement?.outages).toEqual([]);
    expect(merged.repetitions?.outages).toEqual([{ ...outage, round: 2 }]);
    expect(describeCase(merged)).toMatch(/, outage of 5 s at 3 s in round 2$/);
  });

  it("counts rounds in which a search found no rate", () => {
    const of = (found: number | null) => result(searched("ndr", found));
    expect(describeCase(mergeRepetitions([of(1e9), of(null), of(1e9)], five))).toContain(
      "1 of 3 found no rate",
    );
  });
});

describe("the one value of a figure", () => {
  const latency = (mean: number, p50: number) => result(latencies(mean, p50, 9));

  it("has its own interval, not that of the deciding figure", () => {
    const means = [19, 190, 40, 25, 60];
    const same = mergeRepetitions(
      means.map((mean) => latency(mean, 19)),
      five,
    );
    expect(describeCase(same)).toBe("p50 19.0 \u00b5s \u00b10 %, p99 9.00 \u00b5s");
    const alternating = mergeRepetitions(
      [19, 45, 19, 45, 19].map((p50, index) => latency(30 + index / 100, p50)),
      five,
    );
    // R: t.test(c(19,45,19,45,19))$conf.int is 11.7183 to 47.0817, 60.1 % of 29.4 either way.
    expect(describeCase(alternating)).toMatch(/^p50 29\.4 \u00b5s \u00b160\.1 %, /);
  });
});
