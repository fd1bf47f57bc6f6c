/**
 * Markdown (GitHub flavour) for a pull request: the verdict, what failed, all cases, the bill.
 *
 * @module
 */

import type { Answer } from "../choice/answer.ts";
import { breakEvenSentence, measureSentences, sentenceOf, turnSentences } from "../choice/words.ts";
import { verdictSentences } from "../comparison/verdict.ts";
import { publishedConditions } from "../published/published.ts";
import type { Report } from "../report.ts";
import { costTable, regionsTable, sizingTable, waysTable } from "../tables/answer-tables.ts";
import { runsTable } from "../tables/condition-tables.ts";
import { failoverTable } from "../tables/failover.ts";
import { natLimitsTable } from "../tables/nat-limits.ts";
import type { ReportTable } from "../tables/table.ts";
import * as tables from "../tables/tables.ts";
import { trendTable } from "../tables/trend-table.ts";
import { escapeMarkdown } from "./escape.ts";
import { count } from "./format.ts";

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

/** What differs from the baseline, by region and over time. */
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

/** Verdict, failures, limits, all cases. */
function measuredTexts(report: Report): string[] {
  const failures = tables.failuresTable(report);
  const limits = natLimitsTable(report);
  const failover = failoverTable(report);
  return [
    ...tables
      .verdictTables(report)
      .map(
        ({ heading, table: rows }) =>
          `## What was measured${heading === null ? "" : `: ${heading}`}\n\n${table(rows)}`,
      ),
    list(verdictSentences(report.comparison)),
    failures.rows.length === 0 ? "" : `## What failed\n\n${table(failures)}`,
    failover.rows.length === 0 ? "" : `## When the NAT instance fails\n\n${table(failover)}`,
    limits.rows.length === 0 ? "" : `## NAT limits\n\n${table(limits)}`,
    report.comparison.rows.length === 0
      ? ""
      : `<details><summary>All cases</summary>\n\n${table(tables.casesTable(report))}\n</details>`,
  ];
}

/** What others measured, and under which conditions all of it was. */
function originTexts(report: Report): string[] {
  const { columns } = report.comparison;
  const notes = [...new Set(columns.flatMap(({ results }) => results.notes))];
  return [
    report.published.length === 0
      ? ""
      : `<details><summary>Published by others, in the same cases</summary>\n\n${table(tables.publishedTable(report))}\n${list(publishedConditions(report.published))}\n\n</details>`,
    libraryText(report),
    columns.length === 0 ? "" : `## Conditions\n\n${table(runsTable(report))}\n${list(notes)}`,
  ];
}

/** The answer first, then what would change it and what to measure. */
function answerText(answer: Answer, several: boolean): string {
  const { gbIn, gbOut, connections } = answer.needs;
  const sizing =
    connections === null ? "" : `\n\n### Ports, addresses, gateways\n\n${table(sizingTable(answer))}`;
  const measure = measureSentences(answer);
  return [
    several ? `## ${answer.cloud}\n\n` : "",
    `**${escapeMarkdown(sentenceOf(answer))}**\n\n`,
    list([...turnSentences(answer), ...measure]),
    `\n\nWays out at ${count(gbIn)} GB in and ${count(gbOut)} GB out a month:\n\n`,
    table(waysTable(answer)),
    sizing,
  ].join("");
}

function regionTexts({ answers, answerData }: Report): string[] {
  return answerData.flatMap((data, at) => {
    const own = answers[at];
    return own === undefined || data.compared.length === 0
      ? []
      : [`## Region by region: ${data.cloud}\n\n${table(regionsTable(data, own))}`];
  });
}

function libraryText(report: Report): string {
  const rows = tables.libraryTable(report);
  return report.library === null
    ? ""
    : `## The results library\n\n${list(report.library.sentences)}${rows.rows.length === 0 ? "" : `\n\n${table(rows)}`}`;
}

function costText(answer: Answer, several: boolean): string {
  const { gbIn, gbOut } = answer.needs;
  const cloud = several ? ` (${answer.cloud})` : "";
  return `## Cost a month${cloud}: ${count(gbIn)} GB in, ${count(gbOut)} GB out\n\n${table(costTable(answer))}\n${list(answer.breakEvens.map(breakEvenSentence))}`;
}

function worseText(report: Report): string {
  const worse = tables.worseTable(report);
  return worse.rows.length === 0 ? "" : `\n\n${table(worse)}`;
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
