/**
 * Markdown (GitHub flavour) for a pull request: the verdict, what failed, all cases, the bill.
 *
 * @module
 */

import { verdictSentences } from "../comparison/verdict.ts";
import { publishedConditions } from "../published/published.ts";
import type { Report } from "../report.ts";
import { runsTable } from "../tables/condition-tables.ts";
import { natLimitsTable } from "../tables/nat-limits.ts";
import {
  casesTable,
  costTable,
  failuresTable,
  publishedTable,
  type ReportTable,
  verdictTable,
} from "../tables/tables.ts";
import { escapeMarkdown } from "./escape.ts";
import { count } from "./format.ts";

/** The report as Markdown. */
export function toMarkdown(report: Report): string {
  const { comparison, costs, usage } = report;
  const notes = [...new Set(comparison.columns.flatMap(({ results }) => results.notes))];
  const failures = failuresTable(report);
  const limits = natLimitsTable(report);
  const sections = [
    "# Egress comparison",
    list(report.problems, "**Could not be used or compared:**"),
    comparison.columns.length === 0
      ? "There is nothing to show: no usable results."
      : table(verdictTable(report)),
    list(
      verdictSentences(
        comparison,
        costs.map(({ cost }) => cost),
      ),
    ),
    failures.rows.length === 0 ? "" : `## What failed\n\n${table(failures)}`,
    limits.rows.length === 0 ? "" : `## NAT limits\n\n${table(limits)}`,
    comparison.rows.length === 0
      ? ""
      : `<details><summary>All cases</summary>\n\n${table(casesTable(report))}\n</details>`,
    costs.length === 0
      ? ""
      : `## Cost a month: ${count(usage.gbIn)} GB in, ${count(usage.gbOut)} GB out\n\n${table(costTable(report))}\n${list(report.priceNotes)}`,
    report.published.length === 0
      ? ""
      : `<details><summary>Published by others, in the same cases</summary>\n\n${table(publishedTable(report))}\n${list(publishedConditions(report.published))}\n\n</details>`,
    comparison.columns.length === 0 ? "" : `## Conditions\n\n${table(runsTable(report))}\n${list(notes)}`,
    `Made ${escapeMarkdown(report.madeAt)} by egress-bench.`,
  ];
  return `${sections
    .filter((section) => section !== "")
    .map((section) => section.trimEnd())
    .join("\n\n")}\n`;
}

function list(items: readonly string[], heading?: string): string {
  if (items.length === 0) {
    return "";
  }
  const lines = items.map((item) => `- ${escapeMarkdown(item)}`).join("\n");
  return heading === undefined ? lines : `${heading}\n\n${lines}`;
}

function table({ head, rows }: ReportTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const cells = rows.map((row) =>
    line(row.map(({ text, notes }) => [text, ...notes].map(escapeMarkdown).join("<br>") || " ")),
  );
  return line(head.map(({ text }) => escapeMarkdown(text))) + line(head.map(() => "---")) + cells.join("");
}
