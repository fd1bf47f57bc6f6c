/** Percentiles of latency, a line a topology. */

import { formatMicroseconds } from "../../bench/plan/quantities.ts";
import type { Latency } from "../../bench/results/index.ts";
import type { Column, Comparison, Row } from "../comparison/comparison.ts";
import { orMissing } from "../text/format.ts";
import { axisLook, type Chart, drawChart, still, type Variant } from "./chart.ts";
import { lineLook } from "./palette.ts";

const percentiles = ["min", "p50", "p90", "p99", "p999", "max"] as const;
const names = ["min", "p50", "p90", "p99", "p99.9", "max"];

/** One chart for each case that measured latency. */
export function latencyCharts(comparison: Comparison): Chart[] {
  return comparison.rows.flatMap((row, index) => {
    const lines = comparison.columns.flatMap((column) => {
      const found = latencyOf(row, column);
      return found === null ? [] : [{ column, found }];
    });
    return lines.length === 0 ? [] : [latencyChart(row, index, lines, comparison.large)];
  });
}

interface Line {
  readonly column: Column;
  readonly found: Latency;
}

/** Percentiles of several repetitions cannot be averaged: the first one that has them is drawn. */
function latencyOf(row: Row, column: Column): Latency | null {
  const repetitions = row.cells[column.index]?.repetitions ?? [];
  return repetitions.find(({ measurement }) => measurement?.latencyUs)?.measurement?.latencyUs ?? null;
}

const kinds = {
  "round-trip": "round-trip time",
  connect: "time to open a TCP connection",
  request: "time of an HTTPS request",
} as const satisfies Record<Latency["kind"], string>;

function latencyChart(row: Row, index: number, lines: readonly Line[], large: boolean): Chart {
  const kind = kinds[lines[0]?.found.kind ?? "round-trip"];
  return drawChart({
    id: `latency-${index}`,
    title: `Latency: ${row.info.title}`,
    description: `Percentiles of the ${kind}, a line a topology, from the fastest sample to the slowest.`,
    columns: lines.map(({ column }) => column.index),
    scales: large ? ["log"] : ["log", "linear"],
    table: {
      head: ["Topology", ...names, "mean", "samples"],
      rows: lines.map(({ column, found }) => [
        column.label,
        ...percentiles.map((key) => orMissing(found[key], formatMicroseconds)),
        orMissing(found.mean, formatMicroseconds),
        orMissing(found.samples, (value) => value.toLocaleString("en-US")),
      ]),
    },
    draw: (variant) => draw(lines, variant),
  });
}

function draw(lines: readonly Line[], { narrow, scale }: Variant) {
  const all = lines.flatMap(({ found }) => percentiles.map((key) => found[key] ?? 0));
  const [divisor, unit] = Math.max(...all) >= 1000 ? [1000, "ms"] : [1, "µs"];
  const low = Math.min(...all.filter((value) => value > 0)) / divisor;
  return {
    height: narrow ? 300 : 340,
    tip: (series: number, item: number) => {
      const line = lines[series];
      const key = percentiles[item];
      return line && key
        ? `${line.column.label}, ${names[item]}: ${orMissing(line.found[key], formatMicroseconds)}`
        : undefined;
    },
    option: {
      grid: { left: 56, right: 20, top: 40, bottom: 32 },
      xAxis: { ...axisLook(""), type: "category", data: names, boundaryGap: false },
      yAxis: {
        ...axisLook(unit),
        type: scale === "log" ? "log" : "value",
        ...(scale === "log" ? { min: 10 ** Math.floor(Math.log10(low)) } : { min: 0 }),
      },
      series: lines.map(({ column, found }) => ({
        type: "line",
        name: column.label,
        ...still,
        ...lineLook(column.index),
        symbolSize: 9,
        data: percentiles.map((key) => (found[key] === null ? "-" : found[key] / divisor)),
      })),
    },
  };
}
