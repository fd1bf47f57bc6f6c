/** One-second series of a case: throughput, lost or retransmitted packets, and CPU of each host, stacked. */
import { formatBitRate, formatPercent } from "../../bench/plan/quantities.ts";
import type { CaseResult, Role } from "../../bench/results/index.ts";
import type { Column, Comparison, Row } from "../comparison/comparison.ts";
import { count } from "../text/format.ts";
import { axisLook, type Chart, drawChart, rateUnit, still, type Variant } from "./chart.ts";
import { ink, lineLook } from "./palette.ts";

type Point = readonly [seconds: number, value: number];

interface Panel {
  readonly name: string;
  readonly format: (value: number) => string;
  readonly divisor: number;
  readonly lines: readonly { readonly column: Column; readonly points: readonly Point[] }[];
}

/** One chart for each case with a second-by-second rate. */
export function seriesCharts(comparison: Comparison, rows: readonly Row[]): Chart[] {
  return rows.flatMap((row, index) => {
    const panels = panelsOf(comparison, row);
    return panels[0]?.name.startsWith("Throughput")
      ? [seriesChart(row, index, panels, !comparison.large)]
      : [];
  });
}

function panelsOf({ columns }: Comparison, row: Row): Panel[] {
  const panel = (
    name: string,
    format: Panel["format"],
    divisor: number,
    read: (result: CaseResult) => Point[],
  ) => {
    const lines = columns.flatMap((column) => {
      const result = row.cells[column.index]?.repetitions.find(({ measurement }) => measurement);
      const points = result ? read(result) : [];
      return points.length === 0 ? [] : [{ column, points }];
    });
    return { name, format, divisor, lines };
  };
  const rate = panel("Throughput", formatBitRate, 1, (result) => interval(result, "bitsPerSecond"));
  const top = Math.max(0, ...rate.lines.flatMap(({ points }) => points.map(([, value]) => value)));
  const unit = rateUnit(top);
  return [
    { ...rate, name: `Throughput, ${unit.name}`, divisor: unit.divisor },
    panel("Retransmits a second", String, 1, (result) => interval(result, "retransmits")),
    panel("Lost datagrams a second", String, 1, (result) => interval(result, "lostPackets")),
    panel("CPU of client, %", formatPercent, 1, (result) => cpu(result, "client")),
    panel("CPU of NAT instance, %", formatPercent, 1, (result) => cpu(result, "nat")),
    panel("CPU of server, %", formatPercent, 1, (result) => cpu(result, "server")),
    ...observedRoles.flatMap(([role, name]) => [
      panel(`Packets a second of ${name}, in and out`, count, 1, (result) => packets(result, role)),
      panel(`Drops a second at interfaces of ${name}`, count, 1, (result) => drops(result, role)),
    ]),
  ].filter(({ lines }) => lines.length > 0);
}

function interval(
  { measurement }: CaseResult,
  key: "bitsPerSecond" | "retransmits" | "lostPackets",
): Point[] {
  return (measurement?.series ?? []).flatMap((second): Point[] => {
    const value = second[key];
    return value === null ? [] : [[second.startSeconds, value]];
  });
}

/** Samples by seconds since the case's start; they have clock times. */
function timed<T extends { readonly at: string }>(
  { startedAt }: CaseResult,
  samples: readonly T[] = [],
  read: (sample: T) => number | null,
): Point[] {
  const start = Date.parse(startedAt ?? "");
  return samples.flatMap((sample): Point[] => {
    const [seconds, value] = [(Date.parse(sample.at) - start) / 1000, read(sample)];
    return value === null || !Number.isFinite(seconds) ? [] : [[seconds, value]];
  });
}

const hostOf = ({ hosts }: CaseResult, role: Role) => hosts.find((host) => host.role === role);

function cpu(result: CaseResult, role: Role): Point[] {
  return timed(result, hostOf(result, role)?.cpu?.series, ({ busyPercent }) => busyPercent);
}

const observedRoles = [
  ["client", "client"],
  ["nat", "NAT instance"],
  ["server", "server"],
] as const satisfies (readonly [Role, string])[];

function packets(result: CaseResult, role: Role): Point[] {
  const { series } = hostOf(result, role)?.network ?? {};
  return timed(result, series, (second) => second.receivedPacketsPerSecond + second.sentPacketsPerSecond);
}

/** Empty without drops: a flat line at 0 shows nothing. */
function drops(result: CaseResult, role: Role): Point[] {
  const points = timed(result, hostOf(result, role)?.network?.series, (second) => second.drops);
  return points.some(([, value]) => value > 0) ? points : [];
}

/** @param marked Whether points have marks with their values. */
function seriesChart(row: Row, index: number, panels: readonly Panel[], marked: boolean): Chart {
  const columns = [...new Set(panels.flatMap(({ lines }) => lines.map(({ column }) => column.index)))];
  return drawChart({
    id: `series-${index}`,
    title: `Second by second: ${row.info.title}`,
    description: `One below the other, over the seconds of the case: ${panels.map(({ name }) => name).join("; ")}.${noDrops(row)}`,
    columns,
    scales: ["linear"],
    wideOnly: !marked,
    table: {
      head: ["Topology", "Figure", "lowest", "mean", "highest", "seconds"],
      rows: panels.flatMap(({ name, format, lines }) =>
        lines.map(({ column, points }) => {
          const values = points.map(([, value]) => value);
          const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
          return [
            column.label,
            name,
            ...[Math.min(...values), mean, Math.max(...values)].map((v) => format(round(v))),
            String(values.length),
          ];
        }),
      ),
    },
    draw: (variant) => draw(panels, variant, marked),
  });
}

function noDrops({ cells }: Row): string {
  const counted = cells.flatMap(({ repetitions }) =>
    repetitions.flatMap(({ hosts }) => hosts.flatMap((host) => host.network?.series ?? [])),
  );
  return counted.length > 0 && counted.every((second) => second.drops === 0)
    ? " No interface dropped a packet."
    : "";
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** `480k`: short, as there is little room beside a panel. */
function shortCount(value: number): string {
  return value >= 1e6 ? `${value / 1e6}M` : value >= 1e4 ? `${value / 1e3}k` : String(value);
}

const PANEL = 120;

/** Space above 100 %, so that a busy CPU's line stays clear of the frame. */
const percentAxis = {
  max: 110,
  interval: 50,
  axisLabel: { color: ink("text"), fontSize: 12, showMaxLabel: false },
  splitLine: { lineStyle: { color: ink("grid") }, showMaxLine: false },
};

type PlacedLine = Panel["lines"][number] & { readonly panel: Panel; readonly at: number };

function draw(panels: readonly Panel[], { narrow }: Variant, marked: boolean) {
  const lines = panels.flatMap((panel, at) => panel.lines.map((line) => ({ ...line, panel, at })));
  const end = Math.ceil(Math.max(...lines.flatMap(({ points }) => points.map(([seconds]) => seconds))));
  return {
    height: panels.length * PANEL + 40,
    tip: (series: number, item: number) => {
      const line = lines[series];
      const point = line?.points[item];
      return line && point
        ? `${line.column.label}, ${line.panel.name.split(",")[0]} at ${Math.round(point[0])} s: ${line.panel.format(round(point[1]))}`
        : undefined;
    },
    option: {
      grid: panels.map((_, at) => ({ left: 52, right: 16, top: at * PANEL + 34, height: PANEL - 46 })),
      xAxis: panels.map((_, at) => secondsAxis(at, at === panels.length - 1, end)),
      yAxis: panels.map((panel, at) => ({ ...valueAxis(panel, at), splitNumber: narrow ? 2 : 3 })),
      series: lines.map((line) => seriesOf(line, marked)),
    },
  };
}

/** Time axis; all panels share the seconds, and the last one labels them. */
function secondsAxis(at: number, last: boolean, end: number) {
  return {
    ...axisLook(last ? "seconds" : ""),
    nameLocation: "middle",
    nameGap: 24,
    gridIndex: at,
    type: "value",
    min: 0,
    max: end,
    axisLabel: { show: last, color: ink("text"), fontSize: 12 },
  };
}

function valueAxis({ name }: Panel, at: number) {
  return {
    ...axisLook(name),
    nameTextStyle: { color: ink("text"), fontSize: 12, align: "left", padding: [0, 0, 0, -44] },
    nameGap: 10,
    gridIndex: at,
    type: "value",
    min: 0,
    axisLabel: { color: ink("text"), fontSize: 12, formatter: shortCount },
    ...(name.endsWith("%") ? percentAxis : {}),
  };
}

function seriesOf({ column, panel, at, points }: PlacedLine, marked: boolean) {
  const look = lineLook(column.index);
  return {
    type: "line",
    ...still,
    ...look,
    // Marks on every line would multiply the page's size.
    symbol: marked && at === 0 && points.length <= 60 ? look.symbol : "none",
    symbolSize: 5,
    showAllSymbol: true,
    xAxisIndex: at,
    yAxisIndex: at,
    data: points.map(([seconds, value]) => [seconds, value / panel.divisor]),
  };
}
