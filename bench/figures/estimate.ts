/**
 * Each figure's value over a case's repetitions: the one value that summary, report, CSV and gate all show, its
 * interval, and how two of them compare.
 */
import type { CaseResult, Repetitions, Results } from "../results/index.ts";
import {
  chanceOfDifference,
  chanceOfRounds,
  type Ratio,
  type Round,
  ratioOfMeans,
  ratioOfRounds,
  type Sample,
} from "../statistics/difference.ts";
import { type Interval, mean, meanConfidence95, median, pilotOf, stddev } from "../statistics/sample.ts";
import type { Figure } from "./figure.ts";
import { type FigureId, figures } from "./index.ts";

/** A figure of all repetitions. */
export interface Estimate extends Sample {
  /** Whether `value` is the mean or the median. */
  readonly centre: Figure["centre"];
  readonly mean: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
  /** 95 % confidence interval of the mean; null: a single run, or a figure whose median counts. */
  readonly interval: Interval | null;
  /** The value of each round, null where it has none. Null: its repetitions share no rounds with other topologies'. */
  readonly rounds: readonly (number | null)[] | null;
}

/** How a run was planned, as far as its statistics depend on it. */
export type Planned = Pick<Results["plan"], "repeat" | "order">;

/** A figure's value for one case on one topology; null when none measured it. */
export function estimate(id: FigureId, results: readonly CaseResult[], plan?: Planned): Estimate | null {
  const [only, ...others] = results;
  const own = only === undefined || others.length > 0 ? null : ownRepetitions(only, id);
  const values = own?.values ?? results.flatMap((one) => valuesOf(one, id));
  const known = values.filter((value) => value !== null);
  if (known.length === 0) {
    return null;
  }
  const pilot = own === null || plan === undefined ? undefined : pilotOf(plan.repeat);
  const repetitions = own === null || plan?.order === "sequential" ? null : (only?.repetitions ?? null);
  const rounds = repetitions === null ? null : roundsOf(repetitions, values);
  return { ...summarize(known, { ...figures[id], pilot }), rounds };
}

/** Null: the case was measured once, or by a release that did not keep this figure of every repetition. */
function ownRepetitions({ repetitions }: CaseResult, id: FigureId) {
  const { path } = figures[id];
  return repetitions?.metrics[path] ?? (repetitions?.metric === path ? repetitions : null);
}

function valuesOf(result: CaseResult, id: FigureId): (number | null)[] {
  const { measurement } = result;
  const single = measurement === null ? null : (figures[id].read(measurement) ?? null);
  return [...(ownRepetitions(result, id)?.values ?? [single])];
}

/** A figure of every repetition that measured, with the number of its round; of a case measured once, one. */
export function repetitionValues(
  result: CaseResult,
  id: FigureId,
): { readonly round: number; readonly value: number | null }[] {
  const rounds = result.repetitions?.rounds;
  return valuesOf(result, id).map((value, index) => ({ round: rounds?.[index] ?? index + 1, value }));
}

/** Null: documents of before rounds were recorded do not tell which round a failed repetition was of. */
function roundsOf(
  { rounds, failed }: Pick<Repetitions, "rounds" | "failed">,
  values: readonly (number | null)[],
): readonly (number | null)[] | null {
  if (rounds === undefined) {
    return failed === 0 ? values : null;
  }
  const byRound = new Map(rounds.map((round, index) => [round, values[index] ?? null]));
  return Array.from({ length: Math.max(0, ...rounds) }, (_, index) => byRound.get(index + 1) ?? null);
}

/** How many repetitions measured. */
export function measuredOf({ values, metrics }: Pick<Repetitions, "values" | "metrics">): number {
  return Math.max(values.length, ...Object.values(metrics).map((one) => one.values.length));
}

/** Some repetitions as one figure. @throws {RangeError} of none */
export function summarize(
  values: readonly number[],
  { pilot, centre = "mean", byRanks = false }: Partial<Figure> & { readonly pilot?: number | undefined } = {},
): Estimate {
  const n = values.length;
  const first = values.slice(0, pilot ?? n);
  return {
    value: centre === "mean" ? mean(values) : median(values),
    ...{ centre, n, pilot, mean: mean(values), median: median(values) },
    ...{ min: Math.min(...values), max: Math.max(...values) },
    stddev: first.length < 2 ? null : stddev(first),
    interval: first.length < 2 || byRanks ? null : meanConfidence95(values, first.length),
    ranked: byRanks ? values : undefined,
    rounds: null,
  };
}

/** Two figures against each other. */
export interface Contrast {
  /** Ratio of the first to the second; null where one is missing. */
  readonly ratio: Ratio | null;
  /** Chance of so large a difference where there is none; null: too few runs. */
  readonly chance: number | null;
  /** Whether they were compared round by round. */
  readonly byRound: boolean;
}

/** Compares figures of topologies of the same run: round by round where they share enough rounds. */
export function contrast(a: Estimate, b: Estimate): Contrast {
  const rounds = commonRounds(a, b);
  const pilot = a.pilot ?? b.pilot;
  const chance = chanceOfRounds(rounds, pilot);
  return chance === null
    ? contrastOfMeans(a, b)
    : { ratio: ratioOfRounds(rounds, pilot) ?? ratioOfMeans(a, b), chance, byRound: true };
}

/** Compares figures of different runs, which share no rounds. */
export function contrastOfMeans(a: Estimate, b: Estimate): Contrast {
  const ratio = ratioOfMeans(a, b);
  // The interval is of means.
  const byRanks = a.ranked !== undefined && ratio !== null;
  return {
    ratio: byRanks ? { ...ratio, interval: null } : ratio,
    chance: chanceOfDifference(a, b),
    byRound: false,
  };
}

function commonRounds(a: Estimate, b: Estimate): Round[] {
  if (a.ranked !== undefined) {
    return [];
  }
  return (a.rounds ?? []).flatMap((one, index): Round[] => {
    const other = b.rounds?.[index] ?? null;
    return one === null || other === null ? [] : [[one, other]];
  });
}
