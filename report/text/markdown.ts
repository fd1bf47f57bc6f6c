/**
 * Markdown (GitHub flavour) for a pull request: the verdict, what failed, all cases, the bill.
 *
 * @module
 */

import { publishedConditions } from "../published/published.ts";
import type { Report } from "../report.ts";
import { runsTable } from "../tables/condition-tables.ts";
import * as tables from "../tables/tables.ts";
import { trendTable } from "../tables/trend-table.ts";
import { escapeMarkdown } from "./escape.ts";
import { answerText, costText, regionTexts } from "./markdown-answer.ts";
import { measuredTexts } from "./markdown-measured.ts";
import { list, table } from "./markdown-parts.ts";

/** The report as Markdown. */
export function toMarkdown(report: Report): string {
  const { answers } = report;
  const sections = [
    "# Egress comparison",
    list(report.problems, "**Could not be used or compared:**"),
    report.comparison.columns.length === 0 ? "There is nothing to show: no usable results." : "",
    ...answers.map((answer) => answerText(answer, answers.length > 1)),
    ...changesTexts(report),
    ...measuredTexts(report),
    ...answers.map((answer) => costText(answer, answers.length > 1)),
    list(report.priceNotes),
    ...originTexts(report),
    `Made ${escapeMarkdown(report.madeAt)} by egress-bench.`,
  ];
  return `${sections
    .filter((section) => section !== "")
    .map((section) => section.trimEnd())
    .join("\n\n")}\n`;
}

/** Changes against the baseline, by region and over time. */
function changesTexts(report: Report): string[] {
  const { baseline } = report;
  return [
    baseline === null
      ? ""
      : `## Compared with ${escapeMarkdown(baseline.source)}\n\n${list(baseline.sentences)}${worseText(report)}`,
    ...regionTexts(report),
    ...report.trends.map(
      (trend) => `## Over time: ${escapeMarkdown(trend.stack)}\n\n${table(trendTable(trend))}`,
    ),
  ];
}

/** Published figures and the conditions of all measurements. */
function originTexts(report: Report): string[] {
  const { columns } = report.comparison;
  const notes = [...new Set(columns.flatMap(({ results }) => results.notes))];
  return [
    report.published.length === 0
      ? ""
      : `<details><summary>Published by others, in the same cases</summary>\n\n${table(tables.publishedTable(report))}\n${list([...publishedConditions(report.published).values()])}\n\n</details>`,
    libraryText(report),
    columns.length === 0 ? "" : `## Conditions\n\n${table(runsTable(report))}\n${list(notes)}`,
  ];
}

function libraryText(report: Report): string {
  const rows = tables.libraryTable(report);
  return report.library === null
    ? ""
    : `## The results library\n\n${list(report.library.sentences)}${rows.rows.length === 0 ? "" : `\n\n${table(rows)}`}`;
}

function worseText(report: Report): string {
  const worse = tables.worseTable(report);
  return worse.rows.length === 0 ? "" : `\n\n${table(worse)}`;
}
