/**
 * Changes of level in a series of runs, by ranks: a single run far away is no change, and no distribution is assumed.
 *
 * @module
 */
import { corrected, SIGNIFICANCE } from "./difference.ts";
import { clearestRankSplit, type RankSplit } from "./ranks.ts";

/** Fewest runs in a series that is judged. */
export const LEAST_RUNS = 10;
/** Fewest runs that establish a level. */
const LEAST_SEGMENT = 3;

export interface ChangePoint {
  /** Position of the first run with the new level. */
  readonly at: number;
  /** Position of the first run of the level before it. */
  readonly from: number;
  /** Position after the last run of the new level. */
  readonly to: number;
  /** Chance of a change this clear somewhere in these runs without a real one, corrected for all series judged together. */
  readonly chance: number;
}

/**
 * Changes of several series judged together, by binary segmentation: the clearest split of a series by Mann and Whitney's
 * test, then those of both its parts. Chances are corrected for the splits that were tried (Bonferroni), then over all
 * series (Benjamini and Hochberg).
 *
 * @param series Values in the order of the runs. A series shorter than {@link LEAST_RUNS} has no change.
 * @returns one list per series, in the order of the runs
 */
export function changePoints(series: readonly (readonly number[])[]): ChangePoint[][] {
  const tests = series.map((values) => (values.length < LEAST_RUNS ? [] : testsOf(values, 0)));
  const fair = corrected(tests.flat().map(({ chance }) => chance));
  let next = 0;
  return tests.map((own, index) => {
    const believed = own
      .map(({ at }): RankSplit => ({ at, chance: fair[next++] ?? 1 }))
      .filter(({ chance }) => chance < SIGNIFICANCE)
      .toSorted((a, b) => a.at - b.at);
    return believed.map(({ at, chance }, place) => ({
      at,
      chance,
      from: believed[place - 1]?.at ?? 0,
      to: believed[place + 1]?.at ?? series[index]?.length ?? at,
    }));
  });
}

/** The clearest split of some runs, and the splits of both its parts. */
function testsOf(values: readonly number[], offset: number): RankSplit[] {
  const found = clearestRankSplit(values, LEAST_SEGMENT);
  if (found === null) {
    return [];
  }
  const splits = values.length - 2 * LEAST_SEGMENT + 1;
  const own = { at: offset + found.at, chance: Math.min(1, found.chance * splits) };
  return own.chance < SIGNIFICANCE
    ? [own, ...testsOf(values.slice(0, found.at), offset), ...testsOf(values.slice(found.at), own.at)]
    : [own];
}
