/**
 * Whether two figures differ: Welch's test, a correction for many of them, and what it can see.
 *
 * @module
 */
import { belowStudentT, type Interval, studentT } from "./sample.ts";

/** A figure of one or more repetitions. */
export interface Figure {
  readonly value: number;
  /** Null: of a single run. */
  readonly stddev: number | null;
  readonly n: number;
}

/** False alarms that are accepted, as a share. */
export const SIGNIFICANCE = 0.05;
/** Chance with which a change that is called visible is seen. */
const POWER = 0.8;
/** A single run is compared with this many others at least, whose scatter is taken for its own. */
const LEAST_FOR_SINGLE = 3;

interface Scatter {
  readonly standardError: number;
  readonly degreesOfFreedom: number;
}

/** Of the difference of two means; null where there are too few runs to tell. */
function scatterOf(a: Figure, b: Figure): Scatter | null {
  if (a.stddev !== null && b.stddev !== null) {
    return welch(a.stddev ** 2 / a.n, a.n, b.stddev ** 2 / b.n, b.n);
  }
  const known = a.stddev === null ? b : a;
  return known.stddev === null || known.n < LEAST_FOR_SINGLE
    ? null
    : { standardError: known.stddev * Math.sqrt(1 + 1 / known.n), degreesOfFreedom: known.n - 1 };
}

/** Variances of two means, which need not be equal; degrees of freedom by Welch and Satterthwaite. */
function welch(a: number, aCount: number, b: number, bCount: number): Scatter {
  const sum = a + b;
  const degrees = sum === 0 ? 1 : sum ** 2 / (a ** 2 / (aCount - 1) + b ** 2 / (bCount - 1));
  return { standardError: Math.sqrt(sum), degreesOfFreedom: degrees };
}

/**
 * The chance of a difference at least as large, upwards from `a` to `b`, between figures that do not differ. Null: there
 * are too few runs to tell.
 */
export function chanceOfRise(a: Figure, b: Figure): number | null {
  const scatter = scatterOf(a, b);
  if (scatter === null) {
    return null;
  }
  const rise = b.value - a.value;
  if (scatter.standardError <= 1e-12 * Math.max(Math.abs(a.value), Math.abs(b.value))) {
    return rise > 0 ? 0 : 1;
  }
  return belowStudentT(-rise / scatter.standardError, scatter.degreesOfFreedom);
}

/** The same in either direction. */
export function chanceOfDifference(a: Figure, b: Figure): number | null {
  const rise = chanceOfRise(a, b);
  const fall = chanceOfRise(b, a);
  return rise === null || fall === null ? null : Math.min(1, 2 * Math.min(rise, fall));
}

/**
 * Chances of many tests, corrected by Benjamini and Hochberg: where what is below {@link SIGNIFICANCE} is believed, so
 * many of the believed are wrong at most, and so often is one believed where nothing differs.
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
 * The smallest change that is seen in four of five runs where it is the only one of `tests` figures, in percent of `a`.
 * Null: there are too few runs to tell, or `a` is 0.
 */
export function visiblePercent(a: Figure, b: Figure, tests: number): number | null {
  const scatter = scatterOf(a, b);
  if (scatter === null || a.value === 0) {
    return null;
  }
  const { standardError, degreesOfFreedom } = scatter;
  const steps = studentT(1 - SIGNIFICANCE / tests, degreesOfFreedom) + studentT(POWER, degreesOfFreedom);
  return (100 * steps * standardError) / Math.abs(a.value);
}

/** 95 % confidence interval of `a / b`, of positive figures; null where either is of a single run. */
export function ratioConfidence95(a: Figure, b: Figure): Interval | null {
  if (a.stddev === null || b.stddev === null || a.value <= 0 || b.value <= 0) {
    return null;
  }
  const relative = ({ value, n }: Figure, deviation: number) => (deviation / value) ** 2 / n;
  const { standardError, degreesOfFreedom } = welch(relative(a, a.stddev), a.n, relative(b, b.stddev), b.n);
  const times = Math.exp(studentT(0.975, degreesOfFreedom) * standardError);
  return { low: a.value / b.value / times, high: (a.value / b.value) * times };
}
