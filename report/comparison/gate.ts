/** The regression gate: finds figures that got worse than a baseline, by more than a tolerance and by more than chance. */

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

/** One figure compared with the baseline's, and its verdict. */
export interface GateRow {
  readonly topology: string;
  readonly caseId: string;
  readonly metric: FigureId | "status";
  readonly before: string;
  readonly after: string;
  /** Percentage by which it got worse; null if not known, as from a loss of 0. */
  readonly worsePercent: number | null;
  /**
   * Chance of a change this bad where nothing changed, corrected for all compared figures. Null: too few runs to tell.
   */
  readonly chance: number | null;
  /** The smallest change that these repetitions show in four of five comparisons, in percent; null: none. */
  readonly visiblePercent: number | null;
  /** `not judged`: too few runs to tell. */
  readonly verdict: "worse" | "within tolerance" | "not judged";
  /**
   * Whether more repetitions are needed to confirm an apparent regression: more repetitions failed, fewer flows survived, or
   * a change that Welch's test accepts may be between two levels of the same figure.
   */
  readonly undecided: boolean;
  /** Goal and trial length of a searched rate. Null: not searched for. */
  readonly goal: string | null;
}

export interface FigurePair {
  readonly metric: FigureId;
  readonly before: Estimate;
  readonly after: Estimate;
}

type Judged = Pick<GateRow, "worsePercent" | "chance" | "visiblePercent" | "verdict" | "undecided">;
/** A case with more failed repetitions than before. */
interface MoreFailed {
  readonly row: Omit<GateRow, "chance" | "verdict" | "undecided">;
  /** Null: even the worst order of these failures could be chance. */
  readonly chance: number | null;
}

interface Compared {
  readonly place: Pick<GateRow, "topology" | "caseId" | "goal">;
  /** Wording of the figure before and now. */
  readonly words: Pick<GateRow, "before" | "after">;
  readonly pair: FigurePair;
}

/**
 * Compares every figure with the baseline's figure of the same topology and case.
 *
 * Worse means: worse by more than the tolerance, and significantly so by Welch's test, corrected for the number of figures.
 * Also worse are a measured case that is now failed or missing, one without its leading figure, and one with significantly
 * more failed repetitions. Other missing figures are not judged: a percentile needs enough samples, whatever their latency.
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

/** Figures to be judged, and rows for missing cases. */
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

/** Repetitions without a value are named first. */
function wordsOf(metric: FigureId, found: Estimate | undefined, { repetitions }: Cell): string {
  const absent = absenceWords(metric, repetitions);
  const value = found === undefined ? [] : [figures[metric].format(found.value)];
  return [...(absent === null ? [] : [absent]), ...value].join(", ") || "not measured";
}

/** `noDropRate (loss goal 0 %, trials of 1 s)`. */
export function gateFigure({ metric, goal }: Pick<GateRow, "metric" | "goal">): string {
  return goal === null ? metric : `${metric} (${goal})`;
}

/** Judges figures together: the more there are, the less may each one alarm by chance. */
export function judgeFigures(pairs: readonly FigurePair[], tolerancePercent: number): Judged[] {
  return judgeTogether(pairs, tolerancePercent, []).figures;
}

/** @param others Probabilities of other findings, corrected together with the figures'. */
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
      // The median, or the surviving repetitions' figure, does not show how much is lost.
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

/** Uncorrected probabilities under no change. Null: not tested, or too few runs to tell. */
interface Chances {
  /** Whether more repetitions fail than before. */
  readonly fails: boolean;
  /** The probability of at least this many more failures. */
  readonly failures: number | null;
  /** The probability of values at least this much worse, among repetitions that did not fail. */
  readonly values: number | null;
  /** The same, assuming normally distributed values. */
  readonly valuesByWelch: number | null;
}

function chancesOf(pair: FigurePair, tolerancePercent: number): Chances {
  const { metric, before, after } = pair;
  const fails = failsMoreOften(pair, tolerancePercent);
  // A figure that counts failures has no other values.
  const hasValues = !fails || figures[metric].absentMeans !== "";
  const [low, high] = figures[metric].better === "higher" ? [after, before] : [before, after];
  return {
    fails,
    failures: fails ? chanceOfMoreFailures(pair) : null,
    values: hasValues ? chanceOfRise(low, high) : null,
    valuesByWelch: hasValues ? chanceOfRiseByWelch(low, high) : null,
  };
}

/** Whether a larger share of repetitions never recovered or found no rate, or fewer flows survived. */
function failsMoreOften({ metric, before, after }: FigurePair, tolerancePercent: number): boolean {
  if (figures[metric].countsSurvivors) {
    return before.mean - after.mean > (tolerancePercent / 100) * before.mean;
  }
  const share = ({ absent, n, mean }: Estimate) =>
    figures[metric].countsFailures ? mean : absent / (absent + n);
  return share(after) > share(before);
}

/** Null: even the worst order of these failures could be chance. */
function chanceOfMoreFailures({ metric, before, after }: FigurePair): number | null {
  const failures = ({ absent, n, mean, ranked = [] }: Estimate) => {
    if (figures[metric].countsSurvivors) {
      return ranked.map((survived) => -survived);
    }
    const [failed, all] = figures[metric].countsFailures ? [Math.round(mean * n), n] : [absent, absent + n];
    return outcomesOf(failed, all);
  };
  return chanceOfHigher(failures(before), failures(after));
}

/** One for each failed repetition, zero for the others. */
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
