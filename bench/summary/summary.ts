/** The summary table: one row per case, one column per topology. */

import { measuredOf } from "../figures/estimate.ts";
import { isOfOneConnection, limitedBy, type Results } from "../results/index.ts";
import { topologyNamed } from "../topologies/index.ts";
import { caseWords, comparedBy } from "./case-words.ts";
import { describeLimits } from "./limit-words.ts";

/** Terminal columns that a table stays within where it can. */
const MAX_WIDTH = 110;

/**
 * A table of texts. Each row has a cell for each of `columns`, the first of which is `case`. Programs read figures from the
 * results instead.
 */
export interface Summary {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** Notes: failures, unproved paths, and the results' own notes. */
  readonly notes: readonly string[];
}

/**
 * Summarizes results. `(0.60x)` is the figure divided by the base topology's: the topology of kind `direct`, else the first.
 * Latency has such ratios too, although less is better.
 */
export function summarize(results: Results): Summary {
  const names = results.topologies.map((one) => one.name);
  const base = (
    results.topologies.find((one) => topologyNamed(one.topology)?.baseline) ?? results.topologies[0]
  )?.name;
  const ids = [...new Set(results.cases.map((one) => one.id))];
  const rows = ids.map((id) => {
    const own = new Map(results.cases.filter((one) => one.id === id).map((one) => [one.topology, one]));
    const baseResult = own.get(base ?? "");
    const cells = names.map((name) => [
      name,
      caseWords(own.get(name), name === base ? undefined : baseResult, results.plan),
    ]);
    return Object.fromEntries([["case", id], ...cells]);
  });
  return { columns: ["case", ...names], rows, notes: notesOf(results, names.length > 1 ? base : undefined) };
}

/** How the repetitions' ratios to the base were computed. */
function howOf(results: Results, base: string): string {
  if (results.plan.repeat.most === 1) {
    return "";
  }
  const by = comparedBy(results, base);
  return by === null
    ? ""
    : by === "rounds"
      ? ", with the 95 % interval of the rounds that both share"
      : ", with the 95 % interval of both means";
}

function notesOf(results: Results, base: string | undefined): string[] {
  const once = results.plan.repeat.most === 1 ? ["One run: no ranking."] : [];
  const ratios =
    base === undefined
      ? []
      : [
          `(x): divided by ${base}'s figure${howOf(results, base)}; for latency (p50), less is better.`,
          ...once,
        ];
  const paths = results.topologies
    .filter((one) => one.path.status !== "proved")
    .map((one) => `${one.name}: path ${one.path.status}: ${one.path.message ?? "no reason given"}`);
  const failures = results.cases
    .filter((one) => one.failure !== null && one.failure.class !== "not-run") // its cell says so
    .map((one) => `${one.topology} ${one.id}: ${one.failure?.class}: ${one.failure?.message}`);
  const unsure = results.cases
    .filter((one) => one.repetitions?.converged === false)
    .map(({ topology, id, repetitions }) => {
      const times = repetitions === null ? 0 : measuredOf(repetitions);
      return `${topology} ${id}: the 95 % interval is wider than ${repetitions?.withinPercent} % either way after ${times} repetitions`;
    });
  const limited = results.cases
    .filter(({ limits }) => ["client", "server"].includes(limitedBy(limits) ?? ""))
    .map((one) => `${one.topology} ${one.id}: not the path's limit: ${describeLimits(one).join("; ")}`);
  const fewConnections = results.cases
    .filter(({ limits }) => limitedBy(limits) === "path" && limits?.some(isOfOneConnection))
    .map(
      (one) => `${one.topology} ${one.id}: not all that the path carries: ${describeLimits(one).join("; ")}`,
    );
  return [...ratios, ...paths, ...failures, ...unsure, ...limited, ...fewConnections, ...results.notes];
}

/**
 * The table as text, notes below. If it would be too wide, cells break at their commas; if that is not enough,
 * each case becomes a paragraph with one line per topology.
 *
 * @param columns Width of the terminal. @default 110, which wide tables may exceed
 */
export function renderSummary(summary: Summary, columns?: number): string {
  const rows = summary.rows.map((row) => summary.columns.map((name) => row[name] ?? ""));
  const whole = [summary.columns.map((name) => [name]), ...rows.map((row) => row.map((text) => [text]))];
  const broken = whole.map((row) => row.map(([text = ""]) => text.split(/(?<=,) /)));
  const table = tableWidth(whole) > Math.min(columns ?? MAX_WIDTH, MAX_WIDTH) ? broken : whole;
  const lines =
    columns !== undefined && tableWidth(table) > columns ? renderList(summary) : renderTable(table);
  return [...lines, ...(summary.notes.length > 0 ? [""] : []), ...summary.notes].join("\n");
}

/** One paragraph per case, for narrow terminals. */
function renderList({ columns, rows }: Summary): string[] {
  const names = columns.slice(1);
  const width = Math.max(...names.map((name) => name.length));
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    row.case ?? "",
    ...names.map((name) => `${GAP}${name.padEnd(width)}${GAP}${row[name] ?? ""}`),
  ]);
}

/** Rows of cells, each a list of lines. */
type Table = readonly (readonly (readonly string[])[])[];

const GAP = "  ";

function columnWidths(table: Table): number[] {
  const columns = table[0] ?? [];
  return columns.map((_, index) =>
    Math.max(...table.flatMap((row) => row[index] ?? []).map((line) => line.length)),
  );
}

function tableWidth(table: Table): number {
  const widths = columnWidths(table);
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
}

function renderTable(table: Table): string[] {
  const widths = columnWidths(table);
  const line = (cells: readonly string[]) =>
    cells
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join(GAP)
      .trimEnd();
  const [head = [], ...rows] = table.map((row) => {
    const height = Math.max(...row.map((cell_) => cell_.length));
    return Array.from({ length: height }, (_, at) => line(row.map((cell_) => cell_[at] ?? "")));
  });
  return [...head, line(widths.map((width) => "-".repeat(width))), ...rows.flat()];
}
