/** A stack's runs over time: one row per topology and figure, one column per run. */
import { type Trend, trendText } from "../comparison/trend.ts";
import { NOT_MEASURED } from "../text/format.ts";
import { cell, headOf, type ReportTable } from "./table.ts";

/** The newest run comes last, with the gate's verdict. */
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

/** `2026-11-22 06:00` for a time; a run's id unchanged. */
function minute(run: string): string {
  return /^\d{4}-\d{2}-\d{2}T/.test(run) ? run.slice(0, 16).replace("T", " ") : run;
}
