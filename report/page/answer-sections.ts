/** The sections for a decision: the pick, its cost, and changes. */
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { type Block, list, table, text } from "../document/document.ts";
import type { Report } from "../report.ts";
import { priceSourcesTable, worseTable } from "../tables/tables.ts";
import { trendTable } from "../tables/trend-table.ts";
import { live, liveBlocks } from "./answer.ts";
import { needsForm } from "./inputs.ts";

function liveOf({ answers, answerData }: Report, kind: Parameters<typeof live>[1]): Block[] {
  return live(liveBlocks(answers, answerData), kind);
}

/** The sentence of each cloud, the inputs that change it, and every way out compared with the pick. */
export function answer(report: Report): Block[] {
  const notes = [...new Set(report.comparison.columns.flatMap(({ results }) => results.notes))];
  return [
    ...liveOf(report, "answer"),
    { kind: "html", html: needsForm(report.needs, report.answerData) },
    ...liveOf(report, "ways"),
    ...(notes.length === 0
      ? []
      : [{ kind: "box" as const, look: "read-first" as const, blocks: list(notes) }]),
  ];
}

/** Needed ports, addresses and gateways. */
export function sizing(report: Report): Block[] {
  return liveOf(report, "sizing");
}

/** The bill line by line, and the sources of its prices. */
export function cost(report: Report): Block[] {
  return [
    ...liveOf(report, "bill"),
    ...list(report.priceNotes),
    ...table(priceSourcesTable(report), "Prices and their sources", "folded"),
  ];
}

/** Empty where no other region is compared. */
export function regions(report: Report): Block[] {
  return report.answerData.every(({ compared }) => compared.length === 0)
    ? []
    : [
        text("Each region at its own prices; what has no price there costs at least the sum of what has."),
        ...liveOf(report, "regions"),
      ];
}

/** One table per stack that ran at least twice. */
export function trend({ trends }: Report): Block[] {
  return trends.flatMap((one) =>
    table(trendTable(one), `Runs of ${one.stack} (${cloudRecords[one.cloud].title}), oldest first`, "plain"),
  );
}

/** Empty without an earlier run to compare with. */
export function baseline(report: Report): Block[] {
  const { baseline: found } = report;
  return found === null
    ? []
    : [
        text(`Compared with ${found.source}.`),
        ...list(found.sentences),
        ...table(worseTable(report), "What got worse"),
      ];
}
