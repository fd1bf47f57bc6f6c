/** The regression gate: what got worse since a baseline, by more than a tolerance and by more than chance. */

import type { Estimate } from "../../bench/figures/estimate.ts";
import { comparedIds, type FigureId, figures } from "../../bench/figures/index.ts";
import { chanceOfRise, corrected, SIGNIFICANCE, visiblePercent } from "../../bench/statistics/difference.ts";
import type { Comparison } from "./comparison.ts";

/** One figure against the baseline's, and how it is judged. */
export interface GateRow {
  readonly topology: string;
  readonly caseId: string;
  readonly metric: FigureId | "status";
  readonly before: string;
  readonly after: string;
  /** Share by which it got worse, in percent; null where that is not known, as from a loss of 0. */
  readonly worsePercent: number | null;
  /**
   * Chance of so large a change for the worse where nothing changed, corrected for all figures that were compared. Null:
   * there are too few runs to tell.
   */
  readonly chance: number | null;
  /** The smallest change that such repetitions show in four of five comparisons, in percent; null: none. */
  readonly visiblePercent: number | null;
  /** `not judged`: there are too few runs to tell. */
  readonly verdict: "worse" | "within tolerance" | "not judged";
}

/** A figure and what became of it. */
export interface FigurePair {
  readonly metric: FigureId;
  readonly before: Estimate;
  readonly after: Estimate;
}

type Judged = Pick<GateRow, "worsePercent" | "chance" | "visiblePercent" | "verdict">;
interface Compared {
  readonly place: Pick<GateRow, "topology" | "caseId">;
  readonly pair: FigurePair;
}

/**
 * Compares every figure with the baseline's figure of the same topology and case.
 *
 * Worse means: worse by more than the tolerance, and by Welch's test, corrected for the number of figures, not by
 * chance. A case that was measured then and is failed or missing now is worse too, and so is one without its leading figure.
 * Another figure that is missing is not judged: a percentile needs samples enough, whatever their latency.
 *
 * @param tolerancePercent At least 0.
 * @returns Every row that was compared.
 */
export function judge(before: Comparison, after: Comparison, tolerancePercent: number): GateRow[] {
  const entries = before.columns.flatMap((old) =>
    before.rows.flatMap((row) => compareCells(old, row, after)),
  );
  const pairs = entries.flatMap((entry) => ("pair" in entry ? [entry.pair] : []));
  const judged = new Map(judgeFigures(pairs, tolerancePercent).map((one, index) => [pairs[index], one]));
  return entries.map((entry): GateRow => {
    if (!("pair" in entry)) {
      return entry;
    }
    const { place, pair } = entry;
    const { format } = figures[pair.metric];
    return {
      ...place,
      metric: pair.metric,
      before: format(pair.before.value),
      after: format(pair.after.value),
      ...(judged.get(pair) as Judged),
    };
  });
}

/** Figures to be judged, and rows of what is there no more. */
function compareCells(
  old: Comparison["columns"][number],
  row: Comparison["rows"][number],
  after: Comparison,
): (GateRow | Compared)[] {
  const then = row.cells[old.index];
  if (then?.status !== "ok") {
    return [];
  }
  const own = after.columns.filter(({ topology }) => topology.name === old.topology.name);
  const column =
    own.find(({ results }) => results.stack === old.results.stack) ?? (own.length === 1 ? own[0] : undefined);
  const place = { topology: old.label, caseId: row.info.id };
  const now = after.rows.find(({ info }) => info.id === row.info.id)?.cells[column?.index ?? -1];
  const gone = { worsePercent: null, chance: null, visiblePercent: null, verdict: "worse" } as const;
  if (now?.status !== "ok") {
    const state = now?.status === "failed" ? `failed: ${now.failure?.class}` : "not measured";
    return [{ ...place, metric: "status", before: "ok", after: state, ...gone }];
  }
  return comparedIds.flatMap((metric): (GateRow | Compared)[] => {
    const [a, b] = [then.estimates[metric], now.estimates[metric]];
    if (a === undefined) {
      return [];
    }
    if (b !== undefined) {
      return [{ place, pair: { metric, before: a, after: b } }];
    }
    const { format, answers } = figures[metric];
    const verdict = answers.length > 0 ? "worse" : "not judged";
    return [{ ...place, metric, before: format(a.value), after: "not measured", ...gone, verdict }];
  });
}

/** Judges figures together: the more there are, the less is each one's chance to alarm by chance. */
export function judgeFigures(pairs: readonly FigurePair[], tolerancePercent: number): Judged[] {
  const chances = pairs.map(chanceOfWorse);
  const tests = chances.filter((chance) => chance !== null);
  const fair = corrected(tests);
  let next = 0;
  return pairs.map((pair, index) => {
    const chance = chances[index] === null ? null : (fair[next++] ?? 1);
    const isWorse = chance !== null && chance < SIGNIFICANCE && isBeyond(pair, tolerancePercent);
    return {
      worsePercent: worsePercentOf(pair),
      chance,
      visiblePercent: visiblePercent(pair.before, pair.after, Math.max(1, tests.length)),
      verdict: chance === null ? "not judged" : isWorse ? "worse" : "within tolerance",
    };
  });
}

function chanceOfWorse({ metric, before, after }: FigurePair): number | null {
  return figures[metric].better === "higher" ? chanceOfRise(after, before) : chanceOfRise(before, after);
}

function worseBy({ metric, before, after }: FigurePair): number {
  return (after.value - before.value) * (figures[metric].better === "higher" ? -1 : 1);
}

function worsePercentOf(pair: FigurePair): number | null {
  const { value } = pair.before;
  return value === 0 ? null : (worseBy(pair) / Math.abs(value)) * 100;
}

function isBeyond(pair: FigurePair, tolerancePercent: number): boolean {
  const worse = worseBy(pair);
  const share = worsePercentOf(pair) ?? (worse > 0 ? Number.POSITIVE_INFINITY : 0);
  return share > tolerancePercent && worse > figures[pair.metric].leastChange;
}

/**
 * The smallest change that the comparison could have seen, the median of the judged figures'. Null: nothing was judged by its mean.
 */
export function powerSentence(rows: readonly GateRow[]): string | null {
  const visible = rows.flatMap((row) => row.visiblePercent ?? []).sort((a, b) => a - b);
  const middle = visible[Math.floor(visible.length / 2)];
  return middle === undefined
    ? null
    : `In half of ${visible.length} figures a change under ${middle.toFixed(1)} % is missed in more than one of five comparisons.`;
}
