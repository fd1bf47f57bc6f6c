/**
 * Whether one sample tends to be above another, by ranks (Mann and Whitney): for figures whose median counts, since some
 * of their values are far away.
 */
import { belowNormal, midRanks } from "./sample.ts";

/** More ways than these to share out the ranks are not tried one by one. */
const MOST_WAYS = 200_000;

/**
 * The chance of ranks at least as much above `a` in `b`, where neither tends to be above the other: exact where the ways
 * to share out the ranks can be counted, else by the normal approximation with a correction for ties.
 */
export function chanceOfRankRise(a: readonly number[], b: readonly number[]): number {
  const ranks = midRanks([...a, ...b]);
  const sum = ranks.slice(a.length).reduce((total, rank) => total + rank, 0);
  return waysToChoose(ranks.length, b.length) <= MOST_WAYS
    ? exactChance(ranks, b.length, sum)
    : normalChance(ranks, b.length, sum);
}

/** A series in two parts, by ranks. */
export interface RankSplit {
  /** Position of the first value of the second part. */
  readonly at: number;
  /** Chance of parts that differ as much in either direction, where neither tends to be above the other. */
  readonly chance: number;
}

/** The split of a series whose parts' ranks differ most, each part with at least so many values. Null: too few values. */
export function clearestRankSplit(values: readonly number[], least: number): RankSplit | null {
  const ranks = midRanks(values);
  const centre = (values.length + 1) / 2;
  let [clearest, at, above] = [-1, 0, 0];
  for (const [index, rank] of ranks.entries()) {
    above += rank - centre;
    const first = index + 1;
    const second = values.length - first;
    // In standard deviations, but for a factor that all splits share.
    const distance = Math.abs(above) / Math.sqrt(first * second);
    if (first >= least && second >= least && distance > clearest) {
      [clearest, at] = [distance, first];
    }
  }
  if (at === 0) {
    return null;
  }
  const [before, after] = [values.slice(0, at), values.slice(at)];
  const oneSided = Math.min(chanceOfRankRise(before, after), chanceOfRankRise(after, before));
  return { at, chance: Math.min(1, 2 * oneSided) };
}

/** The smallest chance that so many values on each side can have. */
export function leastRankChance(aCount: number, bCount: number): number {
  return 1 / waysToChoose(aCount + bCount, bCount);
}

function waysToChoose(all: number, some: number): number {
  return Array.from({ length: Math.min(some, all - some) }).reduce<number>(
    (ways, _, index) => (ways * (all - index)) / (index + 1),
    1,
  );
}

/** Share of all ways to take `some` of the ranks whose sum is at least `sum`; ranks are halves at the finest. */
function exactChance(ranks: readonly number[], some: number, sum: number): number {
  // waysBySum[k].get(s): how many ways take k of the ranks so far with twice the sum s.
  const waysBySum = Array.from({ length: some + 1 }, () => new Map<number, number>());
  waysBySum[0]?.set(0, 1);
  for (const rank of ranks) {
    for (let taken = some; taken > 0; taken--) {
      for (const [twice, ways] of waysBySum[taken - 1] ?? []) {
        const key = twice + 2 * rank;
        waysBySum[taken]?.set(key, (waysBySum[taken]?.get(key) ?? 0) + ways);
      }
    }
  }
  const all = [...(waysBySum[some] ?? [])];
  const count = (list: typeof all) => list.reduce((total, [, ways]) => total + ways, 0);
  return count(all.filter(([twice]) => twice >= 2 * sum - 1e-9)) / count(all);
}

function normalChance(ranks: readonly number[], some: number, sum: number): number {
  const all = ranks.length;
  const centre = (all + 1) / 2;
  const variance = ranks.reduce((total, rank) => total + (rank - centre) ** 2, 0) / all;
  const spread = Math.sqrt((some * (all - some) * variance) / (all - 1));
  return spread === 0 ? 1 : 1 - belowNormal((sum - 0.5 - some * centre) / spread);
}
