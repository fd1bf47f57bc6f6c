/**
 * The charts of all cases, and each case second by second.
 *
 * @module
 */
import { latencyCharts } from "../charts/latency.ts";
import { lossChart } from "../charts/loss.ts";
import { seriesCharts } from "../charts/series.ts";
import { streamCharts, streamRows } from "../charts/streams.ts";
import { throughputChart } from "../charts/throughput.ts";
import type { Comparison, Row } from "../comparison/comparison.ts";
import { verdictFigures } from "../comparison/verdict.ts";
import type { Report } from "../report.ts";
import { escapeHtml } from "../text/escape.ts";
import { figure } from "./parts.ts";

/** The charts that compare topologies. */
export function pictures({ comparison, limit }: Report): string {
  const { columns } = comparison;
  const charts = [
    throughputChart(comparison, plainRows(comparison)),
    ...latencyCharts(comparison),
    lossChart(comparison),
    ...streamCharts(comparison, limit),
  ].filter((chart) => chart !== null);
  return charts.map((chart) => figure(chart, columns)).join("");
}

/** A chart a case; the first one is open. */
export function seconds({ comparison }: Report): string {
  const rows = comparison.large ? decidingRows(comparison) : plainRows(comparison);
  const perCase = seriesCharts(comparison, rows).map(
    (chart, index) =>
      `<details class="case"${index === 0 ? " open" : ""}><summary>${escapeHtml(chart.title)}</summary>${figure(chart, comparison.columns)}</details>`,
  );
  return perCase.length === 0 ? "" : secondsNote(comparison, rows) + perCase.join("");
}

function secondsNote({ rows }: Comparison, shown: readonly Row[]): string {
  const swept = rows.length - shown.length;
  const counted = shown.some(({ cells }) =>
    cells.some(({ repetitions }) =>
      repetitions.some(({ hosts }) => hosts.some(({ network }) => network !== null)),
    ),
  );
  const notes = [
    ...(counted ? [] : ["Packets and drops of network interfaces: not measured."]),
    ...(swept === 0 ? [] : [`${swept} other cases are left out here; their seconds are in the results.`]),
  ];
  return notes.length === 0 ? "" : `<p class="note">${notes.join(" ")}</p>`;
}

/** Cases that no sweep chart shows: at most one stream count and rate of each kind. */
function plainRows(comparison: Comparison): Row[] {
  const swept = new Set(
    (["egress", "ingress"] as const).flatMap((direction) => streamRows(comparison, direction).slice(1)),
  );
  const floods = comparison.rows.filter(({ info }) => info.protocol === "udp" && (info.streams ?? 1) > 1);
  return comparison.rows.filter((row) => !swept.has(row) && !floods.includes(row));
}

/** The measured figures that a large report draws. */
function decidingRows(comparison: Comparison): Row[] {
  return [...new Set(verdictFigures(comparison).map(({ row }) => row))];
}
