/**
 * The small table a person wants first: a row a case, a column a topology.
 *
 * @module
 */

import { type Figure, figures, leadingFigure } from "../figures/index.ts";
import { formatPercent } from "../plan/quantities.ts";
import {
  type CaseResult,
  isOfOneConnection,
  limitedBy,
  type Measurement,
  type Results,
  whyUnmeasured,
} from "../results/index.ts";
import { ratioConfidence95, type Figure as Sample } from "../statistics/difference.ts";
import { topologyNamed } from "../topologies/index.ts";
import { describeFailover } from "./failover-summary.ts";
import { describeLimits } from "./limit-words.ts";
import { describeNat } from "./nat-summary.ts";
import { describeSearch } from "./search-summary.ts";

/** Terminal columns that a rendered table keeps to where it can. */
const MAX_WIDTH = 110;

/**
 * A table of texts. Each row has a cell for each of `columns`, the first of which is `case`; figures for
 * machines are in the results.
 */
export interface Summary {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** Notes: failures, paths that are not proved, the results' own notes. */
  readonly notes: readonly string[];
}

/**
 * Summarizes results. `(0.60x)` is the figure divided by that of the base topology: the one of kind `direct`,
 * else the first. So it is for latency also, where less is better. Latency's ratio is that of the median.
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
    const cells = names.map((name) => [name, cell(own.get(name), name === base ? undefined : baseResult)]);
    return Object.fromEntries([["case", id], ...cells]);
  });
  return { columns: ["case", ...names], rows, notes: notesOf(results, names.length > 1 ? base : undefined) };
}

/** The value that ratios are made of: that of the figure that leads the case. */
function headline(result: CaseResult | undefined): number | null {
  const measurement = result?.measurement ?? null;
  return measurement === null ? null : (leadingFigure(measurement)?.read(measurement) ?? null);
}

/** A case's figures in a few words, or why there are none. */
export function describeCase(result: CaseResult): string {
  return cell(result, undefined);
}

function cell(result: CaseResult | undefined, base: CaseResult | undefined): string {
  if (result === undefined) {
    return "not run";
  }
  const unmeasured = whyUnmeasured(result.failure);
  if (unmeasured !== null) {
    return unmeasured;
  }
  if (result.measurement === null) {
    return `failed: ${result.failure?.class ?? "no measurement"}${lostRepetitions(result)}`;
  }
  const place = limitedBy(result.limits);
  const limit = place === null ? "" : `, limited by ${place}`;
  const outages = (result.measurement.outages ?? []).map(
    ({ startSeconds, seconds }) => `, outage of ${seconds} s at ${startSeconds} s`,
  );
  const ratio = `${ratioOf(result, base)}${spreadOf(result.repetitions)}`;
  return describeMeasurement(result.measurement, ratio) + lostRepetitions(result) + limit + outages.join("");
}

/** ` (0.60x)`, and of repetitions how sure that is: ` (0.60x \u00b13.1 %)`. */
function ratioOf(result: CaseResult, base: CaseResult | undefined): string {
  const [value, baseValue] = [headline(result), headline(base)];
  if (value === null || !baseValue) {
    return "";
  }
  const [own, other] = [headlineFigure(result), headlineFigure(base)];
  const interval = own === null || other === null ? null : ratioConfidence95(own, other);
  const half = interval === null ? null : 50 * Math.log(interval.high / interval.low);
  const sure = half === null ? "" : ` \u00b1${formatPercent(half)}`;
  return ` (${formatRatio(value / baseValue)}${sure})`;
}

/** The headline's figure of all repetitions; null where it was not repeated. */
function headlineFigure(result: CaseResult | undefined): Sample | null {
  const { repetitions, measurement } = result ?? {};
  const repeated = measurement?.latencyUs ? repetitions?.metrics["latencyUs.p50"] : repetitions;
  if (repeated?.mean == null) {
    return null;
  }
  const n = repeated.values.filter((value) => value !== null).length;
  return { value: repeated.mean, stddev: repeated.stddev, n };
}

/** `, 2 of 5 repetitions failed` */
function lostRepetitions({ repetitions }: CaseResult): string {
  const { failed = 0, values = [] } = repetitions ?? {};
  return failed === 0 ? "" : `, ${failed} of ${failed + values.length} repetitions failed`;
}

/** Half of the 95 % confidence interval, in percent of the mean. */
function spreadOf(repetitions: CaseResult["repetitions"]): string {
  const { confidence95, mean } = repetitions ?? {};
  if (confidence95 == null || !mean) {
    return "";
  }
  const half = (confidence95.high - confidence95.low) / 2;
  return ` \u00b1${formatPercent((100 * half) / Math.abs(mean))}`;
}

function describeMeasurement(measurement: Measurement, ratio: string): string {
  const { bitsPerSecond, natLimits, search, failover } = measurement;
  if (failover !== null) {
    return describeFailover(failover, ratio);
  }
  if (natLimits !== null) {
    return describeNat(natLimits, ratio);
  }
  if (search !== null) {
    return describeSearch(search, bitsPerSecond, ratio);
  }
  const leading = leadingFigure(measurement);
  return leading === null ? "?" : [leading, ...besideOf(leading)].flatMap(words).join(", ");

  function words({ read, applies, format, inSummary }: Figure): string[] {
    const value = read(measurement) ?? null;
    const text = orUnknown(value, format);
    const said = inSummary?.(text, value) ?? text;
    return said === "" || !applies(measurement) ? [] : [`${said}${read === leading?.read ? ratio : ""}`];
  }
}

/** Figures that the summary has beside the leading one. */
function besideOf({ answers }: Figure): Figure[] {
  return Object.values(figures).filter(
    ({ beside, inSummary }) => inSummary !== null && beside.some((question) => answers.includes(question)),
  );
}

function formatRatio(ratio: number): string {
  return ratio >= 9999.5 ? ">9999x" : `${ratio.toFixed(ratio >= 99.995 ? 0 : 2)}x`;
}

function orUnknown(value: number | null, format: (value: number) => string): string {
  return value === null ? "?" : format(value);
}

function notesOf(results: Results, base: string | undefined): string[] {
  const once = results.plan.repeat.most === 1 ? ["One run: no ranking."] : [];
  const ratios =
    base === undefined
      ? []
      : [`(x): divided by ${base}'s figure; for latency (p50), less is better.`, ...once];
  const paths = results.topologies
    .filter((one) => one.path.status !== "proved")
    .map((one) => `${one.name}: path ${one.path.status}: ${one.path.message ?? "no reason given"}`);
  const failures = results.cases
    .filter((one) => one.failure !== null && one.failure.class !== "not-run") // its cell says so
    .map((one) => `${one.topology} ${one.id}: ${one.failure?.class}: ${one.failure?.message}`);
  const unsure = results.cases
    .filter((one) => one.repetitions?.converged === false)
    .map(({ topology, id, repetitions }) => {
      const times = repetitions?.values.length;
      return `${topology} ${id}: not converged: the 95 % interval is wider than ${repetitions?.withinPercent} % either way after ${times} repetitions`;
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
 * The table as text, notes below. Where it would be too wide, cells break at their commas; where that does not help,
 * each case has a line a topology.
 *
 * @param columns Of the terminal. @default 110, and a table that is wider all the same
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

/** A paragraph a case, for narrow terminals. */
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
