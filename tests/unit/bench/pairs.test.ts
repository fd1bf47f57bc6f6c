import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunReport } from "../../../bench/agent/protocol.ts";
import { allowedSkewMs, type PairOutcome, sumPairs } from "../../../bench/assemble/pairs.ts";
import { sumMeasurements } from "../../../bench/assemble/sum-measurements.ts";
import { caseResultSchema, type Failure, type Measurement } from "../../../bench/results/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { iperf3Case, silentReport } from "./fixture.ts";

const benchCase = { ...iperf3Case, pairs: 3, durationSeconds: 10 };

const report = (change: Partial<RunReport> = {}): RunReport => ({
  ...{ ...silentReport, sourceIp: "203.0.113.7", startedAfterMs: 5 },
  ...change,
});

function outcome(number: number, change: Partial<PairOutcome> = {}): PairOutcome {
  const measurement = { ...nothingMeasured, bitsPerSecond: number * 1e9, retransmits: number };
  return {
    client: `client-${number}`,
    server: `server-${number}`,
    report: report(),
    failure: null,
    measurement,
    ...change,
  };
}

const failed = (number: number, failure: Partial<Failure>) =>
  outcome(number, {
    measurement: null,
    failure: { class: "tool-error", message: "broken", stderrTail: "tail", ...failure },
  });

describe("sumPairs", () => {
  it("sums all pairs, and keeps each one's figures", () => {
    const starts = [12.34, 10, 110];
    const result = sumPairs(
      benchCase,
      starts.map((startedAfterMs, at) => outcome(at + 1, { report: report({ startedAfterMs }) })),
    );
    expect(result.failure).toBeNull();
    expect(result.measurement).toMatchObject({ bitsPerSecond: 6e9, retransmits: 6, packets: null });
    expect(result.pairs?.map(({ client, startSkewMs }) => [client, startSkewMs])).toEqual([
      ["client-1", 2.3],
      ["client-2", 0],
      ["client-3", 100],
    ]);
    expect(result.pairs?.[2]).toMatchObject({
      server: "server-3",
      bitsPerSecond: 3e9,
      sourceIp: "203.0.113.7",
    });
  });

  it("has each host once", () => {
    const host = (name: string, problem: string) => ({
      host: name,
      role: "nat" as const,
      cpu: null,
      network: null,
      problem,
    });
    const { hosts } = sumPairs(benchCase, [
      outcome(1, { report: report({ hosts: [host("a", "1"), host("instance", "1")] }) }),
      outcome(2, { report: report({ hosts: [host("b", "2"), host("instance", "2")] }) }),
      outcome(3, { report: null, failure: { class: "not-run", message: "", stderrTail: "" } }),
    ]);
    expect(hosts.map((one) => [one.host, one.problem])).toEqual([
      ["a", "1"],
      ["instance", "1"],
      ["b", "2"],
    ]);
  });

  it("blames the pair that kept the others waiting, not those that waited", () => {
    const waited = { class: "host-lost", message: "the pairs did not start together" } as const;
    const path = { class: "path-mismatch", message: "saw 192.0.2.1" } as const;
    const blamed = (...failures: Partial<Failure>[]) =>
      sumPairs(
        benchCase,
        failures.map((failure, at) => failed(at + 1, failure)),
      ).failure;
    expect(blamed(waited, waited, path)).toMatchObject({
      class: "path-mismatch",
      message: "pair 3 of 3 (client-3 to server-3): saw 192.0.2.1 (3 pairs failed)",
    });
    expect(blamed({ class: "not-run" }, waited)).toMatchObject({ class: "host-lost" });
    expect(blamed({ class: "not-run" }, { class: "not-run" })).toMatchObject({ class: "not-run" });
  });

  it.each([
    [1000, null],
    [1001, /^pair 3 of 3 \(client-3 to server-3\): it started 1001 ms after the first pair, and 1000 ms are/],
  ])("of a pair that starts %i ms late says %s", (late, message) => {
    const { failure, measurement } = sumPairs(benchCase, [
      outcome(1),
      outcome(2),
      outcome(3, { report: report({ startedAfterMs: 5 + late }) }),
    ]);
    expect(failure?.message ?? null).toEqual(message === null ? null : expect.stringMatching(message));
    expect(measurement === null).toBe(message !== null);
  });

  it("does not sum pairs without a known start", () => {
    const result = sumPairs(benchCase, [
      outcome(1),
      outcome(2, { report: report({ startedAfterMs: null }) }),
    ]);
    expect(result).toMatchObject({ measurement: null, failure: { class: "bad-output" } });
    expect(result.failure?.message).toMatch(/pair 2 of 2.*did not report when the tool started/);
  });

  it("allows a tenth of the duration, within bounds", () => {
    expect([1, 2.5, 5, 10, 3600].map((durationSeconds) => allowedSkewMs({ durationSeconds }))).toEqual([
      250, 250, 500, 1000, 1000,
    ]);
  });
});

const counter = fc.option(fc.integer({ min: 0, max: 1e9 }), { freq: 9 });
const interval = fc.record({
  width: fc.double({ min: 0.9, max: 1.1, noNaN: true }),
  bitsPerSecond: fc.integer({ min: 0, max: 1e10 }),
  retransmits: fc.integer({ min: 0, max: 1000 }),
});
const series = fc.array(interval, { minLength: 1, maxLength: 20 }).map((intervals) => {
  let at = 0;
  return intervals.map(({ width, ...one }) => {
    const startSeconds = at;
    at += width;
    return { ...one, startSeconds, endSeconds: at, packets: null, lostPackets: null };
  });
});
const measurement: fc.Arbitrary<Measurement> = fc
  .record({
    bitsPerSecond: counter,
    bytes: counter,
    packets: counter,
    lostPackets: counter,
    retransmits: counter,
    jitterMs: counter,
    durationSeconds: counter,
    series,
  })
  .map((fields) => ({ ...nothingMeasured, ...fields }));
const parts = fc.array(fc.record({ measurement, skewMs: fc.double({ min: 0, max: 1000, noNaN: true }) }), {
  minLength: 1,
  maxLength: 5,
});

const bits = (one: Measurement["series"]) =>
  one.reduce(
    (sum, { bitsPerSecond, startSeconds, endSeconds }) => sum + bitsPerSecond! * (endSeconds - startSeconds),
    0,
  );

describe("sumMeasurements", () => {
  it.each(["bitsPerSecond", "bytes", "packets", "lostPackets", "retransmits"] as const)(
    "adds %s up where all have it, and has none where one lacks it",
    (field) => {
      fc.assert(
        fc.property(parts, (apart) => {
          // All start and end together.
          const some = apart.map(({ measurement: one }) => ({
            measurement: { ...one, durationSeconds: 10, series: [] },
            skewMs: 0,
          }));
          const values = some.map((part) => part.measurement[field]);
          const expected = values.includes(null)
            ? null
            : values.reduce<number>((sum, value) => sum + value!, 0);
          expect(sumMeasurements(some)[field]).toBe(expected);
        }),
      );
    },
  );

  it("does not depend on the order of the parts, except for the streams", () => {
    fc.assert(
      fc.property(parts, (some) => {
        const [one, other] = [sumMeasurements(some), sumMeasurements(some.toReversed())];
        expect({ ...other, series: [] }).toEqual({ ...one, series: [] });
        expect(other.series).toHaveLength(one.series.length);
      }),
    );
  });

  it("keeps every bit and every retransmit of the series, on a grid without gaps", () => {
    fc.assert(
      fc.property(parts, (some) => {
        const sum = sumMeasurements(some).series;
        const all = some.map((part) => part.measurement.series);
        const expected = all.reduce((total, one) => total + bits(one), 0);
        const known = sum.map((bin) => ({ ...bin, bitsPerSecond: bin.bitsPerSecond ?? 0 }));
        expect(Math.abs(bits(known) - expected)).toBeLessThanOrEqual(1e-6 * expected + 1);
        const retransmits = all.flat().reduce((total, one) => total + one.retransmits!, 0);
        expect(sum.reduce((total, one) => total + (one.retransmits ?? 0), 0)).toBe(retransmits);
        for (const [at, bin] of sum.entries()) {
          expect(bin.endSeconds).toBeGreaterThan(bin.startSeconds);
          expect(sum[at + 1]?.startSeconds ?? bin.endSeconds).toBe(bin.endSeconds);
        }
      }),
    );
  });

  it("puts a late part's seconds at their real time", () => {
    const second = (startSeconds: number, bitsPerSecond: number | null) => ({
      startSeconds,
      endSeconds: startSeconds + 1,
      bitsPerSecond,
      retransmits: 1,
      packets: null,
      lostPackets: null,
    });
    const part = (skewMs: number, ...rates: (number | null)[]) => ({
      skewMs,
      measurement: { ...nothingMeasured, series: rates.map((rate, at) => second(at, rate)) },
    });
    const rates = (...some: ReturnType<typeof part>[]) =>
      sumMeasurements(some).series.map(({ startSeconds, endSeconds, bitsPerSecond }) => [
        startSeconds,
        endSeconds,
        bitsPerSecond,
      ]);
    expect(rates(part(0, 8, 8, 8), part(250, 4, 8, 4))).toEqual([
      [0, 1, 11],
      [1, 2, 15],
      [2, 3.25, (8 + 2 + 4) / 1.25],
    ]);
    expect(rates(part(0, 8, 8), part(1000, 4, 4))).toEqual([
      [0, 1, 8],
      [1, 2, 12],
      [2, 3, 4],
    ]);
    expect(rates(part(0, 8, null), part(0, 4, 4))).toEqual([
      [0, 1, 12],
      [1, 2, null],
    ]);
    expect(rates(part(0, 8, 8), part(0))).toEqual([]);
    // The middle of a late second is the border of two bins: it counts once.
    const counts = sumMeasurements([part(0, 8, 8), part(500, 4, 4)]).series.map(
      ({ retransmits }) => retransmits,
    );
    expect(counts).toEqual([1, 2, 1]);
  });

  it("computes loss from all packets, not as a mean of losses", () => {
    const part = (packets: number | null, lostPackets: number | null) => ({
      skewMs: 0,
      measurement: { ...nothingMeasured, packets, lostPackets, lostPercent: 77 },
    });
    expect(sumMeasurements([part(900, 0), part(100, 100)]).lostPercent).toBe(10);
    expect(sumMeasurements([part(900, 0), part(100, null)]).lostPercent).toBeNull();
    expect(sumMeasurements([part(0, 0), part(0, 0)]).lostPercent).toBeNull();
  });

  it("uses means of figures that do not add up, and the longest duration", () => {
    const part = (jitterMs: number, tcpRttUs: number, durationSeconds: number) => ({
      skewMs: 0,
      measurement: { ...nothingMeasured, jitterMs, tcpRttUs, durationSeconds },
    });
    expect(sumMeasurements([part(1, 100, 10), part(3, 200, 10.2)])).toMatchObject({
      jitterMs: 2,
      tcpRttUs: 150,
      durationSeconds: 10.2,
    });
  });

  it("fits the results' schema", () => {
    fc.assert(
      fc.property(parts, (some) => {
        const sum = sumMeasurements(some);
        expect(caseResultSchema.shape.measurement.parse(sum)).toEqual(sum);
      }),
    );
  });
});
