/** Latency distributions as buckets, which can be added over several runs, unlike percentiles. */

/** The largest value of a bucket and its number of samples, in rising order; empty buckets are left out. */
export type Histogram = readonly (readonly [value: number, count: number])[];

/** The sum of several histograms. The host agent makes the same buckets in all. */
export function mergeHistograms(histograms: readonly Histogram[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const [value, count] of histograms.flat()) {
    counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** How many samples a distribution has. */
export function samplesOf(histogram: Histogram): number {
  return histogram.reduce((sum, [, count]) => sum + count, 0);
}

/** Nearest rank, as the largest value of its bucket; null without samples. @param perMille From 0 to 1,000. */
export function percentileOf(histogram: Histogram, perMille: number): number | null {
  const rank = Math.max(1, Math.ceil((perMille * samplesOf(histogram)) / 1000));
  let seen = 0;
  for (const [value, count] of histogram) {
    seen += count;
    if (seen >= rank) {
      return value;
    }
  }
  return null;
}
