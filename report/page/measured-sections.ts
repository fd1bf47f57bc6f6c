/**
 * The sections of measurements: figures, failures, conditions, and published figures.
 *
 * @module
 */
import { failoverChart } from "../charts/failover.ts";
import { verdictSentences } from "../comparison/verdict.ts";
import { publishedConditions } from "../published/published.ts";
import type { Report } from "../report.ts";
import { hostsTable, runsTable } from "../tables/condition-tables.ts";
import { failoverTable } from "../tables/failover.ts";
import { natLimitsTable } from "../tables/nat-limits.ts";
import * as tables from "../tables/tables.ts";
import { escapeHtml } from "../text/escape.ts";
import { chooser, figure, list, table } from "./parts.ts";

/** The sentences that figures support, and the deciding figures. */
export function verdict(report: Report): string {
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

/** Empty where every case has a measurement. */
export function failures(report: Report): string {
  const failed = tables.failuresTable(report);
  return failed.rows.length === 0 ? "" : table(failed, "Cases without a measurement", "cards");
}

/** Empty where no case has a published figure. */
export function published(report: Report): string {
  return report.published.length === 0
    ? ""
    : "<p>Other people's figures under their own conditions, beside ours in the same case. They enter no ratio and no verdict.</p>" +
        table(tables.publishedTable(report), "Published figures beside measured ones", "cards") +
        `<ul>${[...publishedConditions(report.published)].map(([id, text]) => `<li id="published-${escapeHtml(id)}">${escapeHtml(text)}</li>`).join("")}</ul>`;
}

/** Empty where no contributed run was given. */
export function library(report: Report): string {
  const rows = tables.libraryTable(report);
  return report.library === null
    ? ""
    : `<p>Runs that others contributed, of the same kind of topology and case. They enter no ratio and no verdict.</p>${list(report.library.sentences)}${rows.rows.length === 0 ? "" : table(rows, "Yours beside the library's", "cards")}`;
}

/** Empty where the probes did not run. */
export function natLimits(report: Report): string {
  const limits = natLimitsTable(report);
  return limits.rows.length === 0
    ? ""
    : table(limits, "What the probes found, and where they stopped", "cards");
}

/** Empty where no case made a NAT instance fail. */
export function failover(report: Report): string {
  const found = failoverTable(report);
  const chart = failoverChart(report.comparison);
  return found.rows.length === 0
    ? ""
    : (chart === null ? "" : figure(chart, report.comparison.columns)) +
        table(found, "How long nothing passed, and what became of the flows that were held", "cards");
}

/** Every figure of every case. */
export function cases(report: Report): string {
  return table(tables.casesTable(report), "Every figure of every case; ×: ratio to direct");
}

/** Under what all of it was measured: runs, machines, commands. */
export function conditions(report: Report): string {
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
