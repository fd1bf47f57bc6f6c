/**
 * The sections for a decision: the pick, its cost, and changes.
 *
 * @module
 */
import { cloudTitles } from "../../bench/topologies/clouds.ts";
import type { Report } from "../report.ts";
import { priceSourcesTable, worseTable } from "../tables/tables.ts";
import { trendTable } from "../tables/trend-table.ts";
import { escapeHtml } from "../text/escape.ts";
import { liveParts, needsForm } from "./answer.ts";
import { list, table } from "./parts.ts";

/** Elements of each cloud that follow the inputs. */
export function live(
  { answers, answerData }: Report,
  kind: "answer" | "ways" | "sizing" | "bill" | "regions",
): string {
  const parts = liveParts(answers, answerData);
  return answers
    .map(({ cloud }) => `<div id="${kind}-${cloud}">${parts[`${kind}-${cloud}`] ?? ""}</div>`)
    .join("");
}

/** The sentence of each cloud, the inputs that move it, and every way out beside the picked one. */
export function answer(report: Report): string {
  const notes = [...new Set(report.comparison.columns.flatMap(({ results }) => results.notes))];
  return (
    live(report, "answer") +
    needsForm(report.needs, report.answerData) +
    live(report, "ways") +
    (notes.length === 0 ? "" : `<div class="read-first">${list(notes)}</div>`)
  );
}

/** The bill line by line, and where its prices come from. */
export function cost(report: Report): string {
  return (
    live(report, "bill") +
    list(report.priceNotes) +
    `<details><summary>Prices and their sources</summary>${table(priceSourcesTable(report), "Prices and their sources", "cards")}</details>`
  );
}

/** Empty where no other region is compared. */
export function regions(report: Report): string {
  return report.answerData.every(({ compared }) => compared.length === 0)
    ? ""
    : `<p>Each region at its own prices; what has no price there costs at least the sum of what has.</p>${live(report, "regions")}`;
}

/** A table a stack that ran at least twice. */
export function trend({ trends }: Report): string {
  return trends
    .map((one) => table(trendTable(one), `Runs of ${one.stack} (${cloudTitles[one.cloud]}), oldest first`))
    .join("");
}

/** Empty without an earlier run to compare with. */
export function baseline(report: Report): string {
  const { baseline: found } = report;
  const worse = worseTable(report);
  return found === null
    ? ""
    : `<p>Compared with ${escapeHtml(found.source)}.</p>${list(found.sentences)}${worse.rows.length === 0 ? "" : table(worse, "What got worse", "cards")}`;
}
