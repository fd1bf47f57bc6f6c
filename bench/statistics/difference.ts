/**
 * Tests whether two figures differ: Welch's test, ranks or paired rounds, with a correction for many figures and the smallest
 * change that a test can see.
 */
import library from "jstat";
import { chanceOfRankRise, leastRankChance } from "./ranks.ts";
import { type Interval, mean, stddev, studentT, tellingPilot } from "./sample.ts";

/** Values of a figure's repetitions. */
export interface Sample {
  readonly value: number;
  /** Null: a single run. */
  readonly stddev: number | null;
  readonly n: number;
  /** Number of first values that decided `n`; `stddev` is over these alone. @default n, which was fixed beforehand */
  readonly pilot?: number | undefined;
  /** All values of a figure that is summarized by its median; it is compared by ranks. @default summarized by its mean */
  readonly ranked?: readonly number[] | undefined;
}

/** Accepted share of false alarms. */
export const SIGNIFICANCE = 0.05;
/** Chance of seeing a change that is called visible. */
const POWER = 0.8;
/** Rounds that two figures must share to be compared round by round. */
const LEAST_ROUNDS = 3;

interface Scatter {
  readonly standardError: number;
  readonly degreesOfFreedom: number;
}

function scatterOf(a: Sample, b: Sample): Scatter | null {
  return a.stddev === null || b.stddev === null
    ? null
    : welch(a, a.stddev ** 2 / a.n, b, b.stddev ** 2 / b.n);
}

function degreesOf({ n, pilot = n }: Sample): number {
  return Math.min(n, pilot) - 1;
}

/**
 * Variances of two means, which need not be equal; degrees of freedom by Welch and Satterthwaite. The smaller side's degrees
 * are used where that formula is too bold: with unequal numbers of values (ten against two, judged among twenty
 * figures: alarms in 27 % of comparisons without a change), and where the scatter decided the numbers, so that the
 * difference has tails as heavy as either side's (Behrens and Fisher). If all values of one side are equal, the other side's
 * scatter stands for it: a few equal values do not prove that there is none.
 */
function welch(a: Sample, aKnown: number, b: Sample, bKnown: number): Scatter {
  const aVariance = aKnown || (bKnown * b.n) / a.n;
  const bVariance = bKnown || (aKnown * a.n) / b.n;
  const sum = aVariance + bVariance;
  const [aDegrees, bDegrees] = [degreesOf(a), degreesOf(b)];
  const degrees =
    a.n !== b.n || a.pilot !== undefined || b.pilot !== undefined
      ? Math.min(aDegrees, bDegrees)
      : sum ** 2 / (aVariance ** 2 / aDegrees + bVariance ** 2 / bDegrees);
  return { standardError: Math.sqrt(sum), degreesOfFreedom: sum === 0 ? 1 : degrees };
}

/**
 * The chance of a rise from `a` to `b` this large where nothing changed; for means at least {@link twoLevelChance}.
 * Null: too few runs to tell. A figure compared by ranks needs enough values for ranks to show any change, and so does a rise
 * between means without scatter.
 */
export function chanceOfRise(a: Sample, b: Sample): number | null {
  const chance = chanceOfRiseByWelch(a, b);
  const least = isRanked(a, b) ? 0 : twoLevelChance(a.n, b.n);
  return chance === null || least >= SIGNIFICANCE ? null : Math.max(least, chance);
}

/** {@link chanceOfRise} for means, assuming normally distributed values. */
export function chanceOfRiseByWelch(a: Sample, b: Sample): number | null {
  if (a.ranked !== undefined && b.ranked !== undefined) {
    return leastRankChance(a.n, b.n) < SIGNIFICANCE ? chanceOfRankRise(a.ranked, b.ranked) : null;
  }
  const scatter = scatterOf(a, b);
  if (scatter === null) {
    return null;
  }
  const unscattered = leastRankChance(a.n, b.n);
  const chance = chanceOf(b.value - a.value, scatter, Math.max(a.value, b.value), unscattered);
  return chance === unscattered && unscattered >= SIGNIFICANCE ? null : chance;
}

const isRanked = (a: Sample, b: Sample) => a.ranked !== undefined && b.ranked !== undefined;

/**
 * Upper bound of the chance that all runs of one side hit the lower of two levels and all of the other side the higher, where both
 * sides hit each level equally often. Throughput has two levels where a flow's hash chooses a queue or path: each side then
 * seems to scatter little, and Welch's test calls the difference real.
 */
function twoLevelChance(aCount: number, bCount: number): number {
  const all = aCount + bCount;
  return (aCount / all) ** aCount * (bCount / all) ** bCount;
}

/** @param unscattered Chance of a rise where no value scatters. */
function chanceOf(
  rise: number,
  { standardError, degreesOfFreedom }: Scatter,
  size: number,
  unscattered: number,
): number {
  if (standardError <= 1e-12 * Math.abs(size)) {
    return rise > 0 ? unscattered : 1;
  }
  return library.jStat.studentt.cdf(-rise / standardError, degreesOfFreedom);
}

/** The chance of a difference this large in either direction. */
export function chanceOfDifference(a: Sample, b: Sample): number | null {
  return twoSided(chanceOfRise(a, b), chanceOfRise(b, a));
}

function twoSided(rise: number | null, fall: number | null): number | null {
  return rise === null || fall === null ? null : Math.min(1, 2 * Math.min(rise, fall));
}

/** Values of two topologies in the same round. */
export type Round = readonly [a: number, b: number];

/**
 * The chance of a difference this large in either direction, round by round (paired t-test): a drift from
 * round to round is no difference. At least {@link twoLevelChance} in each direction. Null: fewer than
 * {@link LEAST_ROUNDS} rounds.
 *
 * @param pilot Number of first rounds that decided the total; only their scatter is used. @default all
 */
export function chanceOfRounds(rounds: readonly Round[], pilot = rounds.length): number | null {
  if (rounds.length < LEAST_ROUNDS) {
    return null;
  }
  const differences = rounds.map(([a, b]) => b - a);
  const scatter = roundScatter(differences, pilot);
  const size = Math.max(...rounds.flat().map(Math.abs));
  const rise = mean(differences);
  // Equal differences have the same sign by chance as often as that many coin tosses agree.
  const unscattered = 0.5 ** rounds.length;
  const least = twoLevelChance(rounds.length, rounds.length);
  const chance = (change: number) => Math.max(least, chanceOf(change, scatter, size, unscattered));
  return twoSided(chance(rise), chance(-rise));
}

function roundScatter(differences: readonly number[], pilot: number): Scatter {
  const first = differences.slice(0, tellingPilot(differences, pilot));
  return {
    standardError: stddev(first) / Math.sqrt(differences.length),
    degreesOfFreedom: first.length - 1,
  };
}

/** A ratio with its 95 % confidence interval. */
export interface Ratio {
  readonly value: number;
  /** Null: single runs. */
  readonly interval: Interval | null;
}

/**
 * Ratio of the means of `a` and `b` over their common rounds, with the interval that remains after the rounds' common drift is
 * removed. Null: fewer than {@link LEAST_ROUNDS} rounds, or a mean that is not positive.
 *
 * @param pilot See {@link chanceOfRounds}.
 */
export function ratioOfRounds(rounds: readonly Round[], pilot = rounds.length): Ratio | null {
  const [a, b] = [rounds.map(([one]) => one), rounds.map(([, other]) => other)];
  if (rounds.length < LEAST_ROUNDS || mean(a) <= 0 || mean(b) <= 0) {
    return null;
  }
  const relative = rounds.map(([one, other]) => one / mean(a) - other / mean(b));
  return ratioOf(mean(a) / mean(b), roundScatter(relative, pilot));
}

/** Ratio of two figures without common rounds; null where a mean is not positive. */
export function ratioOfMeans(a: Sample, b: Sample): Ratio | null {
  if (b.value === 0) {
    return null;
  }
  const value = a.value / b.value;
  if (a.stddev === null || b.stddev === null || a.value <= 0 || b.value <= 0) {
    return { value, interval: null };
  }
  const relative = (one: Sample, deviation: number) => (deviation / one.value) ** 2 / one.n;
  return ratioOf(value, welch(a, relative(a, a.stddev), b, relative(b, b.stddev)));
}

function ratioOf(value: number, { standardError, degreesOfFreedom }: Scatter): Ratio {
  const times = Math.exp(studentT(0.975, degreesOfFreedom) * standardError);
  return { value, interval: { low: value / times, high: value * times } };
}

/**
 * Chances of many tests, corrected by Benjamini and Hochberg. Of the results below {@link SIGNIFICANCE} at most that share is
 * wrong, and where nothing differs that is also the chance of any such result.
 */
export function corrected(chances: readonly number[]): number[] {
  const order = chances.map((_, index) => index).sort((a, b) => (chances[b] ?? 0) - (chances[a] ?? 0));
  const found = [...chances];
  let least = 1;
  order.forEach((index, place) => {
    least = Math.min(least, ((chances[index] ?? 1) * chances.length) / (chances.length - place));
    found[index] = least;
  });
  return found;
}

/**
 * Runs needed on each side to tell two levels of one figure apart among `tests` figures.
 *
 * @param directions 2 for a two-sided test. @default 1
 */
export function runsToTell(tests: number, directions: 1 | 2 = 1): number {
  let count = 1;
  while (directions * twoLevelChance(count, count) >= SIGNIFICANCE / tests) {
    count++;
  }
  return count;
}

/**
 * The smallest change, in percent of `a`, that is seen four times out of five if it is the only one among `tests` figures.
 * Null: too few runs to show any, `a` is 0, or the figures are compared by ranks.
 */
export function visiblePercent(a: Sample, b: Sample, tests: number): number | null {
  const scatter = scatterOf(a, b);
  const isTold = twoLevelChance(a.n, b.n) < SIGNIFICANCE / tests;
  if (scatter === null || !isTold || a.value === 0 || a.ranked !== undefined) {
    return null;
  }
  const { standardError, degreesOfFreedom } = scatter;
  const steps = studentT(1 - SIGNIFICANCE / tests, degreesOfFreedom) + studentT(POWER, degreesOfFreedom);
  return (100 * steps * standardError) / Math.abs(a.value);
}
