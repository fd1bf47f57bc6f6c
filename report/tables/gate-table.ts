/** Every figure that the gate compared, the worst verdicts first. */
import type { BaselineVerdict } from "../comparison/baseline.ts";
import { type GateRow, gateFigure } from "../comparison/gate.ts";
import { list, table } from "../document/document.ts";
import { markdownOf } from "../document/markdown.ts";
import { orMissing } from "../text/format.ts";
import { cell, headOf, type ReportTable } from "./table.ts";

const order: readonly GateRow["verdict"][] = ["worse", "not judged", "within tolerance"];

/** The gate's sentences and every figure that it compared, as Markdown for the summary of a CI job. */
export function gateMarkdown(baseline: BaselineVerdict): string {
  return markdownOf([...list(baseline.sentences), ...table(gateTable(baseline), "Every figure compared")]);
}

function gateTable({ rows }: Pick<BaselineVerdict, "rows">): ReportTable {
  const sorted = rows.toSorted((a, b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
  return {
    head: headOf(["Verdict", "Topology", "Case", "Figure", "Before", "Now", "Worse by"]),
    rows: sorted.map((row) => {
      const { verdict, topology, caseId, before, after, worsePercent } = row;
      const by = orMissing(worsePercent, (value) => `${value.toFixed(1)} %`);
      return [verdict, topology, caseId, gateFigure(row), before, after, by].map((text) => cell(text));
    }),
  };
}
