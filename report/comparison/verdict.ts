/** The verdict: one line per topology with the deciding figures, and a few sentences on the leaders. */

import { absenceWords, type Estimate } from "../../bench/figures/estimate.ts";
import { comparedIds, type FigureId, figures, type Question, questions } from "../../bench/figures/index.ts";
import { groupBy } from "../../bench/group-by.ts";
import { limitedBy, whyUnmeasured } from "../../bench/results/index.ts";
import type { Interval } from "../../bench/statistics/sample.ts";
import { goalWords } from "../../bench/summary/search-summary.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { count, NOT_MEASURED, ratio } from "../text/format.ts";
import { type Cell, type Column, type Comparison, contrastToBaseline, type Row } from "./comparison.ts";
import { type Differences, differencesOf, howCompared } from "./differences.ts";

/** A column of the verdict table: one question, its deciding metric and the metrics beneath it. */
export interface VerdictFigure {
  readonly heading: string;
  /** The case that most topologies measured; others may answer the question with another case. */
  readonly row: Row;
  /** The case that answers the question for one topology. */
  readonly rowOf: (column: Column) => Row;
  readonly metric: FigureId;
  readonly beneath: readonly FigureId[];
}

/** One column per figure that answers a question. A figure that no topology measured is left out if another one answers. */
export function verdictFigures(comparison: Comparison): VerdictFigure[] {
  const columns = questions.flatMap((question) =>
    comparedIds
      .filter((id) => figures[id].answers.includes(question))
      .flatMap((id) =>
        rowsOf(comparison, id, question).flatMap((rows) => columnOf(comparison, id, rows) ?? []),
      ),
  );
  return columns.filter(
    (one, at) =>
      one.measured > 0 ||
      !columns.some((other, index) => other.row === one.row && (other.measured > 0 || index < at)),
  );
}

/** Rows for a question: for throughput separately by searched rates, protocol and direction. */
function rowsOf({ rows }: Comparison, metric: FigureId, question: Question): Row[][] {
  const asking = rows.filter(({ info }) => (info.question ?? "throughput") === question);
  if (question !== "throughput") {
    return [asking];
  }
  // Cases without a measurement stand under the first figure that needs no search.
  const isFirst =
    metric === comparedIds.find((id) => !figures[id].isSearched && figures[id].answers.includes(question));
  const candidates = isFirst ? asking : asking.filter((row) => isMeasured(row, metric));
  const flows = ["tcp", "udp"].flatMap((protocol) =>
    ["egress", "ingress"].map((direction) => ({ protocol, direction })),
  );
  const plain = candidates.filter((row) => !searched(row));
  return [
    ...(isFirst ? [] : [candidates.filter(searched)]),
    ...flows.map(({ protocol, direction }) =>
      plain.filter(
        ({ info }) => !info.bothWays && info.protocol === protocol && info.direction === direction,
      ),
    ),
    plain.filter(({ info }) => info.bothWays),
  ];
}

function columnOf({ columns }: Comparison, metric: FigureId, candidates: readonly Row[]) {
  const has = ({ cells }: Row, { index }: Column) => cells[index]?.estimates[metric] !== undefined;
  const measured = (row: Row) => columns.filter((column) => has(row, column)).length;
  const rows = candidates.toSorted((a, b) => measured(b) - measured(a));
  const [row] = rows;
  return row === undefined
    ? null
    : {
        heading: `${row.info.title}${figures[metric].heading}`,
        row,
        rowOf: (column: Column) =>
          has(row, column) ? row : (rows.find((other) => has(other, column)) ?? row),
        metric,
        beneath: comparedIds.filter((id) =>
          figures[id].beside.some((question) => figures[metric].answers.includes(question)),
        ),
        measured: measured(row),
      };
}

/** Whether a row is a search. */
function searched(row: Row): boolean {
  return comparedIds.some((id) => figures[id].isSearched && isMeasured(row, id));
}

function isMeasured({ cells }: Row, id: FigureId): boolean {
  return cells.some(({ repetitions }) =>
    repetitions.some(({ measurement }) => measurement !== null && figures[id].applies(measurement)),
  );
}

export interface ShownFigure {
  readonly text: string;
  readonly ratio: string | null;
  readonly confidence: string | null;
  readonly state: "ok" | "failed" | "missing";
}

/** A table cell's text: value, ratio to direct, confidence; or why there is none. */
export function showFigure(row: Row, column: Column, metric: FigureId): ShownFigure {
  const cell = row.cells[column.index];
  const found = cell?.estimates[metric];
  // Repetitions without a value come first, as no other figure shows them.
  const absent = absenceWords(metric, cell?.repetitions ?? []);
  if (found === undefined) {
    const unmeasured = whyUnmeasured(cell?.failure);
    const failed = cell?.status === "failed" && unmeasured === null;
    const without = cell === undefined ? null : withoutValue(metric, cell);
    if (without !== null) {
      const text = [absent ?? figures[metric].absentMeans, without].filter((one) => one !== "").join(", ");
      return { text, ratio: null, confidence: null, state: "failed" };
    }
    const text =
      unmeasured !== null
        ? unmeasured
        : failed
          ? `failed: ${cell.failure?.class ?? "unknown"}`
          : NOT_MEASURED;
    return { text, ratio: null, confidence: null, state: failed ? "failed" : "missing" };
  }
  const times = contrastToBaseline(row, column, metric)?.ratio ?? null;
  return {
    text: [...(absent === null ? [] : [absent]), figures[metric].format(found.value)].join(", "),
    ratio: times === null ? null : `${ratio(times.value)}${showInterval(times.interval)}`,
    confidence:
      [goalOf(metric, cell), ...showConfidence(found, figures[metric].format), showLost(cell)]
        .filter((text) => text !== null)
        .join("; ") || null,
    state: "ok",
  };
}

/** ` (0.57 to 0.63)` */
function showInterval(interval: Interval | null): string {
  return interval === null ? "" : ` (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`;
}

/** Goal and trial length of a searched rate. */
export function goalOf(metric: FigureId, cell: Cell | undefined): string | null {
  const found = cell?.repetitions.find(({ measurement }) => measurement?.search)?.measurement;
  return found ? goalWords(metric, found) : null;
}

/** Addition to the words for a figure that was looked for and has no value, as in `over 19.0 s`. Null: it was not looked for. */
function withoutValue(metric: FigureId, { repetitions }: Cell): string | null {
  const { absentMeans, absentDetail, applies, read } = figures[metric];
  const found = repetitions.flatMap(({ measurement }) => measurement ?? []);
  const without = found.find((one) => applies(one) && read(one) == null);
  return absentMeans === "" || without === undefined ? null : absentDetail(without);
}

/** `2 of 5 repetitions failed` */
function showLost(cell: Cell | undefined): string | null {
  const { failed = 0, of = 0 } = cell?.lost ?? {};
  return failed === 0 || of < 2 ? null : `${failed} of ${of} repetitions failed`;
}

/** `9.1 to 9.6 Gbit/s (95 %, n = 5)` and the other of mean and median; empty for a single run. */
function showConfidence(found: Estimate, format: (value: number) => string): string[] {
  const { interval, centre, n, min, max } = found;
  if (n < 2) {
    return [];
  }
  const [other, value] = centre === "mean" ? ["median", found.median] : ["mean", found.mean];
  const span =
    interval === null
      ? `${centre}; ${format(min)} to ${format(max)} (all, n = ${count(n)})`
      : `${format(interval.low)} to ${format(interval.high)} (95 %, n = ${count(n)})`;
  return [span, `${other} ${format(value)}`];
}

/**
 * Sentences on the leading topologies; empty where fewer than two topologies have a figure. Clouds and the lab are separate,
 * since they measure different things.
 */
export function verdictSentences(comparison: Comparison): string[] {
  const clouds = [...new Set(comparison.columns.map(({ results }) => results.cloud))];
  const differences = differencesOf(comparison);
  const sentences = clouds.flatMap((cloud) => {
    const columns = comparison.columns.filter(({ results }) => results.cloud === cloud);
    const name = clouds.length === 1 ? "" : `${cloudRecords[cloud].title}: `;
    return sentencesOf({ ...comparison, columns }, differences).map((sentence) => `${name}${sentence}`);
  });
  return [...sentences, ...howCompared(differences)];
}

function sentencesOf(comparison: Comparison, differences: Differences): string[] {
  const deciding = verdictFigures(comparison);
  const leaders = [...groupBy(deciding, ({ metric }) => metric)].flatMap(([id, columns]) =>
    columns.slice(0, figures[id].rankedColumns),
  );
  const sentences = [
    ...leaders.map((figure) => leader(comparison, figure, differences)),
    limited(comparison),
    unsure(comparison),
  ];
  return sentences.filter((sentence) => sentence !== null);
}

interface Ranked {
  readonly column: Column;
  readonly found: Estimate;
}

function leader(
  { columns }: Comparison,
  { row, metric, heading }: VerdictFigure,
  differences: Differences,
): string | null {
  const ranked = columns
    .flatMap((column): Ranked[] => {
      const found = row.cells[column.index]?.estimates[metric];
      return found === undefined ? [] : [{ column, found }];
    })
    .sort((a, b) => (figures[metric].better === "higher" ? 1 : -1) * (b.found.value - a.found.value));
  if (ranked.length < 2) {
    return null;
  }
  const list = ranked
    .map(({ column, found }) => {
      const absent = absenceWords(metric, row.cells[column.index]?.repetitions ?? []);
      return `${column.label} ${figures[metric].format(found.value)}${absent === null ? "" : ` (${absent})`}`;
    })
    .join(", ");
  if (ranked.every(({ found }) => found.n < 2)) {
    return `${heading} (one run: no ranking): ${list}.`;
  }
  const ties = ranked.slice(1).flatMap((one, index) => {
    const before = ranked[index] as Ranked;
    const differ = differences.areDifferent(row, metric, before.column, one.column);
    return differ ? [] : [` ${before.column.label} and ${one.column.label} cannot be distinguished.`];
  });
  return `${heading}, best first: ${list}.${ties.join("")}`;
}

/** Topologies limited by the machines at their ends. */
function limited({ columns, rows }: Comparison): string | null {
  const names = columns
    .filter(({ index }) =>
      rows.some(({ cells }) => ["client", "server"].includes(limitedBy(cells[index]?.limits ?? null) ?? "")),
    )
    .map(({ label }) => label);
  return names.length === 0
    ? null
    : `Client or server ran at their limit in some cases of ${names.join(", ")}: there the figures are the machines', not the path's.`;
}

function unsure({ columns, rows }: Comparison): string | null {
  const estimates = rows.flatMap(({ cells }) =>
    columns.flatMap(({ index }) => Object.values(cells[index]?.estimates ?? {})),
  );
  const single = estimates.filter(({ n }) => n < 2).length;
  return single === 0
    ? null
    : single === estimates.length
      ? "One run: no ranking. Every figure is from a single run, so that there is no confidence interval and differences prove nothing."
      : "Some figures are from a single run and have no confidence interval.";
}
