/** Heat map of UDP loss: topologies as rows, rates and streams as columns; hatched where a run failed. */
import { formatPercent } from "../../bench/plan/quantities.ts";
import type { Cell, Comparison, Row } from "../comparison/comparison.ts";
import { axisLook, type Chart, drawChart, shorten, still, type Variant } from "./chart.ts";
import { type Ink, ink } from "./palette.ts";

/**
 * Loss bounds, in percent, of good and fair paths: Microsoft's targets for calls, in any 15 s, from a customer's edge and from a
 * client. Source: https://learn.microsoft.com/skypeforbusiness/optimizing-your-network/media-quality-and-network-connectivity-performance
 */
const GOOD_BELOW_PERCENT = 0.1;
const FAIR_BELOW_PERCENT = 1;

export type LossBand = "good" | "fair" | "poor";

/** Rating of a loss; a negative one, which reordering can cause, is good. */
export function lossBand(percent: number): LossBand {
  return percent < GOOD_BELOW_PERCENT ? "good" : percent < FAIR_BELOW_PERCENT ? "fair" : "poor";
}

/** @returns null when no case measured loss. */
export function lossChart(comparison: Comparison): Chart | null {
  const rows = comparison.rows.filter(
    ({ info, cells }) =>
      info.protocol === "udp" &&
      cells.some(({ estimates, status }) => estimates.loss !== undefined || status === "failed"),
  );
  if (rows.length === 0) {
    return null;
  }
  const { columns } = comparison;
  return drawChart({
    id: "loss",
    title: "UDP loss",
    description:
      `Loss of each topology at each rate and number of streams. Good (+): below ${GOOD_BELOW_PERCENT} %; ` +
      `fair (~): below ${FAIR_BELOW_PERCENT} %; poor (!): more, by Microsoft's targets for calls. A crossed tile (x): the case failed; an empty tile: not measured.`,
    columns: [],
    scales: ["linear"],
    wideOnly: columns.length > MOST_NARROW,
    table: {
      head: ["Case", ...columns.map(({ label }) => label)],
      rows: rows.map(({ info, cells }) => [info.title, ...cells.map((cell) => words(cell))]),
    },
    draw: (variant) => draw(comparison, rows, variant),
  });
}

/** Most topologies for which a phone's cells have room for a figure. */
const MOST_NARROW = 5;

const signs: Readonly<Record<LossBand, string>> = { good: "+", fair: "~", poor: "!" };

function words({ estimates, status, failure }: Cell): string {
  if (estimates.loss === undefined) {
    return status === "failed" ? `died: ${failure?.class ?? "unknown"}` : "not measured";
  }
  return `${formatPercent(estimates.loss.value)}, ${lossBand(estimates.loss.value)}`;
}

/** Topologies go down the side on wide screens; on narrow ones across the top, if they are fewer than the cases. */
function draw({ columns }: Comparison, rows: readonly Row[], { narrow }: Variant) {
  const cases = rows.map(({ info }) =>
    caseLabel(info.title, narrow ? null : Math.max(15, Math.floor(110 / rows.length))),
  );
  const topologies = columns.map(({ label }) => shorten(label, narrow ? 12 : 24));
  const [across, down] = narrow ? [topologies, cases] : [cases, topologies];
  const cells = rows.flatMap((row, at) =>
    columns.map((column) => ({
      place: narrow ? [column.index, at] : [at, column.index],
      cell: row.cells[column.index] as Cell,
      words: `${column.label}, ${row.info.title}: ${words(row.cells[column.index] as Cell)}`,
    })),
  );
  const rowHeight = narrow ? 34 : 44;
  const head = narrow ? 74 : 84;
  return {
    height: head + down.length * rowHeight + 8,
    tip: (_: number, item: number) => cells[item]?.words,
    option: {
      grid: { left: narrow ? 136 : 150, right: narrow ? 6 : 10, top: head, bottom: 6 },
      xAxis: categories(across, { position: "top", lineHeight: 15, ...(narrow ? { rotate: 40 } : {}) }),
      yAxis: categories(down, { inverse: true, width: narrow ? 120 : 140, overflow: "break" }),
      series: [
        {
          type: "scatter",
          ...still,
          symbol: "rect",
          symbolSize: [(narrow ? 258 : 800) / across.length - 3, rowHeight - 3],
          data: cells.map(({ place, cell }) => ({ value: place, ...look(cell, narrow) })),
        },
      ],
    },
  };
}

/** One part per line within a width in letters; null: all on one line, for narrow screens. */
function caseLabel(title: string, width: number | null): string {
  const short = title.replace(/^UDP /, "").replace(/ streams$/, "");
  return width === null
    ? shorten(short.replace(", ", " "), 36).replace(/ × (?=\S+( \S+)?$)/, "\n× ")
    : short
        .replace(/ × (?=\d+$)/, ", × ")
        .split(/, | × (?=.*\/s)/)
        .map((part) => shorten(part, width))
        .join("\n");
}

function categories(data: readonly string[], { position, inverse, ...label }: Record<string, unknown>) {
  return {
    ...axisLook(""),
    type: "category",
    data,
    ...(position === undefined ? {} : { position }),
    ...(inverse === undefined ? {} : { inverse }),
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: false },
    axisLabel: { color: ink("text"), fontSize: 12, interval: 0, ...label },
  };
}

function look(cell: Cell, narrow: boolean) {
  const loss = cell.estimates.loss?.value;
  const band = loss === undefined ? null : lossBand(loss);
  const died = cell.status === "failed" && loss === undefined;
  const short = loss === undefined ? "" : loss >= 99.95 ? "100" : loss < 0.01 ? "<0.01" : loss.toPrecision(2);
  const fill: Ink = band ?? "surface";
  return {
    itemStyle: {
      color: ink(fill),
      borderColor: ink(died ? "muted" : "grid"),
      borderWidth: 1,
      borderType: died ? "dashed" : "solid",
    },
    label: {
      show: band !== null || died,
      formatter: () => (band === null ? "✕" : loss === 0 ? "0 %" : `${signs[band]} ${short}`),
      color: ink("text"),
      fontSize: narrow ? 11 : 12,
    },
  };
}
