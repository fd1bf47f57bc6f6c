/** Cost a month against traffic, a line a topology, with break-evens and the reader's own traffic marked. */
import { type Topology, topologyNamed } from "../../bench/topologies/index.ts";
import type { Column } from "../comparison/comparison.ts";
import { count, usd } from "../text/format.ts";
import { axisLook, type Chart, drawChart, still, type Variant } from "./chart.ts";
import { columnInk, ink, lineLook } from "./palette.ts";

/** What the chart draws of one topology. */
export interface CostLine {
  readonly column: Column;
  /** USD a month at so many GB, at the reader's mix of directions; null where a price is missing. */
  readonly at: (gb: number) => number | null;
}

export interface BreakEven {
  readonly between: readonly [string, string];
  readonly gb: number;
  readonly usd: number;
}

/** GB a month: 10 GB to 100 TB, evenly spaced on a logarithmic axis. */
const traffic = Array.from({ length: 33 }, (_, index) => 10 ** (1 + index / 8));
const shownTraffic = [10, 100, 1000, 10_000, 100_000];

/** @returns null when no topology has all its prices. */
export function costChart(
  lines: readonly CostLine[],
  breakEvens: readonly BreakEven[],
  readersGb: number,
): Chart | null {
  const priced = lines.filter(({ at }) => at(1) !== null);
  if (priced.length === 0) {
    return null;
  }
  const marks = breakEvens.map(
    ({ between, gb, usd: cost }) =>
      `${between.join(" and ")} cost the same at ${count(Math.round(gb))} GB (${usd(cost)})`,
  );
  return drawChart({
    id: "cost",
    title: "Cost a month and traffic",
    description: `Cost of 730 hours against GB a month, in and out in the reader's proportion. ${marks.length > 0 ? `Break-even: ${marks.join("; ")}.` : noBreakEven(priced)}`,
    columns: priced.map(({ column }) => column.index),
    scales: ["log", "linear"],
    table: {
      head: ["Topology", ...shownTraffic.map((gb) => `${count(gb)} GB`)],
      rows: priced.map(({ column, at }) => [column.label, ...shownTraffic.map((gb) => usd(at(gb) ?? 0))]),
    },
    draw: (variant) => draw(priced, breakEvens, readersGb, variant),
  });
}

/** Nothing is said where there are not both to compare. */
function noBreakEven(lines: readonly CostLine[]): string {
  const has = (nat: Topology["nat"]) =>
    lines.some(({ column }) => topologyNamed(column.topology.topology)?.nat === nat);
  return has("instance") && has("gateway")
    ? "NAT instance and NAT gateway have no break-even: the same one is cheaper at any traffic."
    : "";
}

function draw(
  lines: readonly CostLine[],
  breakEvens: readonly BreakEven[],
  readersGb: number,
  { narrow, scale }: Variant,
) {
  // Linear, the largest traffic would press everything else into a corner.
  const shown =
    scale === "log"
      ? traffic
      : Array.from({ length: 21 }, (_, index) => (index * Math.max(readersGb, 1) * 2) / 20);
  const [first = 0, last = 0] = [shown[0], shown.at(-1)];
  return {
    height: narrow ? 320 : 360,
    tip: (series: number, item: number) => {
      const [line, gb] = [lines[series], shown[item]];
      return line && gb !== undefined
        ? `${line.column.label}, ${count(Math.round(gb))} GB: ${usd(line.at(gb) ?? 0)}`
        : undefined;
    },
    option: {
      grid: { left: 64, right: 24, top: 40, bottom: 44 },
      xAxis: {
        ...axisLook("GB a month"),
        nameLocation: "middle",
        nameGap: 26,
        type: scale === "log" ? "log" : "value",
        min: first,
        max: last,
      },
      yAxis: {
        ...axisLook("USD a month"),
        type: scale === "log" ? "log" : "value",
        ...(scale === "log" ? { min: 1 } : { min: 0 }),
      },
      series: lines.map(({ column, at }, index) => ({
        type: "line",
        ...still,
        ...lineLook(column.index),
        symbolSize: 5,
        data: shown.map((gb) => [gb, Math.max(at(gb) ?? 0, scale === "log" ? 1 : 0)]),
        ...(index === 0 ? { markLine: readersLine(readersGb, first, last) } : {}),
        ...(index === 0 ? { markPoint: breakEvenPoints(breakEvens, first, last, column.index) } : {}),
      })),
    },
  };
}

function readersLine(gb: number, first: number, last: number) {
  return {
    silent: true,
    symbol: "none",
    lineStyle: { color: ink("accent"), type: "dashed", width: 1.5 },
    label: { formatter: () => `yours: ${count(gb)} GB`, color: ink("text"), fontSize: 12 },
    data: gb >= first && gb <= last ? [{ xAxis: gb }] : [],
  };
}

function breakEvenPoints(breakEvens: readonly BreakEven[], first: number, last: number, column: number) {
  return {
    silent: true,
    symbol: "circle",
    symbolSize: 14,
    itemStyle: { color: "none", borderColor: ink("text"), borderWidth: 2 },
    label: { position: "right", color: columnInk(column), fontSize: 12 },
    data: breakEvens
      .filter(({ gb }) => gb >= first && gb <= last)
      .map(({ gb, usd: cost }) => ({
        coord: [gb, cost],
        label: { formatter: () => `break-even ${count(Math.round(gb))} GB`, color: ink("text") },
      })),
  };
}
