/** Bar chart of throughput: one group per case and one bar per topology, with 95 % whiskers for repetitions. */
import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemParams } from "echarts/types/dist/shared";
import type { Estimate } from "../../bench/figures/estimate.ts";
import { formatBitRate } from "../../bench/plan/quantities.ts";
import type { Column, Comparison, Row } from "../comparison/comparison.ts";
import { ratioToBaseline } from "../comparison/comparison.ts";
import { showFigure } from "../comparison/verdict.ts";
import { ratio } from "../text/format.ts";
import {
  axisLook,
  type Chart,
  drawChart,
  halo,
  headings,
  nameAxis,
  rateUnit,
  shorten,
  still,
  type Variant,
} from "./chart.ts";
import { barLook, columnInk, ink } from "./palette.ts";

const BAR = 16;

const caseLabel = { color: ink("text"), fontSize: 13, width: 236, overflow: "break" };

/**
 * @param rows Cases with throughput; sweeps over rates and streams have charts of their own.
 * @returns null when none of them measured any.
 */
export function throughputChart(comparison: Comparison, rows: readonly Row[]): Chart | null {
  const { columns } = comparison;
  const shown = rows.filter(({ cells }) => cells.some(({ estimates }) => estimates.throughput));
  const top = Math.max(...shown.flatMap(({ cells }) => cells.map((cell) => high(cell.estimates.throughput))));
  if (shown.length === 0 || !(top > 0)) {
    return null;
  }
  const repeated = shown.some(({ cells }) => cells.some(({ estimates }) => estimates.throughput?.interval));
  return drawChart({
    id: "throughput",
    title: "Throughput",
    description: `Bars of received throughput, one for each topology and case. ${
      repeated ? "Whiskers span the 95 % confidence interval." : "Single runs: no confidence whiskers."
    }${failed(columns, shown)}`,
    columns: columns.map(({ index }) => index),
    scales: comparison.large ? ["linear"] : ["linear", "log"],
    table: {
      head: ["Case", ...columns.map(({ label }) => label)],
      rows: shown.map((row) => [row.info.title, ...columns.map((column) => words(row, column))]),
    },
    draw: (variant) => draw(columns, shown, top, variant),
  });
}

function failed(columns: readonly Column[], rows: readonly Row[]): string {
  const gaps = rows.flatMap(({ info, cells }) =>
    columns
      .filter(({ index }) => cells[index]?.status === "failed")
      .map(({ label }) => `${label} in ${info.title}`),
  );
  return gaps.length === 0 ? "" : ` Without a bar because it failed: ${gaps.join("; ")}.`;
}

function high(found: Estimate | undefined): number {
  return Math.max(0, found?.value ?? 0, found?.interval?.high ?? 0);
}

function words(row: Row, column: Column): string {
  const { text, ratio: times, confidence } = showFigure(row, column, "throughput");
  return [text, times, confidence].filter((part) => part !== null).join(", ");
}

function draw(columns: readonly Column[], rows: readonly Row[], top: number, { narrow, scale }: Variant) {
  const { divisor, name } = rateUnit(top);
  const unit = (value: number) => value / divisor;
  const labels = rows.map(({ info }) => shorten(info.title, narrow ? 44 : 34));
  const smallest = Math.min(
    ...rows
      .flatMap(({ cells }) => cells.map((cell) => cell.estimates.throughput?.value ?? top))
      .filter((v) => v > 0),
  );
  const group = columns.length * BAR + (narrow ? 36 : 14);
  const lowest = scale === "log" ? 10 ** Math.floor(Math.log10(unit(smallest)) - 0.01) : 0;
  return {
    height: rows.length * group + 60,
    tip: (series: number, item: number) => {
      const [column, row] = [columns[series], rows[item]];
      return column && row ? `${column.label}, ${row.info.title}: ${words(row, column)}` : undefined;
    },
    option: {
      grid: { left: narrow ? 8 : 250, right: narrow ? 64 : 110, top: 34, bottom: 8, containLabel: false },
      xAxis: { ...rateAxis(name, narrow), type: scale === "log" ? "log" : "value", min: lowest },
      yAxis: narrow ? nameAxis(labels) : nameAxis(labels, caseLabel),
      series: [
        ...columns.map((column) => barsOf(rows, column, (row) => barItem(row, column, unit, scale, narrow))),
        ...columns.map((column) => whiskersOf(rows, column, columns.length, unit, smallest / 2)),
        ...(narrow ? [headings(labels, group)] : []),
      ],
    },
  };
}

function rateAxis(name: string, narrow: boolean) {
  return {
    ...axisLook(name),
    position: "top",
    nameLocation: "end",
    nameTextStyle: {
      color: ink("muted"),
      fontSize: 12,
      align: "left",
      verticalAlign: "bottom",
      padding: [0, 0, 6, 6],
    },
    splitNumber: narrow ? 3 : 6,
  };
}

function barsOf(rows: readonly Row[], { label, index }: Column, item: (row: Row) => object) {
  return {
    type: "bar",
    name: label,
    ...still,
    barWidth: BAR - 3,
    barGap: "20%",
    itemStyle: barLook(index),
    data: rows.map(item),
  };
}

/** @param least Smallest value to draw: an interval may reach 0, which a logarithmic axis lacks */
function whiskersOf(
  rows: readonly Row[],
  { index }: Column,
  columns: number,
  unit: (value: number) => number,
  least: number,
) {
  return {
    type: "custom",
    ...still,
    z: 5,
    encode: { x: [1, 2], y: 0 },
    data: rows.flatMap((row, at) => {
      const interval = row.cells[index]?.estimates.throughput?.interval;
      return interval ? [[at, unit(Math.max(interval.low, least)), unit(interval.high)]] : [];
    }),
    renderItem: (_: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI) =>
      whisker(api, index, columns),
  };
}

function barItem(row: Row, column: Column, unit: (value: number) => number, scale: string, narrow: boolean) {
  const found = row.cells[column.index]?.estimates.throughput;
  const times = ratioToBaseline(row, column, "throughput");
  const note = times === null || narrow ? "" : `  ${ratio(times)}`;
  const text = found ? `${formatBitRate(found.value)}${note}` : showFigure(row, column, "throughput").text;
  const value = found === undefined || (scale === "log" && found.value <= 0) ? "-" : unit(found.value);
  return {
    value,
    label: {
      show: true,
      position: "right",
      distance: found?.interval ? 14 : 5,
      formatter: () => (found ? text : ""),
      color: columnInk(column.index),
      fontSize: 11,
      ...halo,
    },
  };
}

/** A whisker at the middle of its bar: a category's bars are centred on it. */
function whisker(api: CustomSeriesRenderItemAPI, index: number, count: number) {
  const low = api.coord([api.value(1), api.value(0)]);
  const high = api.coord([api.value(2), api.value(0)]);
  const step = (BAR - 3) * 1.2;
  const y = (low[1] ?? 0) + (index - (count - 1) / 2) * step;
  const [x1, x2] = [low[0] ?? 0, high[0] ?? 0];
  const style = { stroke: columnInk(index), lineWidth: 1.5, fill: "none" };
  const line = (shape: object) => ({ type: "line", shape, style, silent: true });
  return {
    type: "group",
    children: [
      line({ x1, y1: y, x2, y2: y }),
      line({ x1, y1: y - 4, x2: x1, y2: y + 4 }),
      line({ x1: x2, y1: y - 4, x2, y2: y + 4 }),
    ],
  };
}
