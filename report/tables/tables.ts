/** The report's tables as rows of text, for HTML and Markdown alike. */

import { comparedIds, figures } from "../../bench/figures/index.ts";
import { formatBitRate } from "../../bench/plan/quantities.ts";
import { outageWords } from "../../bench/summary/case-words.ts";
import { shortLimit } from "../../bench/summary/limit-words.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { costKey } from "../choice/twins.ts";
import type { Column, Comparison, Row } from "../comparison/comparison.ts";
import type { Trend } from "../comparison/trend.ts";
import { type ShownFigure, showFigure, verdictFigures } from "../comparison/verdict.ts";
import { gateCells, gateHead } from "../document/gate-table.ts";
import { cell, headOf, type ReportTable, type TableCell, textTable } from "../document/table.ts";
import type { Report } from "../report.ts";
import { counted, money, NOT_MEASURED, orMissing } from "../text/format.ts";
import { sharedRows } from "./answer-tables.ts";

function figureCell(figure: ShownFigure, column: number, more: readonly string[] = []): TableCell {
  const notes = [figure.ratio, figure.confidence, ...more];
  return { text: figure.text, notes: notes.filter((note) => note !== null), state: figure.state, column };
}

/** The measured figures: one row per topology, one column per deciding figure, then limits; one table per cloud. */
export function verdictTables({
  comparison,
}: Report): { readonly heading: string | null; readonly table: ReportTable }[] {
  const clouds = [...new Set(comparison.columns.map(({ results }) => results.cloud))];
  return clouds.map((cloud) => {
    const columns = comparison.columns.filter(({ results }) => results.cloud === cloud);
    return {
      heading: clouds.length === 1 ? null : cloudRecords[cloud].title,
      table: verdictTable({ ...comparison, columns }),
    };
  });
}

function verdictTable(comparison: Comparison): ReportTable {
  const columns = verdictFigures(comparison);
  return {
    head: headOf(["Topology", ...columns.map(({ heading }) => heading), "At its limit"]),
    rows: comparison.columns.map((column) => {
      const { index, label } = column;
      const limits = limitsOf(comparison, column);
      return [
        cell(label, index, pathNote(column)),
        ...columns.map(({ row: usual, rowOf, metric, beneath }) => {
          const row = rowOf(column);
          const other = row === usual ? [] : [`of ${row.info.title}`];
          const more = beneath.flatMap((id) => {
            const figure = showFigure(row, column, id);
            return figure.state === "ok" ? [`${figures[id].shortName} ${figure.text}`] : [];
          });
          return figureCell(showFigure(row, column, metric), index, [...more, ...other]);
        }),
        cell(limits.length === 0 ? "nothing seen" : limits.join("; "), index),
      ];
    }),
  };
}

function pathNote({ topology }: Column): string[] {
  const { status, message } = topology.path;
  return status === "proved"
    ? ["path proved"]
    : [status === "mismatch" ? `wrong path: ${message ?? ""}` : "path not proved"];
}

/** `client CPU in 7 of 9 cases`: a limit counts once per case, however many hosts or repetitions have it. */
function limitsOf({ rows }: Comparison, { index }: Column): string[] {
  const measured = rows.flatMap(({ cells }) =>
    cells.filter((own, at) => at === index && own.status === "ok"),
  );
  const counts = new Map<string, number>();
  for (const name of measured.flatMap(({ limits }) => [...new Set(limits.map(shortLimit))])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, cases]) => `${name} in ${cases} of ${counted(measured.length, "case")}`);
}

/** `sum of 2 pairs: 4.10 Gbit/s, 3.90 Gbit/s`, of the last repetition. */
function pairsNote(row: Row, column: number): string[] {
  const pairs = row.cells[column]?.repetitions.at(-1)?.pairs ?? null;
  if (pairs === null) {
    return [];
  }
  const each = pairs.map(({ bitsPerSecond, failure }) =>
    failure === null ? orMissing(bitsPerSecond, formatBitRate) : `failed: ${failure.class}`,
  );
  return [`sum of ${pairs.length} pairs: ${each.join(", ")}`];
}

function limitNote(row: Row, column: number): string[] {
  const limits = row.cells[column]?.limits ?? [];
  return limits.length === 0 ? [] : [`at its limit: ${limits.map(({ words }) => words).join("; ")}`];
}

function notesOf(row: Row, column: number): string[] {
  return [...pairsNote(row, column), ...outageNote(row, column), ...limitNote(row, column)];
}

function outageNote(row: Row, column: number): string[] {
  const words = (row.cells[column]?.repetitions ?? []).map(outageWords).join("");
  return words === "" ? [] : [words.replace(/^, /, "")];
}

/** Every figure of every case: one row per case and metric, one column per topology. */
export function casesTable({ comparison }: Report): ReportTable {
  const { columns, rows } = comparison;
  return {
    head: [cell("Case"), cell("Figure"), ...columns.map(({ label, index }) => cell(label, index))],
    rows: rows.flatMap((row) => {
      const measured = comparedIds.filter((id) => row.cells.some(({ estimates }) => estimates[id]));
      const shown = measured.length === 0 ? (["throughput"] as const) : measured;
      return shown.map((id) => [
        cell(row.info.title, null, [row.info.id]),
        cell(figures[id].label),
        ...columns.map((column) =>
          figureCell(
            showFigure(row, column, id),
            column.index,
            id === shown[0] ? notesOf(row, column.index) : [],
          ),
        ),
      ]);
    }),
  };
}

/** Figures that got worse than the baseline; empty without any. */
export function worseTable({ baseline }: Report): ReportTable {
  const worse = (baseline?.rows ?? []).filter(({ verdict }) => verdict === "worse");
  return textTable(
    ["Topology", "Case", ...gateHead],
    worse.map((row) => [row.topology, row.caseId, ...gateCells(row)]),
  );
}

/** Failed cases with their reasons; empty when none failed. */
export function failuresTable({ comparison }: Report): ReportTable {
  const rows = comparison.rows.flatMap(({ info, cells }) =>
    cells.flatMap(({ failure }, index) =>
      failure === null
        ? []
        : [
            [
              cell(info.title, null, [info.id]),
              cell(comparison.columns[index]?.label ?? "", index),
              cell(failure.class),
              cell(
                failure.message,
                null,
                failure.stderrTail.trim() === "" ? [] : [failure.stderrTail.trim()],
              ),
            ],
          ],
    ),
  );
  return { head: headOf(["Case", "Topology", "Class", "Why"]), rows };
}

/** Every price in the bill, with its source. */
export function priceSourcesTable({ answers }: Report): ReportTable {
  const assessed = answers.flatMap((answer) =>
    answer.assessed.map((one) => ({ ...one, currency: answer.currency })),
  );
  const rows = sharedRows(assessed, costKey).flatMap(({ way, bill, region, currency, sharing }) =>
    bill.charges.map(({ meter, units, cost, source, checked }) => [
      cell(way.id, way.look, sharing("bill")),
      cell(`${meter} (${region})`),
      cell(units.toLocaleString("en-US")),
      cell(cost === null ? "no price" : money(cost, currency)),
      cell(
        source ?? NOT_MEASURED.replace("measured", "known"),
        null,
        source === null ? [] : [checked === null ? "unverified" : `checked against ${checked}`],
      ),
    ]),
  );
  return { head: headOf(["Way out", "Meter", "Units a month", "Charge", "Source"]), rows };
}

/** The library's figures beside the reader's; empty without figures of the same kind. */
export function libraryTable({ library }: Report): ReportTable {
  return {
    head: headOf(["Topology", "Figure", "Yours", "Contributed", "Under which conditions"]),
    rows: (library?.rows ?? []).map(({ label, column, heading, yours, theirs, conditions }) =>
      [label, heading, yours, theirs, conditions].map((text) => cell(text, column)),
    ),
  };
}

/** Others' figures beside ours. */
export function publishedTable({ published }: Report): ReportTable {
  return {
    head: headOf(["Case", "Topology", "Published by others", "Measured here", "Publication"]),
    rows: published.map((figure) => [
      cell(figure.what),
      cell(figure.topology),
      cell(figure.theirs),
      cell(
        figure.ours
          .map(
            ({ label, cloud, text }) => `${text} (${label}${cloudRecords[cloud].isLab ? ", local lab" : ""})`,
          )
          .join("; "),
      ),
      { ...cell(figure.id), link: `published-${figure.id}` },
    ]),
  };
}

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
        value === null
          ? { ...cell(NOT_MEASURED), state: "missing" as const }
          : cell(figures[row.metric].format(value)),
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
