/**
 * Pairs whose tools start together but whose data does not: the first SYN of one was lost. Measured by two pairs on a link of
 * 38.26 Mbit/s of payload, with 37.3 by the receivers' counters.
 */
import { describe, expect, it } from "vitest";
import { type PairOutcome, sumPairs } from "../../../bench/assemble/pairs.ts";
import type { HostUsage } from "../../../bench/results/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { iperf3Case, silentReport } from "./fixture.ts";
import { host, interval } from "./udp-hosts.ts";

const SECONDS = 5;
const benchCase = { ...iperf3Case, pairs: 2, durationSeconds: SECONDS, omitSeconds: 0 };

/** Samples' stamps are whole seconds, and the tools start within one. */
const STARTED = Date.UTC(2026, 0, 1) - 300;

/** A pair with its rate in each second, whose tool ran longer than its test. */
function pair(
  number: number,
  rates: readonly number[],
  besideMs: number,
  hosts: readonly HostUsage[] = [],
): PairOutcome {
  const at = (milliseconds: number) => new Date(STARTED + milliseconds).toISOString();
  const finishedAt = at(1000 * SECONDS + besideMs);
  const attempt = { startedAt: at(0), finishedAt, exitCode: 0, timedOut: false };
  const series = rates.map((rate, second) => interval(second, rate * 1e6));
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return {
    client: `client-${number}`,
    server: `server-${number}`,
    report: { ...silentReport, hosts: [...hosts], attempts: [attempt], startedAfterMs: number },
    failure: null,
    measurement: { ...nothingMeasured, bitsPerSecond: mean * 1e6, durationSeconds: SECONDS, series },
  };
}

describe("a pair whose data begins a second late", () => {
  // Alone in the first and the last second; half of the link in between.
  const first = pair(1, [37, 18.5, 18.5, 18.5, 18.5], 120);
  const late = pair(2, [18.5, 18.5, 18.5, 18.5, 37], 1150);

  it("is summed with the others over their common time", () => {
    const { measurement, failure } = sumPairs(benchCase, [first, late]);
    expect(failure).toBeNull();
    expect(measurement?.bitsPerSecond).toBeCloseTo(37e6, -5);
    const rates = measurement?.series.map(({ bitsPerSecond }) => (bitsPerSecond ?? 0) / 1e6) ?? [];
    expect(rates).toHaveLength(6);
    // The grid's seconds differ from the late pair's.
    expect(rates.filter((rate) => rate < 35 || rate > 39)).toEqual([]);
  });

  it("has its lateness in the result", () => {
    const { pairs } = sumPairs(benchCase, [first, late]);
    expect(pairs?.map(({ startSkewMs }) => startSkewMs)).toEqual([0, 1031]);
  });

  it("does not count as late if its tool takes a little longer, or a clock was set", () => {
    for (const besideMs of [320, 900, -3_600_000, 3_600_000]) {
      const { pairs } = sumPairs(benchCase, [first, pair(2, [18.5, 18.5, 18.5, 18.5, 18.5], besideMs)]);
      expect(pairs?.map(({ startSkewMs }) => startSkewMs)).toEqual([0, 1]);
    }
  });
});

describe("a pair whose tool ends late, as its path was dead at the end", () => {
  const first = pair(1, [8, 8, 8, 8, 8], 120);
  const rates = [8, 8, 0, 0, 0];
  const sampled = (...samples: number[]) => [
    host(
      "client",
      samples.map((rate) => rate * 1e6),
    ),
  ];

  it.each([1130, 3520])("began with the others: %d ms", (besideMs) => {
    const late = pair(2, rates, besideMs, sampled(...rates, 0, 0, 0));
    const { measurement, pairs } = sumPairs(benchCase, [first, late]);
    expect(pairs?.map(({ startSkewMs }) => startSkewMs)).toEqual([0, 1]);
    expect(measurement?.bitsPerSecond).toBeCloseTo(11.2e6, -5);
  });

  it.each([1130, 3520])("began late if its samples begin late, too: %d ms", (besideMs) => {
    const idle = besideMs > 3000 ? [0, 0, 0] : [0];
    const late = pair(2, [8, 8, 8, 8, 8], besideMs, sampled(...idle, 8, 8, 8, 8, 8));
    const { pairs } = sumPairs(benchCase, [first, late]);
    expect(pairs?.map(({ startSkewMs }) => startSkewMs)).toEqual([0, besideMs - 120 + 1]);
  });
});

it("UDP on a full path is summed by the servers' received datagrams", () => {
  const udp = { ...benchCase, protocol: "udp" as const };
  const received = (...rates: number[]) => [
    host(
      "server",
      rates.map((rate) => rate * 1e6),
    ),
  ];
  const sent = [30, 30, 30, 30, 30];
  // Each had the path of 38 to itself for a second.
  const parts = [
    pair(1, sent, 120, received(30, 19, 19, 19, 19, 0, 0)),
    pair(2, sent, 1120, received(0, 19, 19, 19, 19, 30, 0)),
  ];
  const outcomes = parts.map((one) => ({
    ...one,
    measurement: { ...one.measurement!, bitsPerSecond: 21.2e6, sentBitsPerSecond: 30e6 },
  }));
  const { measurement } = sumPairs(udp, outcomes);
  expect(measurement?.bitsPerSecond).toBeCloseTo(38e6, -5);
  expect(measurement?.sentBitsPerSecond).toBeCloseTo(60e6, -5);
});
