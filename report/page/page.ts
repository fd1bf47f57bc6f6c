/**
 * The report as one HTML file: no request leaves it, and it is complete without script.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { failoverChart } from "../charts/failover.ts";
import { latencyCharts } from "../charts/latency.ts";
import { lossChart } from "../charts/loss.ts";
import { seriesCharts } from "../charts/series.ts";
import { streamCharts, streamRows } from "../charts/streams.ts";
import { throughputChart } from "../charts/throughput.ts";
import type { Comparison, Row } from "../comparison/comparison.ts";
import { groupNames, verdictFigures, verdictSentences } from "../comparison/verdict.ts";
import { publishedConditions } from "../published/published.ts";
import type { Report } from "../report.ts";
import { hostsTable, runsTable } from "../tables/condition-tables.ts";
import { failoverTable } from "../tables/failover.ts";
import { natLimitsTable } from "../tables/nat-limits.ts";
import * as tables from "../tables/tables.ts";
import { trendTable } from "../tables/trend-table.ts";
import { escapeHtml } from "../text/escape.ts";
import { liveParts, needsForm } from "./answer.ts";
import { liveScript } from "./live.generated.ts";
import type { PageData } from "./live.ts";
import { chooser, figure, list, table } from "./parts.ts";
import { script } from "./script.ts";
import { styleSheet } from "./style.ts";

/** The whole page. */
export function toHtml(report: Report): string {
  const { comparison, problems, answerData, needs } = report;
  const style = styleSheet(comparison.columns.length);
  const scripts = [liveScript, script];
  // Nothing may be loaded or run but this very style sheet and these scripts, whatever results hold.
  const policy = `default-src 'none'; img-src data:; style-src '${hash(style)}'; script-src ${scripts.map((one) => `'${hash(one)}'`).join(" ")}; base-uri 'none'; form-action 'none'`;
  const parts =
    comparison.columns.length === 0 ? [] : sectionsOf(report).filter(({ content }) => content !== "");
  const body =
    parts.length === 0 ? "<p>There is nothing to show: no usable results.</p>" : parts.map(section).join("");
  const data: PageData = { made: needs, answers: answerData };
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
${contents(parts)}<main>${problemBox(problems)}${body}</main>
<script type="application/json" id="data">${JSON.stringify(data).replaceAll("<", "\\u003c")}</script>
${scripts.map((one) => `<script>${one}</script>`).join("\n")}
</body>
</html>
`;
}

interface Section {
  readonly id: string;
  readonly heading: string;
  /** Empty: there is no such section. */
  readonly content: string;
}

function sectionsOf(report: Report): Section[] {
  return [
    { id: "answer", heading: "What to pick", content: answer(report) },
    { id: "sizing", heading: "How many do I need?", content: live(report, "sizing") },
    { id: "cost", heading: "Cost", content: cost(report) },
    { id: "regions", heading: "Region by region", content: regions(report) },
    { id: "trend", heading: "Over time", content: trend(report) },
    { id: "baseline", heading: "Since the baseline", content: baseline(report) },
    { id: "verdict", heading: "What was measured", content: verdict(report) },
    { id: "failures", heading: "What failed and why", content: failures(report) },
    { id: "pictures", heading: "Pictures", content: pictures(report) },
    { id: "seconds", heading: "Second by second", content: seconds(report) },
    { id: "published", heading: "Published by others", content: published(report) },
    { id: "library", heading: "The results library", content: library(report) },
    { id: "nat-limits", heading: "NAT limits", content: natLimits(report) },
    { id: "failover", heading: "When the NAT instance fails", content: failover(report) },
    { id: "cases", heading: "All cases", content: cases(report) },
    { id: "conditions", heading: "Conditions", content: conditions(report) },
  ];
}

function contents(parts: readonly Section[]): string {
  const links = parts.map(({ id, heading }) => `<li><a href="#${id}">${escapeHtml(heading)}</a></li>`);
  return parts.length === 0 ? "" : `<nav aria-label="Contents"><ul>${links.join("")}</ul></nav>\n`;
}

function section({ id, heading, content }: Section): string {
  return `<section id="${id}"><h2>${escapeHtml(heading)}</h2>${content}</section>`;
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

/** Elements of each cloud that follow the inputs. */
function live(
  { answers, answerData }: Report,
  kind: "answer" | "ways" | "sizing" | "bill" | "regions",
): string {
  const parts = liveParts(answers, answerData);
  return answers
    .map(({ cloud }) => `<div id="${kind}-${cloud}">${parts[`${kind}-${cloud}`] ?? ""}</div>`)
    .join("");
}

function answer(report: Report): string {
  const notes = [...new Set(report.comparison.columns.flatMap(({ results }) => results.notes))];
  return (
    live(report, "answer") +
    needsForm(report.needs, report.answerData) +
    live(report, "ways") +
    (notes.length === 0 ? "" : `<div class="read-first">${list(notes)}</div>`)
  );
}

function regions(report: Report): string {
  return report.answerData.every(({ compared }) => compared.length === 0)
    ? ""
    : `<p>Each region at its own prices; what has no price there costs at least the sum of what has.</p>${live(report, "regions")}`;
}

function trend({ trends }: Report): string {
  return trends
    .map((one) => table(trendTable(one), `Runs of ${one.stack} (${groupNames[one.cloud]}), oldest first`))
    .join("");
}

function baseline(report: Report): string {
  const { baseline: found } = report;
  const worse = tables.worseTable(report);
  return found === null
    ? ""
    : `<p>Compared with ${escapeHtml(found.source)}.</p>${list(found.sentences)}${worse.rows.length === 0 ? "" : table(worse, "What got worse", "cards")}`;
}

function verdict(report: Report): string {
  const { comparison } = report;
  const caption = "Receiver's figures. ×: ratio to direct.";
  const groups = tables.verdictTables(report);
  return (
    list(verdictSentences(comparison)) +
    chooser(comparison.columns) +
    groups
      .map(({ heading, table: rows }) =>
        table(rows, heading === null ? caption : `${heading}: ${caption}`, "cards"),
      )
      .join("")
  );
}

function failures(report: Report): string {
  const failed = tables.failuresTable(report);
  return failed.rows.length === 0 ? "" : table(failed, "Cases without a measurement", "cards");
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
  const charts = [
    throughputChart(comparison, plainRows(comparison)),
    ...latencyCharts(comparison),
    lossChart(comparison),
    ...streamCharts(comparison, limit),
  ].filter((chart) => chart !== null);
  return charts.map((chart) => figure(chart, columns)).join("");
}

/** Of a large report, what the table of measured figures shows. */
function decidingRows(comparison: Comparison): Row[] {
  return [...new Set(verdictFigures(comparison).map(({ row }) => row))];
}

function seconds({ comparison }: Report): string {
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

function cost(report: Report): string {
  return (
    live(report, "bill") +
    list(report.priceNotes) +
    `<details><summary>Prices and their sources</summary>${table(tables.priceSourcesTable(report), "Prices and their sources", "cards")}</details>`
  );
}

function published(report: Report): string {
  return report.published.length === 0
    ? ""
    : "<p>Other people's figures under their own conditions, beside ours in the same case. They enter no ratio and no verdict.</p>" +
        table(tables.publishedTable(report), "Published figures beside measured ones", "cards") +
        list(publishedConditions(report.published));
}

function library(report: Report): string {
  const rows = tables.libraryTable(report);
  return report.library === null
    ? ""
    : `<p>Runs that others contributed, of the same kind of topology and case. They enter no ratio and no verdict.</p>${list(report.library.sentences)}${rows.rows.length === 0 ? "" : table(rows, "Yours beside the library's", "cards")}`;
}

function natLimits(report: Report): string {
  const limits = natLimitsTable(report);
  return limits.rows.length === 0
    ? ""
    : table(limits, "What the probes found, and where they stopped", "cards");
}

function failover(report: Report): string {
  const found = failoverTable(report);
  const chart = failoverChart(report.comparison);
  return found.rows.length === 0
    ? ""
    : (chart === null ? "" : figure(chart, report.comparison.columns)) +
        table(found, "How long nothing passed, and what became of the flows that were held", "cards");
}

function cases(report: Report): string {
  return table(tables.casesTable(report), "Every figure of every case; ×: ratio to direct");
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
  return (
    table(runsTable(report), "Runs", "cards") +
    table(hostsTable(report), "Machines", "cards") +
    `<details><summary>Exact commands</summary><pre>${escapeHtml(commands.join("\n"))}</pre></details>`
  );
}
