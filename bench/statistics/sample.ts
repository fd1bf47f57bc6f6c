/** Mean, scatter and interval of repeated measurements, computed with jStat. */
import library from "jstat";

const { jStat } = library;

/** @throws {RangeError} of no values. */
export function mean(values: readonly number[]): number {
  needs(values, 1);
  return jStat.mean(values);
}

/** The 50th percentile. @throws {RangeError} of no values. */
export function median(values: readonly number[]): number {
  needs(values, 1);
  return jStat.median(values);
}

/** The sum; null unless there are parts and all are known. */
export function totalOfKnown(parts: readonly (number | null)[]): number | null {
  return parts.length === 0
    ? null
    : parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}

/** The mean; null unless there are parts and all are known. */
export function meanOfKnown(parts: readonly (number | null)[]): number | null {
  const sum = totalOfKnown(parts);
  return sum === null ? null : sum / parts.length;
}

/** Sample standard deviation (divided by n - 1). @throws {RangeError} of fewer than two values. */
export function stddev(values: readonly number[]): number {
  needs(values, 2);
  return jStat.stdev(values, true);
}

/** Cache of quantiles: the same few are needed thousands of times. */
const quantiles = new Map<string, number>();

/** Quantile of Student's t; `degreesOfFreedom` need not be whole. */
export function studentT(probability: number, degreesOfFreedom: number): number {
  const key = `${probability} ${degreesOfFreedom}`;
  const known = quantiles.get(key);
  if (known !== undefined) {
    return known;
  }
  const quantile = jStat.studentt.inv(probability, degreesOfFreedom);
  // Fractional degrees rarely repeat.
  if (Number.isInteger(degreesOfFreedom)) {
    quantiles.set(key, quantile);
  }
  return quantile;
}

/** Probability that a standard normal variable is below a value. */
export function belowNormal(value: number): number {
  return jStat.normal.cdf(value, 0, 1);
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

/**
 * 95 % confidence interval of the mean by Student's t. Exact for normally distributed values.
 *
 * @param pilot Number of first values that decided the total (see `repetitionsNeeded`): only their scatter is
 *   independent of that decision. @default all
 * @throws {RangeError} of fewer than two values.
 */
export function meanConfidence95(values: readonly number[], pilot = values.length): Interval {
  const first = values.slice(0, tellingPilot(values, pilot));
  return intervalOfMean(mean(values), stddev(first), first.length, values.length);
}

/**
 * Number of first values that give the scatter: the pilot, or all values if the pilot's happen to be equal, since an interval
 * of no width would cover nothing.
 */
export function tellingPilot(values: readonly number[], pilot = values.length): number {
  return new Set(values.slice(0, pilot)).size > 1 ? Math.min(pilot, values.length) : values.length;
}

/** {@link meanConfidence95} from stored values: the mean and the number of values, the pilot's scatter and number. */
export function intervalOfMean(mean: number, scatter: number, pilot: number, count: number): Interval {
  const half = (studentT(0.975, pilot - 1) * scatter) / Math.sqrt(count);
  return { low: mean - half, high: mean + half };
}

/**
 * The part of an interval in which a quantity can lie. It covers the true value as often as the whole interval.
 *
 * @param most @default no bound
 */
export function possiblePart({ low, high }: Interval, most = Number.POSITIVE_INFINITY): Interval {
  return { low: Math.max(0, low), high: Math.min(most, high) };
}

/**
 * Repetitions needed until half of the interval is at most a given percentage of the mean, by Stein's two stages: the first
 * values give the scatter, which fixes the number; the interval then covers the mean in 95 % of cases at any
 * scatter. Checking after each value whether the interval is narrow yet covers it less often (`npm run bench -- gate`).
 *
 * @param first At least two.
 */
export function repetitionsNeeded(first: readonly number[], withinPercent: number): number {
  const half = (Math.abs(mean(first)) * withinPercent) / 100;
  const spread = studentT(0.975, first.length - 1) * stddev(first);
  return spread === 0 ? first.length : Math.max(first.length, Math.ceil((spread / half) ** 2));
}

/**
 * Number of first repetitions that decide the total; undefined: the total was fixed beforehand. Only their scatter is
 * independent of that decision, so every test and interval uses it.
 */
export function pilotOf(repeat: {
  readonly least: number;
  readonly withinPercent: number | null;
}): number | undefined {
  return repeat.withinPercent === null ? undefined : Math.max(2, repeat.least);
}

function needs(values: readonly number[], least: number): void {
  if (values.length < least) {
    throw new RangeError(`got ${values.length} values; expected at least ${least}`);
  }
}
