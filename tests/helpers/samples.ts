/** How many samples a property takes: a night has time for many more than a push. */

/** How many times as many samples as usual: `EGRESS_BENCH_SAMPLES`. @default 1 */
export function sampleFactor(): number {
  const factor = Number(process.env.EGRESS_BENCH_SAMPLES ?? 1);
  if (!Number.isInteger(factor) || factor < 1) {
    throw new Error(
      `EGRESS_BENCH_SAMPLES: expected a whole number from 1, got ${process.env.EGRESS_BENCH_SAMPLES}`,
    );
  }
  return factor;
}

/** The number of samples of a property that usually takes `count`. */
export const samples = (count: number): number => count * sampleFactor();
