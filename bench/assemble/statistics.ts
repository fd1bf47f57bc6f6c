/**
 * Statistics of repeated measurements.
 *
 * @module
 */

/** @throws {RangeError} of no values. */
export function mean(values: readonly number[]): number {
  needs(values, 1);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The 50th percentile. @throws {RangeError} of no values. */
export function median(values: readonly number[]): number {
  return percentile(values, 50);
}

/** Sample standard deviation (divided by n - 1). @throws {RangeError} of fewer than two values. */
export function stddev(values: readonly number[]): number {
  needs(values, 2);
  const centre = mean(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - centre) ** 2, 0) / (values.length - 1));
}

/**
 * Percentile by linear interpolation between order statistics: definition 7 of Hyndman and Fan (1996), the
 * default of R and NumPy.
 *
 * @throws {RangeError} of no values, or where `percent` is not from 0 to 100.
 */
export function percentile(values: readonly number[], percent: number): number {
  needs(values, 1);
  if (!(percent >= 0 && percent <= 100)) {
    throw new RangeError(`percent is ${percent}; expected 0 to 100`);
  }
  const sorted = values.toSorted((a, b) => a - b);
  const position = ((sorted.length - 1) * percent) / 100;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}

/**
 * 95 % confidence interval of the mean by Student's t: mean -+ t(0.975, n - 1) s / sqrt(n). Exact for values
 * that are normally distributed.
 *
 * @throws {RangeError} of fewer than two values.
 */
export function meanConfidence95(values: readonly number[]): { low: number; high: number } {
  const centre = mean(values);
  const half = (studentT975(values.length - 1) * stddev(values)) / Math.sqrt(values.length);
  return { low: centre - half, high: centre + half };
}

/** Upper 2.5 % points of Student's t for 1 to 30 degrees of freedom, as in any table of them. */
const t975 = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604,
  2.1448, 2.1314, 2.1199, 2.1098, 2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555,
  2.0518, 2.0484, 2.0452, 2.0423,
];

/** Beyond the table: Cornish and Fisher's expansion about the normal point, good to 4 decimals there. */
export function studentT975(degreesOfFreedom: number): number {
  const z = 1.959964;
  const v = degreesOfFreedom;
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  const expansion = z + first / v + second / v ** 2 + third / v ** 3;
  return t975[v - 1] ?? expansion;
}

function needs(values: readonly number[], least: number): void {
  if (values.length < least) {
    throw new RangeError(`got ${values.length} values; expected at least ${least}`);
  }
}
