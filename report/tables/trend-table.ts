/** A stack's runs over time: a row a topology and figure, a column a run. */
import { type Trend, trendText } from "../comparison/trend.ts";
import { NOT_MEASURED } from "../text/format.ts";
import { cell, headOf, type ReportTable } from "./table.ts";

/** The newest run last, and what the gate says of it. */
export function trendTable({ runs, rows, tolerancePercent }: Trend): ReportTable {
  return {
    head: headOf([
      "Topology",
      "Figure",
      ...runs.map(minute),
      `Since the first, by more than ${tolerancePercent} %`,
    ]),
    rows: rows.map((row) => [
      cell(row.topology),
      cell(row.heading),
      ...row.values.map((value) =>
        value === null ? { ...cell(NOT_MEASURED), state: "missing" as const } : cell(trendText(row, value)),
      ),
      {
        ...cell(row.verdict ?? NOT_MEASURED),
        state: row.verdict === "worse" ? "failed" : row.verdict === null ? "missing" : "ok",
      },
    ]),
  };
}

/** `2026-11-22 06:00` of a time; a run's id as it is. */
function minute(run: string): string {
  return /^\d{4}-\d{2}-\d{2}T/.test(run) ? run.slice(0, 16).replace("T", " ") : run;
}
