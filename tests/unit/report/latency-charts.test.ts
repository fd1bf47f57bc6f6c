/** Latency charts show the values of the tables, and no interval goes below 0. Means and intervals are computed by hand. */
import { describe, expect, it } from "vitest";
import { figures } from "../../../bench/figures/index.ts";
import { parsePlan } from "../../../bench/index.ts";
import type { Measurement, Results } from "../../../bench/results/index.ts";
import { possiblePart } from "../../../bench/statistics/sample.ts";
import { summarize } from "../../../bench/summary/summary.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { latencyCharts } from "../../../report/charts/latency.ts";
import { compare, toCsv, toMarkdown } from "../../../report/index.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { repeatedResults } from "./repeated.ts";

const [connect] = parsePlan({ cases: [{ tool: "connect", durationSeconds: 10 }] }).cases;
const us = figures.latencyP99.format;

interface Round {
  readonly p99: number;
  readonly p50?: number;
  readonly histogram?: [number, number][];
}

function round({ p99, p50 = 500, histogram }: Round, index: number): Measurement {
  const latencyUs = {
    ...{ kind: "connect" as const, samples: 1000, mean: p50, min: 400 + index, max: 2 * p99, stddev: 20 },
    ...{ p50, p90: 520, p99, p999: 1.1 * p99, ...(histogram && { histogram }) },
  };
  return { ...nothingMeasured, durationSeconds: 10, outages: [], latencyUs };
}

const resultsOf = (rounds: readonly Round[]) => repeatedResults(connect!, rounds.map(round));
const chartOf = (results: Results) => latencyCharts(compare([{ source: "", results }]))[0]!;
const tailed = resultsOf([{ p99: 600 }, { p99: 9000, p50: 501 }, { p99: 700, p50: 502 }]);

describe("a latency chart of three repetitions, one of them slow", () => {
  const [row] = chartOf(tailed).table.rows;

  it("has the mean of each percentile, as tables and CSV have", () => {
    const mean = (600 + 9000 + 700) / 3;
    expect(row?.[4]).toBe(`${us(mean)} (${us(0)} to ${us(15409.6)})`);
    expect(row?.[2]).toContain(us(501));
    const report = reportOf(tailed);
    expect(toMarkdown(report)).toContain(us(mean));
    expect(toCsv(report)).toContain(`,latencyP99,us,${mean},0,15409.`);
  });

  it("has the fastest and the slowest sample of all", () => {
    expect([row?.[1], row?.[6]]).toEqual([us(400), us(18_000)]);
  });

  it("draws the mean's mark, and whiskers that end at 0", () => {
    for (const { svg } of chartOf(tailed).drawn) {
      expect(svg).toContain(`p99: ${us(10_300 / 3)} (${us(0)} to ${us(15409.6)})`);
    }
  });

  it("has an interval that the terminal shows by its ends, not as ±349 %", () => {
    const slow = resultsOf([
      { p99: 9000, p50: 600 },
      { p99: 9000, p50: 9000 },
      { p99: 9000, p50: 700 },
    ]);
    expect(summarize(slow).rows[0]?.direct).toContain(
      `p50 ${us(10_300 / 3)} (95 %: ${us(0)} to ${us(15409.6)})`,
    );
  });
});

it("the percentiles of all samples together are shown below, computed from counts", () => {
  // 2,000 samples of 100 us, 970 of 200 us, 30 of 5 ms: the 99th percentile is the 2,970th.
  const histogram = (slow: number): [number, number][] => [
    [100, slow === 0 ? 1000 : 500],
    [200, slow === 0 ? 0 : 500 - slow],
    [5000, slow],
  ];
  const rounds = [0, 15, 15].map((slow) => ({
    p99: 200,
    histogram: histogram(slow).filter(([, n]) => n > 0),
  }));
  const { rows } = chartOf(resultsOf(rounds)).table;
  expect(rows.map(([name]) => name)).toEqual(["direct", "direct, all samples together"]);
  expect(rows[1]).toEqual([
    "direct, all samples together",
    ...[us(100), us(100), us(200), us(200), us(5000), us(5000), "", "3,000"],
  ]);
});

it("a single run has its own percentiles, without an interval", () => {
  expect(chartOf(resultsOf([{ p99: 600 }])).table.rows).toEqual([
    ["direct", us(400), us(500), us(520), us(600), us(660), us(1200), us(500), "1,000"],
  ]);
});

it("an interval has no impossible part", () => {
  expect(possiblePart({ low: -3, high: 130 }, 100)).toEqual({ low: 0, high: 100 });
});
