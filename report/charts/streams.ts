/** Throughput by number of parallel TCP streams, with the peak marked. */
import { formatBitRate } from "../../bench/plan/quantities.ts";
import type { Column, Comparison, Row } from "../comparison/comparison.ts";
import { axisLook, type Chart, drawChart, halo, rateUnit, shorten, still, type Variant } from "./chart.ts";
import { columnInk, ink, lineLook } from "./palette.ts";

/** A machine limit that a cloud publishes, drawn as a horizontal line. */
export interface PublishedLimit {
  readonly bitsPerSecond: number;
  readonly label: string;
}

interface Point {
  readonly streams: number;
  readonly bitsPerSecond: number;
}

interface Line {
  readonly column: Column;
  readonly points: readonly Point[];
  readonly peak: Point;
}

/** One chart for each direction that was measured with several numbers of streams. */
export function streamCharts(comparison: Comparison, limit: PublishedLimit | null): Chart[] {
  const swept = (["egress", "ingress"] as const).flatMap((direction) => {
    const rows = streamRows(comparison, direction);
    const lines = comparison.columns.flatMap((column) => {
      const points = pointsOf(rows, column);
      const peak = highest(points);
      return peak === null ? [] : [{ column, points, peak }];
    });
    return streamChart(`streams-${direction}`, `TCP ${direction}`, lines, limit, comparison.large);
  });
  return [...swept, ...searchCharts(comparison, limit)];
}

function searchCharts({ columns, rows, large }: Comparison, limit: PublishedLimit | null): Chart[] {
  return rows.flatMap((row, index) => {
    const lines = columns.flatMap((column) => searchLine(row, column) ?? []);
    return streamChart(`streams-search-${index}`, row.info.title, lines, limit, large);
  });
}

/** The trials of a search; a repeated stream count shows its best. */
function searchLine({ cells }: Row, column: Column): Line | null {
  const search = cells[column.index]?.repetitions.find(({ measurement }) => measurement)?.measurement?.search;
  if (search?.goal !== "peak") {
    return null;
  }
  const best = new Map<number, number>();
  for (const { streams, receivedBitsPerSecond } of search.trials) {
    if (receivedBitsPerSecond !== null) {
      best.set(streams, Math.max(receivedBitsPerSecond, best.get(streams) ?? 0));
    }
  }
  const points = [...best]
    .map(([streams, bitsPerSecond]) => ({ streams, bitsPerSecond }))
    .sort((a, b) => a.streams - b.streams);
  const peak = points.find(({ streams }) => streams === search.found) ?? highest(points);
  return peak === null ? null : { column, points, peak };
}

function highest(points: readonly Point[]): Point | null {
  return points.reduce<Point | null>(
    (best, point) => (point.bitsPerSecond > (best?.bitsPerSecond ?? 0) ? point : best),
    null,
  );
}

/** Unlimited TCP cases of one pair and direction, if their numbers of streams differ. */
export function streamRows({ rows }: Comparison, direction: string): readonly Row[] {
  const found = rows.filter(
    ({ info }) =>
      info.protocol === "tcp" &&
      info.direction === direction &&
      info.streams !== null &&
      info.pairs === null &&
      info.bitsPerSecond === null,
  );
  return new Set(found.map(({ info }) => info.streams)).size > 1 ? found : [];
}

function pointsOf(rows: readonly Row[], column: Column): Point[] {
  return rows
    .flatMap(({ info, cells }) => {
      const found = cells[column.index]?.estimates.throughput;
      return found === undefined || info.streams === null
        ? []
        : [{ streams: info.streams, bitsPerSecond: found.value }];
    })
    .sort((a, b) => a.streams - b.streams);
}

/** Empty without lines. */
function streamChart(
  id: string,
  what: string,
  lines: readonly Line[],
  limit: PublishedLimit | null,
  large: boolean,
): Chart[] {
  if (lines.length === 0) {
    return [];
  }
  const counts = [...new Set(lines.flatMap(({ points }) => points.map(({ streams }) => streams)))].sort(
    (a, b) => a - b,
  );
  const peaks = lines.map(
    ({ column, peak }) =>
      `${column.label} peaks at ${formatBitRate(peak.bitsPerSecond)} with ${peak.streams} streams`,
  );
  const chart = drawChart({
    id,
    title: `Streams and throughput: ${what}`,
    description: `${peaks.join("; ")}.${limit ? ` Dashed across: ${limit.label}, ${formatBitRate(limit.bitsPerSecond)}.` : ""}`,
    columns: lines.map(({ column }) => column.index),
    scales: large ? ["linear"] : ["linear", "log"],
    table: {
      head: ["Streams", ...lines.map(({ column }) => column.label)],
      rows: counts.map((count) => [String(count), ...lines.map((line) => at(line, count))]),
    },
    draw: (variant) => draw(lines, counts, limit, variant),
  });
  return [chart];
}

function at({ points, peak }: Line, count: number): string {
  const point = points.find(({ streams }) => streams === count);
  return point === undefined
    ? "not measured"
    : `${formatBitRate(point.bitsPerSecond)}${point === peak ? " (peak)" : ""}`;
}

function draw(
  lines: readonly Line[],
  counts: readonly number[],
  limit: PublishedLimit | null,
  { narrow, scale }: Variant,
) {
  const rates = lines.flatMap(({ points }) => points.map(({ bitsPerSecond }) => bitsPerSecond));
  const top = Math.max(...rates);
  const { divisor, name } = rateUnit(top);
  const lowest = scale === "log" ? 10 ** Math.floor(Math.log10(Math.min(...rates) / divisor)) : 0;
  return {
    height: narrow ? 300 : 340,
    tip: (series: number, item: number) => tip(lines[series], item),
    option: {
      grid: { left: 56, right: 30, top: 40, bottom: 44 },
      xAxis: {
        ...axisLook("streams"),
        nameLocation: "middle",
        nameGap: 26,
        type: "category",
        data: counts.map(String),
      },
      yAxis: {
        ...axisLook(name),
        type: scale === "log" ? "log" : "value",
        min: lowest,
        ...(limit === null ? {} : { max: including(limit.bitsPerSecond / divisor) }),
      },
      series: lines.map((line, index) => ({
        ...lineOf(line, divisor, index % 2 === 1 && line.peak.bitsPerSecond > top / 4),
        ...(limit === null || index > 0 ? {} : { markLine: limitLine(limit, divisor) }),
      })),
    },
  };
}

function tip(line: Line | undefined, item: number): string | undefined {
  const point = line?.points[item];
  return line && point
    ? `${line.column.label}, ${point.streams} streams: ${at(line, point.streams)}`
    : undefined;
}

/** Adds the limit to the data, so that the axis includes it. */
function including(limit: number) {
  return ({ max }: { max: number }) => Math.ceil(Math.max(max, limit));
}

/** @param beneath Whether the peak's label is below: neighbouring labels must not overlap, nor labels and axis. */
function lineOf({ column, points, peak }: Line, divisor: number, beneath: boolean) {
  return {
    type: "line",
    ...still,
    ...lineLook(column.index),
    symbolSize: 9,
    data: points.map((point) => ({
      value: [String(point.streams), point.bitsPerSecond / divisor],
      label: {
        show: point === peak,
        position: beneath ? "bottom" : "top",
        formatter: () => `peak ${formatBitRate(peak.bitsPerSecond)}`,
        color: columnInk(column.index),
        fontSize: 12,
        ...halo,
      },
    })),
  };
}

function limitLine(limit: PublishedLimit, divisor: number) {
  return {
    silent: true,
    symbol: "none",
    lineStyle: { color: ink("accent"), type: "dashed", width: 1.5 },
    label: {
      formatter: () => shorten(limit.label, 40),
      position: "insideStartTop",
      color: ink("text"),
      fontSize: 12,
      ...halo,
    },
    data: [{ yAxis: limit.bitsPerSecond / divisor }],
  };
}
