/** Number of samples of a property: a nightly run has time for many more than a push. */

/** Factor on the usual number of samples: `EGRESS_BENCH_SAMPLES`. @default 1 */
export function sampleFactor(): number {
  const factor = Number(process.env.EGRESS_BENCH_SAMPLES ?? 1);
  if (!Number.isInteger(factor) || factor < 1) {
    throw new Error(
      `EGRESS_BENCH_SAMPLES: expected a whole number from 1, got ${process.env.EGRESS_BENCH_SAMPLES}`,
    );
  }
  return factor;
}

/** Number of samples of a property that usually takes `count`. */
export const samples = (count: number): number => count * sampleFactor();
