/** The charts of all cases, and each case second by second. */
import { figures } from "../../bench/figures/index.ts";
import { latencyCharts } from "../charts/latency.ts";
import { lossChart } from "../charts/loss.ts";
import { seriesCharts } from "../charts/series.ts";
import { streamCharts, streamRows } from "../charts/streams.ts";
import { throughputChart } from "../charts/throughput.ts";
import type { Column, Comparison, Row } from "../comparison/comparison.ts";
import { verdictFigures } from "../comparison/verdict.ts";
import { type Block, fold, text } from "../document/document.ts";
import type { Report } from "../report.ts";
import { counted } from "../text/format.ts";

/** Most topologies of a chart: more would make an unreadable page of many megabytes. */
const MOST_DRAWN = 24;

/** The drawn part of a comparison: of many topologies the baseline, and the leaders in the first deciding figure. */
export function drawnOf(comparison: Comparison): Comparison {
  const { columns } = comparison;
  if (columns.length <= MOST_DRAWN) {
    return comparison;
  }
  const [deciding] = verdictFigures(comparison);
  const sign = deciding !== undefined && figures[deciding.metric].better === "lower" ? 1 : -1;
  const order = ({ index }: Column) => {
    const value = deciding?.row.cells[index]?.estimates[deciding.metric]?.value;
    return value === undefined ? Number.MAX_VALUE : sign * value;
  };
  const baseline = columns.find(({ index, baseline: of }) => of === index);
  const leading = columns.filter((one) => one !== baseline).toSorted((a, b) => order(a) - order(b));
  const drawn = [...(baseline === undefined ? [] : [baseline]), ...leading].slice(0, MOST_DRAWN);
  return { ...comparison, columns: drawn.toSorted((a, b) => a.index - b.index) };
}

/** A note on what pictures leave out; empty: nothing. */
export function leftOut({ columns }: Comparison): Block[] {
  return columns.length <= MOST_DRAWN
    ? []
    : [
        text(
          `Pictures show ${MOST_DRAWN} of ${columns.length} topologies: the baseline and those that lead. The tables have all.`,
          "note",
        ),
      ];
}

export function pictures({ comparison: all, limit }: Report): Block[] {
  const comparison = drawnOf(all);
  const charts = [
    throughputChart(comparison, plainRows(comparison)),
    ...latencyCharts(comparison),
    lossChart(comparison),
    ...streamCharts(comparison, limit),
  ].filter((chart) => chart !== null);
  const legend = comparison.columns;
  const drawn = charts.map((chart): Block => ({ kind: "chart", chart, legend }));
  return onPage(drawn, leftOut(all), "that compare the topologies");
}

/** Charts of the page with their notes; the Markdown says how many there are, and where. Nothing without charts. */
function onPage(charts: readonly Block[], notes: readonly Block[], what: string): Block[] {
  const where = text(`The report's HTML page has ${counted(charts.length, "chart")} ${what}.`);
  return charts.length === 0
    ? []
    : [{ kind: "page", blocks: () => [...notes, ...charts], markdown: [where] }];
}

/** One chart per case; the first one is open. */
export function seconds({ comparison: all }: Report): Block[] {
  const comparison = drawnOf(all);
  const rows = comparison.large
    ? [...new Set(verdictFigures(comparison).map(({ row }) => row))]
    : plainRows(comparison);
  const perCase = seriesCharts(comparison, rows).map((chart, index) =>
    fold(chart.title, [{ kind: "chart", chart, legend: comparison.columns }], index === 0),
  );
  return onPage(perCase, secondsNotes(comparison, rows), "of throughput, losses and CPU, second by second");
}

function secondsNotes({ rows }: Comparison, shown: readonly Row[]): Block[] {
  const swept = rows.length - shown.length;
  const hasNetwork = shown.some(({ cells }) =>
    cells.some(({ repetitions }) =>
      repetitions.some(({ hosts }) => hosts.some(({ network }) => network !== null)),
    ),
  );
  const notes = [
    ...(hasNetwork ? [] : ["Packets and drops of network interfaces: not measured."]),
    ...(swept === 0 ? [] : [`${counted(swept, "other case")} left out here; the results have every second.`]),
  ];
  return notes.length === 0 ? [] : [text(notes.join(" "), "note")];
}

/** Cases without a sweep chart: at most one stream count and rate of each kind. */
function plainRows(comparison: Comparison): Row[] {
  const swept = new Set(
    (["egress", "ingress"] as const).flatMap((direction) => streamRows(comparison, direction).slice(1)),
  );
  const floods = comparison.rows.filter(({ info }) => info.protocol === "udp" && (info.streams ?? 1) > 1);
  return comparison.rows.filter((row) => !swept.has(row) && !floods.includes(row));
}
