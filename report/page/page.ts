/**
 * The report as one HTML file: no request leaves it, and it is complete without script.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { costChart } from "../charts/cost.ts";
import { latencyCharts } from "../charts/latency.ts";
import { lossChart } from "../charts/loss.ts";
import { seriesCharts } from "../charts/series.ts";
import { streamCharts, streamRows } from "../charts/streams.ts";
import { throughputChart } from "../charts/throughput.ts";
import type { Comparison, Row } from "../comparison/comparison.ts";
import { verdictSentences } from "../comparison/verdict.ts";
import { publishedConditions } from "../published/published.ts";
import type { Report } from "../report.ts";
import { hostsTable, runsTable } from "../tables/condition-tables.ts";
import { natLimitsTable } from "../tables/nat-limits.ts";
import * as tables from "../tables/tables.ts";
import { escapeHtml } from "../text/escape.ts";
import { count } from "../text/format.ts";
import { chooser, figure, list, table } from "./parts.ts";
import { script } from "./script.ts";
import { styleSheet } from "./style.ts";

/** The whole page. */
export function toHtml(report: Report): string {
  const { comparison, problems } = report;
  const style = styleSheet(comparison.columns.length);
  // Nothing may be loaded or run but this very style sheet and script, whatever results hold.
  const policy = `default-src 'none'; img-src data:; style-src '${hash(style)}'; script-src '${hash(script)}'; base-uri 'none'; form-action 'none'`;
  const body =
    comparison.columns.length === 0
      ? "<p>There is nothing to show: no usable results.</p>"
      : [
          verdict(report),
          pictures(report),
          cost(report),
          published(report),
          natLimits(report),
          cases(report),
          conditions(report),
        ].join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title(comparison))}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header><h1>Which way out of a private subnet?</h1>
<p class="sub">${escapeHtml(title(comparison))}. Made ${escapeHtml(report.madeAt)} by egress-bench.</p></header>
<main>${problemBox(problems)}${body}</main>
<script>${script}</script>
</body>
</html>
`;
}

function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function title({ columns }: Comparison): string {
  const stacks = [...new Set(columns.map(({ results }) => `${results.stack} (${results.cloud})`))];
  return stacks.length === 0 ? "Egress comparison" : `Egress comparison: ${stacks.join(", ")}`;
}

function problemBox(problems: readonly string[]): string {
  return problems.length === 0
    ? ""
    : `<section class="problems" aria-label="Problems"><h2>Could not be used or compared</h2>${list(problems)}</section>`;
}

function section(id: string, heading: string, content: string): string {
  return content === "" ? "" : `<section id="${id}"><h2>${escapeHtml(heading)}</h2>${content}</section>`;
}

function verdict(report: Report): string {
  const { comparison, costs, usage } = report;
  const failures = tables.failuresTable(report);
  const notes = [...new Set(comparison.columns.flatMap(({ results }) => results.notes))];
  const caption = `Receiver's figures. Cost at ${count(usage.gbIn)} GB in and ${count(usage.gbOut)} GB out a month. ×: ratio to direct.`;
  return (
    section(
      "verdict",
      "Verdict",
      (notes.length === 0 ? "" : `<div class="read-first">${list(notes)}</div>`) +
        list(
          verdictSentences(
            comparison,
            costs.map((entry) => entry.cost),
          ),
        ) +
        chooser(comparison.columns) +
        table(tables.verdictTable(report), caption, "cards"),
    ) +
    (failures.rows.length === 0
      ? ""
      : section("failures", "What failed and why", table(failures, "Cases without a measurement", "cards")))
  );
}

/** Cases that no sweep chart shows: at most one stream count and rate of each kind. */
function plainRows(comparison: Comparison): Row[] {
  const swept = new Set(
    (["egress", "ingress"] as const).flatMap((direction) => streamRows(comparison, direction).slice(1)),
  );
  const floods = comparison.rows.filter(({ info }) => info.protocol === "udp" && (info.streams ?? 1) > 1);
  return comparison.rows.filter((row) => !swept.has(row) && !floods.includes(row));
}

function pictures({ comparison, limit }: Report): string {
  const { columns } = comparison;
  const rows = plainRows(comparison);
  const charts = [
    throughputChart(comparison, rows),
    ...latencyCharts(comparison),
    lossChart(comparison),
    ...streamCharts(comparison, limit),
  ].filter((chart) => chart !== null);
  const series = seriesCharts(comparison, rows);
  const perCase = series.map(
    (chart, index) =>
      `<details class="case"${index === 0 ? " open" : ""}><summary>${escapeHtml(chart.title)}</summary>${figure(chart, columns)}</details>`,
  );
  return (
    section("pictures", "Pictures", charts.map((chart) => figure(chart, columns)).join("")) +
    section(
      "seconds",
      "Second by second",
      perCase.length === 0 ? "" : secondsNote(comparison, rows) + perCase.join(""),
    )
  );
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
    ...(swept === 0 ? [] : [`${swept} cases of sweeps are left out here; their seconds are in the results.`]),
  ];
  return notes.length === 0 ? "" : `<p class="note">${notes.join(" ")}</p>`;
}

function cost(report: Report): string {
  const { comparison, costLines, breakEvens, usage, priceNotes } = report;
  const chart = costChart(costLines, breakEvens, usage.gbIn + usage.gbOut);
  const caption = `A month of 730 hours at ${count(usage.gbIn)} GB in and ${count(usage.gbOut)} GB out`;
  return section(
    "cost",
    "Cost",
    (chart === null ? "" : figure(chart, comparison.columns)) +
      table(tables.costTable(report), caption, "cards") +
      list(priceNotes) +
      `<details><summary>Prices and their sources</summary>${table(tables.priceSourcesTable(report), "Prices and their sources", "cards")}</details>`,
  );
}

function published(report: Report): string {
  return report.published.length === 0
    ? ""
    : section(
        "published",
        "Published by others",
        "<p>Other people's figures under their own conditions, beside ours in the same case. They enter no ratio and no verdict.</p>" +
          table(tables.publishedTable(report), "Published figures beside measured ones", "cards") +
          list(publishedConditions(report.published)),
      );
}

function natLimits(report: Report): string {
  const limits = natLimitsTable(report);
  return limits.rows.length === 0
    ? ""
    : section(
        "nat-limits",
        "NAT limits",
        table(limits, "What the probes found, and where they stopped", "cards"),
      );
}

function cases(report: Report): string {
  return section(
    "cases",
    "All cases",
    table(tables.casesTable(report), "Every figure of every case; ×: ratio to direct"),
  );
}

function conditions(report: Report): string {
  const { columns } = report.comparison;
  const results = [...new Set(columns.map((column) => column.results))];
  const commands = results.flatMap((one) =>
    one.cases.map(
      ({ id, topology, command, toolVersion, tool }) =>
        `${topology}, ${id}: ${command} [${tool} ${toolVersion ?? "version unknown"}]`,
    ),
  );
  return section(
    "conditions",
    "Conditions",
    table(runsTable(report), "Runs", "cards") +
      table(hostsTable(report), "Machines", "cards") +
      `<details><summary>Exact commands</summary><pre>${escapeHtml(commands.join("\n"))}</pre></details>`,
  );
}
