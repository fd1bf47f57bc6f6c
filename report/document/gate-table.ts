/** Tables of all figures that the gate compared, the worst verdicts first. */
import type { BaselineVerdict } from "../comparison/baseline.ts";
import { type GateRow, gateFigure } from "../comparison/gate.ts";
import { orMissing } from "../text/format.ts";
import { list, table } from "./document.ts";
import { markdownOf } from "./markdown.ts";
import { type ReportTable, textTable } from "./table.ts";

const order: readonly GateRow["verdict"][] = ["worse", "not judged", "within tolerance"];

/** The gate's sentences and all compared figures, as Markdown for a CI job's summary. */
export function gateMarkdown(baseline: BaselineVerdict): string {
  return markdownOf([...list(baseline.sentences), ...table(gateTable(baseline), "Every figure compared")]);
}

/** Names of {@link gateCells}. */
export const gateHead = ["Figure", "Before", "Now", "Worse by"];

/** A compared figure, before and now. */
export function gateCells(row: GateRow): string[] {
  const by = orMissing(row.worsePercent, (value) => `${value.toFixed(1)} %`);
  return [gateFigure(row), row.before, row.after, by];
}

function gateTable({ rows }: Pick<BaselineVerdict, "rows">): ReportTable {
  const sorted = rows.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  const rowOf = (row: GateRow) => [row.verdict, row.topology, row.caseId, ...gateCells(row)];
  return textTable(["Verdict", "Topology", "Case", ...gateHead], sorted.map(rowOf));
}
