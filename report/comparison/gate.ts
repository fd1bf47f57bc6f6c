/** The regression gate: what got worse since a baseline, by more than a tolerance and by more than chance. */

import { absenceWords, type Estimate } from "../../bench/figures/estimate.ts";
import { comparedIds, type FigureId, figures } from "../../bench/figures/index.ts";
import {
  chanceOfRise,
  chanceOfRiseByWelch,
  corrected,
  SIGNIFICANCE,
  visiblePercent,
} from "../../bench/statistics/difference.ts";
import { chanceOfRankRise } from "../../bench/statistics/ranks.ts";
import type { Cell, Comparison } from "./comparison.ts";
import { goalOf } from "./verdict.ts";

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
  /**
   * Whether so few repetitions cannot tell what seems to be worse: more of them failed than before, fewer flows survived, or
   * a change that Welch's test believes may be between two levels of the same figure.
   */
  readonly undecided: boolean;
  /** Goal and trials' length of a rate that was searched for. Null: it was not. */
  readonly goal: string | null;
}

/** A figure and what became of it. */
export interface FigurePair {
  readonly metric: FigureId;
  readonly before: Estimate;
  readonly after: Estimate;
}

type Judged = Pick<GateRow, "worsePercent" | "chance" | "visiblePercent" | "verdict" | "undecided">;
/** More repetitions of a case failed than before. */
interface MoreFailed {
  readonly row: Omit<GateRow, "chance" | "verdict" | "undecided">;
  /** Null: even the worst order of so many failures could be chance. */
  readonly chance: number | null;
}

interface Compared {
  readonly place: Pick<GateRow, "topology" | "caseId" | "goal">;
  /** Figure of before and now, in words. */
  readonly words: Pick<GateRow, "before" | "after">;
  readonly pair: FigurePair;
}

/**
 * Compares every figure with the baseline's figure of the same topology and case.
 *
 * Worse means: worse by more than the tolerance, and by Welch's test, corrected for the number of figures, not by
 * chance. A case that was measured then and is failed or missing now is worse too, and so is one without its leading figure,
 * and one of which more repetitions fail than by chance.
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
  const failing = entries.flatMap((entry) => ("row" in entry && entry.chance !== null ? [entry] : []));
  const together = judgeTogether(
    pairs,
    tolerancePercent,
    failing.map(({ chance }) => chance as number),
  );
  const judged = new Map(together.figures.map((one, index) => [pairs[index], one]));
  return entries.map((entry): GateRow => {
    if ("row" in entry) {
      const chance = together.others[failing.indexOf(entry)] ?? null;
      const isWorse = chance !== null && chance < SIGNIFICANCE;
      return { ...entry.row, chance, verdict: isWorse ? "worse" : "not judged", undecided: !isWorse };
    }
    if (!("pair" in entry)) {
      return entry;
    }
    const { place, pair, words } = entry;
    return { ...place, metric: pair.metric, ...words, ...(judged.get(pair) as Judged) };
  });
}

/** Figures to be judged, and rows of what is there no more. */
function compareCells(
  old: Comparison["columns"][number],
  row: Comparison["rows"][number],
  after: Comparison,
): (GateRow | Compared | MoreFailed)[] {
  const then = row.cells[old.index];
  if (then?.status !== "ok") {
    return [];
  }
  const own = after.columns.filter(({ topology }) => topology.name === old.topology.name);
  const column =
    own.find(({ results }) => results.stack === old.results.stack) ?? (own.length === 1 ? own[0] : undefined);
  const place = { topology: old.label, caseId: row.info.id };
  const now = after.rows.find(({ info }) => info.id === row.info.id)?.cells[column?.index ?? -1];
  const unknown = { worsePercent: null, chance: null, visiblePercent: null } as const;
  const gone = { ...unknown, goal: null, undecided: false, verdict: "worse" } as const;
  if (now?.status !== "ok") {
    const state = now?.status === "failed" ? `failed: ${now.failure?.class}` : "not measured";
    return [{ ...place, metric: "status", before: "ok", after: state, ...gone }];
  }
  const figureRows = comparedIds.flatMap((metric): (GateRow | Compared)[] => {
    const [a, b] = [then.estimates[metric], now.estimates[metric]];
    if (a === undefined) {
      return [];
    }
    const goal = goalOf(metric, now);
    const words = { before: wordsOf(metric, a, then), after: wordsOf(metric, b, now) };
    if (b !== undefined) {
      return [{ place: { ...place, goal }, words, pair: { metric, before: a, after: b } }];
    }
    const { answers, absentMeans } = figures[metric];
    const verdict = answers.length > 0 || absentMeans !== "" ? "worse" : "not judged";
    return [{ ...place, metric, ...words, ...gone, goal, verdict }];
  });
  return [...moreFailed(place, then, now), ...figureRows];
}

function moreFailed(place: Pick<GateRow, "topology" | "caseId">, then: Cell, now: Cell): MoreFailed[] {
  if (now.lost.failed / now.lost.of <= then.lost.failed / then.lost.of) {
    return [];
  }
  const [before, after] = [then, now].map(({ lost }) => `${lost.failed} of ${lost.of} failed`) as [
    string,
    string,
  ];
  const fixed = { metric: "status", worsePercent: null, visiblePercent: null, goal: null } as const;
  const chance = chanceOfHigher(
    outcomesOf(then.lost.failed, then.lost.of),
    outcomesOf(now.lost.failed, now.lost.of),
  );
  return [{ row: { ...place, ...fixed, before, after }, chance }];
}

/** Repetitions without a value come first. */
function wordsOf(metric: FigureId, found: Estimate | undefined, { repetitions }: Cell): string {
  const absent = absenceWords(metric, repetitions);
  const value = found === undefined ? [] : [figures[metric].format(found.value)];
  return [...(absent === null ? [] : [absent]), ...value].join(", ") || "not measured";
}

/** `noDropRate (loss goal 0 %, trials of 1 s)`. */
export function gateFigure({ metric, goal }: Pick<GateRow, "metric" | "goal">): string {
  return goal === null ? metric : `${metric} (${goal})`;
}

/** Judges figures together: the more there are, the less is each one's chance to alarm by chance. */
export function judgeFigures(pairs: readonly FigurePair[], tolerancePercent: number): Judged[] {
  return judgeTogether(pairs, tolerancePercent, []).figures;
}

/** @param others Probabilities of other findings, which are corrected with those of the figures. */
function judgeTogether(pairs: readonly FigurePair[], tolerancePercent: number, others: readonly number[]) {
  const chances = pairs.map((pair) => chancesOf(pair, tolerancePercent));
  const family = correctedTogether(
    chances.map((one) => [one.failures, one.values]),
    others,
  );
  const byWelch = correctedTogether(
    chances.map((one) => [one.failures, one.valuesByWelch]),
    others,
  );
  const judged = pairs.map((pair, index): Judged => {
    const { fails } = chances[index] as Chances;
    const [failing, values] = family.own[index] as Corrected;
    const isSeen = (chance: number | null | undefined) => chance != null && chance < SIGNIFICANCE;
    const isChanged = isBeyond(pair, tolerancePercent);
    const areValuesWorse = isSeen(values) && isChanged;
    const isWorse = isSeen(failing) || areValuesWorse;
    const isUndecided = !isWorse && (fails || (isSeen(byWelch.own[index]?.[1]) && isChanged));
    const chance = fails && !areValuesWorse ? failing : values;
    const saysValues = !fails || areValuesWorse;
    return {
      // The median, and the others' figure, do not tell how much is lost.
      worsePercent: saysValues ? worsePercentOf(pair) : null,
      chance,
      visiblePercent: saysValues ? visiblePercent(pair.before, pair.after, family.tests) : null,
      verdict: isWorse ? "worse" : chance === null || isUndecided ? "not judged" : "within tolerance",
      undecided: isUndecided,
    };
  });
  return { figures: judged, others: family.others };
}

type Corrected = readonly [failures: number | null, values: number | null];

/** Corrects the chances of all figures and other findings as one family of tests. */
function correctedTogether(chances: readonly Corrected[], others: readonly number[]) {
  const tests = chances.flat().filter((one) => one !== null);
  const fair = corrected([...tests, ...others]);
  let next = 0;
  const correctedOf = (chance: number | null) => (chance === null ? null : (fair[next++] ?? 1));
  return {
    own: chances.map(([failures, values]): Corrected => [correctedOf(failures), correctedOf(values)]),
    others: fair.slice(tests.length),
    tests: Math.max(1, fair.length),
  };
}

/** Probabilities under no change, uncorrected. Null: not tested, or too few runs to tell. */
interface Chances {
  /** Whether more fails than before. */
  readonly fails: boolean;
  /** The probability of at least this many more failures. */
  readonly failures: number | null;
  /** The probability of values at least this much worse, among the repetitions that did not fail. */
  readonly values: number | null;
  /** The same as if the values were normally distributed. */
  readonly valuesByWelch: number | null;
}

function chancesOf(pair: FigurePair, tolerancePercent: number): Chances {
  const { metric, before, after } = pair;
  const fails = failsMoreOften(pair, tolerancePercent);
  // A figure whose values are the failures has no others.
  const hasValues = !fails || figures[metric].absentMeans !== "";
  const [low, high] = figures[metric].better === "higher" ? [after, before] : [before, after];
  return {
    fails,
    failures: fails ? chanceOfMoreFailures(pair) : null,
    values: hasValues ? chanceOfRise(low, high) : null,
    valuesByWelch: hasValues ? chanceOfRiseByWelch(low, high) : null,
  };
}

/** Whether a larger share of the repetitions than before never recovered or found no rate, or fewer flows survived them. */
function failsMoreOften({ metric, before, after }: FigurePair, tolerancePercent: number): boolean {
  if (figures[metric].countsSurvivors) {
    return before.mean - after.mean > (tolerancePercent / 100) * before.mean;
  }
  const share = ({ absent, n, mean }: Estimate) =>
    metric === "failoverNeverRecovered" ? mean : absent / (absent + n);
  return share(after) > share(before);
}

/** Null: even the worst order of so many failures could be chance. */
function chanceOfMoreFailures({ metric, before, after }: FigurePair): number | null {
  const failures = ({ absent, n, mean, ranked = [] }: Estimate) => {
    if (figures[metric].countsSurvivors) {
      return ranked.map((survived) => -survived);
    }
    const [failed, all] =
      metric === "failoverNeverRecovered" ? [Math.round(mean * n), n] : [absent, absent + n];
    return outcomesOf(failed, all);
  };
  return chanceOfHigher(failures(before), failures(after));
}

/** One for each repetition that failed, zero for the others. */
function outcomesOf(failed: number, all: number): number[] {
  return Array.from({ length: all }, (_, index) => Number(index < failed));
}

function chanceOfHigher(then: readonly number[], now: readonly number[]): number | null {
  const both = [...then, ...now].sort((a, b) => a - b);
  const least = chanceOfRankRise(both.slice(0, then.length), both.slice(then.length));
  return least < SIGNIFICANCE ? chanceOfRankRise(then, now) : null;
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
