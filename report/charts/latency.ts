/** Percentiles of latency, one line per topology: the values of the tables, with their intervals. */
import { type Estimate, estimate } from "../../bench/figures/estimate.ts";
import type { FigureId } from "../../bench/figures/index.ts";
import { formatMicroseconds } from "../../bench/plan/quantities.ts";
import type { CaseResult, Latency, Repetitions } from "../../bench/results/index.ts";
import type { Column, Comparison, Row } from "../comparison/comparison.ts";
import { orMissing } from "../text/format.ts";
import { axisLook, type Chart, drawChart, still, type Variant, whiskers } from "./chart.ts";
import { lineLook } from "./palette.ts";

/** Positions of a line, from left to right. */
const places = [
  { name: "least", figure: "latencyMin", centre: "min" },
  { name: "p50", figure: "latencyP50", centre: "value" },
  { name: "p90", figure: "latencyP90", centre: "value" },
  { name: "p99", figure: "latencyP99", centre: "value" },
  { name: "p99.9", figure: "latencyP999", centre: "value" },
  { name: "most", figure: "latencyMax", centre: "max" },
] as const satisfies readonly {
  name: string;
  figure: FigureId;
  centre: "min" | "value" | "max";
}[];

export function latencyCharts(comparison: Comparison): Chart[] {
  return comparison.rows.flatMap((row, index) => {
    const lines = comparison.columns.flatMap((column) => lineOf(row, column) ?? []);
    return lines.length === 0 ? [] : [latencyChart(row, index, lines, comparison.large)];
  });
}

/** A value at one position; null: not measured. */
interface Mark {
  readonly value: number;
  readonly interval: Estimate["interval"];
}
interface Line {
  readonly column: Column;
  readonly kind: Latency["kind"];
  readonly marks: readonly (Mark | null)[];
  readonly mean: Mark | null;
  /** Null: repetitions' samples were not counted together. */
  readonly samples: number | null;
  /** Percentiles of the samples of all repetitions together. Null: measured once, or not kept. */
  readonly all: NonNullable<Repetitions["allLatencyUs"]> | null;
}

function lineOf(row: Row, column: Column): Line | null {
  const results = (row.cells[column.index]?.repetitions ?? []).filter(
    ({ measurement }) => measurement?.latencyUs != null,
  );
  const latency = results[0]?.measurement?.latencyUs ?? null;
  if (latency === null) {
    return null;
  }
  const once = results.length === 1 && results[0]?.repetitions === null;
  const all = results.length === 1 ? (results[0]?.repetitions?.allLatencyUs ?? null) : null;
  const { plan } = column.results;
  return {
    ...{ column, kind: latency.kind, all },
    marks: places.map(({ figure, centre }) => markOf(figure, centre, results, plan)),
    mean: markOf("latencyMean", "value", results, plan),
    samples: once ? latency.samples : (all?.samples ?? null),
  };
}

function markOf(
  figure: FigureId,
  centre: "min" | "value" | "max",
  results: readonly CaseResult[],
  plan: Column["results"]["plan"],
): Mark | null {
  const found = estimate(figure, results, plan);
  return found === null
    ? null
    : { value: found[centre], interval: centre === "value" ? found.interval : null };
}

/** `3.43 ms (0 µs to 15.4 ms)` */
function words(mark: Mark | null): string {
  const ends = mark?.interval ?? null;
  const span = ends === null ? "" : ` (${formatMicroseconds(ends.low)} to ${formatMicroseconds(ends.high)})`;
  return `${orMissing(mark?.value, formatMicroseconds)}${span}`;
}

const kinds = {
  "round-trip": "round-trip time",
  connect: "time to open a TCP connection",
  request: "time of an HTTPS request",
} as const satisfies Record<Latency["kind"], string>;

function latencyChart(row: Row, index: number, lines: readonly Line[], large: boolean): Chart {
  const kind = kinds[lines[0]?.kind ?? "round-trip"];
  const isRepeated = lines.some(({ marks }) => marks.some((mark) => mark?.interval));
  const how = isRepeated
    ? " With repetitions: the mean of each percentile and its 95 % interval, as in the tables."
    : "";
  return drawChart({
    id: `latency-${index}`,
    title: `Latency: ${row.info.title}`,
    description: `Percentiles of the ${kind}, one line per topology, from the fastest sample to the slowest.${how}`,
    columns: lines.map(({ column }) => column.index),
    scales: large ? ["log"] : ["log", "linear"],
    table: {
      head: ["Topology", ...places.map(({ name }) => name), "mean", "samples"],
      rows: lines.flatMap(({ column, marks, mean, samples, all }) => [
        [
          column.label,
          ...marks.map(words),
          words(mean),
          orMissing(samples, (n) => n.toLocaleString("en-US")),
        ],
        ...(all === null ? [] : [togetherRow(column, all)]),
      ]),
    },
    draw: (variant) => draw(lines, variant),
  });
}

/** The row for all repetitions' samples pooled, whose percentiles are not means of the repetitions' percentiles. */
function togetherRow({ label }: Column, all: NonNullable<Line["all"]>): string[] {
  const { samples, p50, p90, p99, p999, histogram } = all;
  return [
    `${label}, all samples together`,
    ...[histogram[0]?.[0], p50, p90, p99, p999, histogram.at(-1)?.[0]].map((value) =>
      orMissing(value, formatMicroseconds),
    ),
    "",
    samples.toLocaleString("en-US"),
  ];
}

function draw(lines: readonly Line[], { narrow, scale }: Variant) {
  const all = lines.flatMap(({ marks }) => marks.flatMap((mark) => mark ?? []));
  const values = all.map(({ value }) => value);
  const [divisor, unit] = Math.max(...values) >= 1000 ? [1000, "ms"] : [1, "µs"];
  const least = Math.min(...values.filter((value) => value > 0)) / divisor;
  const floor = scale === "log" ? 10 ** Math.floor(Math.log10(least)) : 0;
  const scaled = (value: number) => Math.max(floor, value / divisor);
  return {
    height: narrow ? 300 : 340,
    tip: (series: number, item: number) => {
      // The series of whiskers follow those of lines.
      const [line, place] = [lines[series], places[item]];
      return line && place
        ? `${line.column.label}, ${place.name}: ${words(line.marks[item] ?? null)}`
        : undefined;
    },
    option: {
      grid: { left: 56, right: 20, top: 40, bottom: 32 },
      xAxis: {
        ...axisLook(""),
        type: "category",
        data: places.map(({ name }) => name),
        boundaryGap: false,
      },
      yAxis: { ...axisLook(unit), type: scale === "log" ? "log" : "value", min: floor },
      series: [
        ...lines.map(({ column, marks }) => ({
          type: "line",
          name: column.label,
          ...still,
          ...lineLook(column.index),
          symbolSize: 9,
          data: marks.map((mark) => (mark === null ? "-" : mark.value / divisor)),
        })),
        ...lines.map(({ column, marks }) =>
          whiskers(
            column.index,
            marks.flatMap((mark, place) =>
              mark?.interval ? [[place, scaled(mark.interval.low), scaled(mark.interval.high)]] : [],
            ),
          ),
        ),
      ],
    },
  };
}
