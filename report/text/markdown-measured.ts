/**
 * The report's Markdown: what was measured.
 *
 * @module
 */
import { verdictSentences } from "../comparison/verdict.ts";
import type { Report } from "../report.ts";
import { failoverTable } from "../tables/failover.ts";
import { natLimitsTable } from "../tables/nat-limits.ts";
import * as tables from "../tables/tables.ts";
import { list, table } from "./markdown-parts.ts";

/** Verdict, failures, limits, all cases. */
export function measuredTexts(report: Report): string[] {
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
