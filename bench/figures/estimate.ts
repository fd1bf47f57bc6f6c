/**
 * Each figure over a case's repetitions: the one value that summary, report, CSV and gate all show, its interval, and how two
 * estimates compare.
 */
import type { CaseResult, RepeatedFigure, Repetitions, Results } from "../results/index.ts";
import {
  chanceOfDifference,
  chanceOfRounds,
  type Ratio,
  type Round,
  ratioOfMeans,
  ratioOfRounds,
  type Sample,
} from "../statistics/difference.ts";
import {
  type Interval,
  mean,
  meanConfidence95,
  median,
  pilotOf,
  possiblePart,
  stddev,
  tellingPilot,
} from "../statistics/sample.ts";
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
  /** Repetitions that measured and have no value, where that means something; no other number here includes them. */
  readonly absent: number;
  /** The value of each round, null where it has none. Null: its repetitions share no rounds with other topologies'. */
  readonly rounds: readonly (number | null)[] | null;
}

/** The properties of a run's plan that its statistics depend on. */
export type Planned = Pick<Results["plan"], "repeat" | "order">;

/** A figure's value for one case on one topology; null if no repetition measured it. */
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
  return { ...summarize(known, { ...figures[id], pilot }), rounds, absent: absenceOf(id, results).absent };
}

/** Number of repetitions that measured and have no value, for figures where that means something. */
export function absenceOf(
  id: FigureId,
  results: readonly CaseResult[],
): { readonly absent: number; readonly of: number } {
  const { absentMeans, applies } = figures[id];
  const asked = results.filter(({ measurement }) => measurement !== null && applies(measurement));
  const values = absentMeans === "" ? [] : asked.flatMap((one) => valuesOf(one, id));
  return { absent: values.filter((value) => value === null).length, of: values.length };
}

/** `2 of 5 found no rate`. Null: every repetition has a value, or it was measured once. */
export function absenceWords(id: FigureId, results: readonly CaseResult[]): string | null {
  const { absent, of } = absencesOf(id, results);
  return absent === 0 || of < 2 || figures[id].absentMeans === ""
    ? null
    : `${absent} of ${of} ${figures[id].absentMeans}`;
}

/** Number of repetitions without a value, or with a failure that another figure counts, as of traffic that never recovered. */
export function absencesOf(id: FigureId, results: readonly CaseResult[]): ReturnType<typeof absenceOf> {
  const { absentBy } = figures[id];
  if (absentBy === null) {
    return absenceOf(id, results);
  }
  const values = results.flatMap((one) => valuesOf(one, absentBy as FigureId));
  const known = values.filter((value) => value !== null);
  return { absent: known.filter((value) => value > 0).length, of: known.length };
}

/** Null: the case was measured once, or has no such figure. */
function ownRepetitions(result: CaseResult, id: FigureId): Pick<RepeatedFigure, "values"> | null {
  const { repetitions, measurement } = result;
  const { path, absentMeans, applies, read } = figures[id];
  const kept = repetitions?.metrics[path] ?? (repetitions?.metric === path ? repetitions : null);
  if (repetitions === null || measurement === null || absentMeans === "" || kept?.values.length) {
    return kept;
  }
  // Figures without a value in any repetition are not kept.
  return applies(measurement) && read(measurement) == null
    ? { values: Array.from({ length: measuredOf(repetitions) }, () => null) }
    : kept;
}

function valuesOf(result: CaseResult, id: FigureId): (number | null)[] {
  const { measurement } = result;
  const single = measurement === null ? null : (figures[id].read(measurement) ?? null);
  return [...(ownRepetitions(result, id)?.values ?? [single])];
}

/** A figure's value in every repetition that measured, with its round number; one value for a case measured once. */
export function repetitionValues(
  result: CaseResult,
  id: FigureId,
): { readonly round: number; readonly value: number | null }[] {
  const rounds = result.repetitions?.rounds;
  return valuesOf(result, id).map((value, index) => ({ round: rounds?.[index] ?? index + 1, value }));
}

/** The values by round; null for a repetition that failed. */
function roundsOf(
  { rounds }: Pick<Repetitions, "rounds">,
  values: readonly (number | null)[],
): readonly (number | null)[] {
  const byRound = new Map(rounds.map((round, index) => [round, values[index] ?? null]));
  return Array.from({ length: Math.max(0, ...rounds) }, (_, index) => byRound.get(index + 1) ?? null);
}

/** How many repetitions measured. */
export function measuredOf({
  values,
  metrics,
  rounds,
}: Pick<Repetitions, "values" | "metrics" | "rounds">): number {
  return Math.max(values.length, rounds.length, ...Object.values(metrics).map((one) => one.values.length));
}

/** 95 % interval of a figure's mean: no figure is below 0, and no share above 100 %. @param pilot As of {@link meanConfidence95}. */
export function figureConfidence95(
  values: readonly number[],
  { unit }: Pick<Figure, "unit">,
  pilot?: number,
): Interval {
  return possiblePart(meanConfidence95(values, pilot), unit === "%" ? 100 : Number.POSITIVE_INFINITY);
}

/** Some repetitions as one figure. @throws {RangeError} of none */
export function summarize(
  values: readonly number[],
  {
    pilot,
    unit = "1",
    centre = "mean",
    byRanks = false,
  }: Partial<Figure> & { readonly pilot?: number | undefined } = {},
): Estimate {
  const n = values.length;
  const first = values.slice(0, tellingPilot(values, pilot));
  return {
    value: centre === "mean" ? mean(values) : median(values),
    ...{
      centre,
      n,
      pilot: pilot === undefined ? undefined : first.length,
      mean: mean(values),
      median: median(values),
    },
    ...{ min: Math.min(...values), max: Math.max(...values) },
    stddev: first.length < 2 ? null : stddev(first),
    interval: first.length < 2 || byRanks ? null : figureConfidence95(values, { unit }, first.length),
    ranked: byRanks ? values : undefined,
    rounds: null,
    absent: 0,
  };
}

/** Two figures against each other. */
export interface Contrast {
  /** Ratio of the first to the second; null where one is missing. */
  readonly ratio: Ratio | null;
  /** Chance of a difference this large without a real one; null: too few runs. */
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
