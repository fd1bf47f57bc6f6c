/** Draws a figure over its runs: a line per topology, intervals as whiskers, changes of level as steps. */
import { figures } from "../../../bench/figures/index.ts";
import { axisLook, type Chart, drawChart, rateUnit, still, whiskers } from "../../../report/charts/chart.ts";
import { lineLook } from "../../../report/charts/palette.ts";
import { timeOf } from "../../../report/text/format.ts";
import { type Point, pointText, type Series } from "./series.ts";

const HEIGHT = 260;

/** Draws the same figure of several topologies. */
export function trendChart(id: string, title: string, series: readonly Series[]): Chart {
  const [first] = series;
  const figure = figures[first?.figure ?? "throughput"];
  const top = Math.max(0, ...series.flatMap(({ points }) => points.flatMap(({ value }) => value ?? [])));
  const { divisor, name } =
    figure.unit === "bit/s" ? rateUnit(top) : { divisor: 1, name: figure.unit === "us" ? "µs" : figure.unit };
  const say = ({ interval, ...point }: Point) =>
    `${pointText(first?.figure ?? "throughput", point)}${
      interval === null ? "" : ` (${figure.format(interval.low)} to ${figure.format(interval.high)})`
    }`;
  return drawChart({
    id,
    title,
    description: `${figure.label} of each run, with its 95 % interval where it was repeated; a thin line is the level between changes.`,
    columns: series.map((_, index) => index),
    scales: ["linear"],
    table: {
      head: ["Topology", "Run", "Started", figure.label, "Changed"],
      rows: series.flatMap(({ topology, points }) =>
        points.map((point) => [
          topology,
          point.runId,
          timeOf(point.at),
          say(point),
          point.changed.join("; "),
        ]),
      ),
    },
    draw: () => ({
      height: HEIGHT,
      tip: (at: number, item: number) => {
        // Each topology has three series: its line, its whiskers and its levels.
        const one = series[Math.floor(at / 3)];
        const point = at % 3 === 0 ? one?.points[item] : undefined;
        return one && point ? `${one.topology}, ${timeOf(point.at)}: ${say(point)}` : undefined;
      },
      option: {
        grid: { left: 64, right: 16, top: 34, bottom: 34 },
        useUTC: true,
        xAxis: {
          ...axisLook(""),
          type: "time",
          axisLabel: { ...axisLook("").axisLabel, formatter: tickFormat(series), hideOverlap: true },
        },
        yAxis: { ...axisLook(name), type: "value", min: 0 },
        series: series.flatMap(({ points, changes }, index) => {
          const scaled = (value: number | null) => (value === null ? null : value / divisor);
          return [
            {
              ...{ type: "line", ...still, ...lineLook(index) },
              ...{
                symbolSize: 5,
                showAllSymbol: true,
                data: points.map(({ at, value }) => [at, scaled(value)]),
              },
            },
            whiskers(
              index,
              points.flatMap(({ at, interval }) =>
                interval === null ? [] : [[at, scaled(interval.low), scaled(interval.high)]],
              ),
            ),
            levels(index, points, changes ?? [], scaled),
          ];
        }),
      },
    }),
  });
}

/** Ticks of runs within three days have the time of day, since several fall on one day. */
function tickFormat(series: readonly Series[]): string {
  const times = series.flatMap(({ points }) => points.map(({ at }) => Date.parse(at)));
  return Math.max(...times) - Math.min(...times) < 3 * 86_400_000
    ? "{MM}-{dd} {HH}:{mm}"
    : "{yyyy}-{MM}-{dd}";
}

/** The level before and after each change; empty without changes. */
function levels(
  index: number,
  points: readonly Point[],
  changes: NonNullable<Series["changes"]>,
  scaled: (value: number | null) => number | null,
) {
  const steps = changes.flatMap(({ from, at, to, before, after }, place) => [
    ...(place === 0 ? [[points[from]?.at, scaled(before)]] : []),
    [points[at]?.at, scaled(before)],
    [points[at]?.at, scaled(after)],
    [points[to - 1]?.at, scaled(after)],
  ]);
  const look = lineLook(index);
  return {
    type: "line",
    ...still,
    ...{ symbol: "none", data: steps, lineStyle: { ...look.lineStyle, width: 1, type: "solid" } },
  };
}
