/**
 * Tests by ranks whether one sample tends to be above another (Mann and Whitney): for figures summarized by their median, some
 * of whose values are far away.
 */
import library from "jstat";
import { belowNormal } from "./sample.ts";

const { jStat } = library;

/** Most steps of the exact count: a hundredth of a second, enough for two halves of 90 different values. */
const MOST_STEPS = 10_000_000;

/**
 * The chance that ranks in `b` are at least this much above those in `a` where neither tends to be above the other. Exact where
 * the ways to share out the ranks can be counted; beyond that the normal approximation where no two values are equal,
 * else an upper bound.
 */
export function chanceOfRankRise(a: readonly number[], b: readonly number[]): number {
  // A high-ranking larger side equals a low-ranking smaller side.
  const [rest, some] = a.length < b.length ? [negative(b), negative(a)] : [a, b];
  const ranks = jStat.rank([...rest, ...some]);
  // Ranks are multiples of a half. Whole numbers from 0 without a common divisor make the fewest sums.
  const least = Math.min(...ranks);
  const doubled = ranks.map((rank) => 2 * (rank - least));
  const unit = doubled.reduce(commonDivisor, 0) || 1;
  const scores = doubled.map((one) => one / unit);
  const sum = scores.slice(rest.length).reduce((total, score) => total + score, 0);
  const most = scores
    .toSorted((a, b) => b - a)
    .slice(0, some.length)
    .reduce((total, score) => total + score, 0);
  if (scores.length * some.length * (most + 1) <= MOST_STEPS) {
    return exactChance(scores, some.length, sum);
  }
  return new Set(scores).size === scores.length
    ? normalChance(scores.length, some.length, sum)
    : boundOfChance(scores, some.length, sum);
}

const negative = (values: readonly number[]) => values.map((value) => -value);

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b);
}

/** A series in two parts, by ranks. */
export interface RankSplit {
  /** Position of the first value of the second part. */
  readonly at: number;
  /** Chance of parts that differ this much in either direction, where neither tends to be above the other. */
  readonly chance: number;
}

/** The split whose parts' ranks differ most, each part with a least number of values. Null: too few values. */
export function clearestRankSplit(values: readonly number[], least: number): RankSplit | null {
  const ranks = jStat.rank(values);
  const centre = (values.length + 1) / 2;
  let [clearest, at, above, isFall] = [-1, 0, 0, false];
  for (const [index, rank] of ranks.entries()) {
    above += rank - centre;
    const first = index + 1;
    const second = values.length - first;
    // In standard deviations, except for a factor that all splits share.
    const distance = Math.abs(above) / Math.sqrt(first * second);
    if (first >= least && second >= least && distance > clearest) {
      [clearest, at, isFall] = [distance, first, above > 0];
    }
  }
  if (at === 0) {
    return null;
  }
  const [before, after] = [values.slice(0, at), values.slice(at)];
  const oneSided = isFall ? chanceOfRankRise(after, before) : chanceOfRankRise(before, after);
  return { at, chance: Math.min(1, 2 * oneSided) };
}

/** The smallest possible chance with these numbers of values. */
export function leastRankChance(aCount: number, bCount: number): number {
  return 1 / waysToChoose(aCount + bCount, bCount);
}

function waysToChoose(all: number, some: number): number {
  return Array.from({ length: Math.min(some, all - some) }).reduce<number>(
    (ways, _, index) => (ways * (all - index)) / (index + 1),
    1,
  );
}

/** Share of all ways to take `some` of the scores whose sum is at least `sum`, counted on the side with fewer sums. */
function exactChance(scores: readonly number[], some: number, sum: number): number {
  const top = Math.max(...scores);
  const room = some * top - sum;
  return room < sum
    ? chanceUpTo(
        scores.map((score) => top - score),
        some,
        room,
      )
    : 1 - chanceUpTo(scores, some, sum - 1);
}

/** Share of all ways to take `some` of the scores whose sum is at most `most`. */
function chanceUpTo(scores: readonly number[], some: number, most: number): number {
  if (most < 0) {
    return 0;
  }
  // ways[k][s]: how many ways take k of the scores so far with the sum s.
  const ways = Array.from({ length: some + 1 }, () => new Float64Array(most + 1));
  (ways[0] as Float64Array)[0] = 1;
  for (const score of scores) {
    for (let taken = some; taken > 0; taken--) {
      const [from, to] = [ways[taken - 1], ways[taken]] as [Float64Array, Float64Array];
      for (let at = most; at >= score; at--) {
        to[at] = (to[at] as number) + (from[at - score] as number);
      }
    }
  }
  const found = (ways[some] as Float64Array).reduce((total, one) => total + one, 0);
  return found / waysToChoose(scores.length, some);
}

/** The chance of {@link exactChance} by the normal distribution, for the scores from 0 to `all` - 1. */
function normalChance(all: number, some: number, sum: number): number {
  const spread = Math.sqrt((some * (all - some) * (all + 1)) / 12);
  return 1 - belowNormal((sum - 0.5 - (some * (all - 1)) / 2) / spread);
}

/**
 * Chernoff's bound of the same share. It holds for draws with replacement, and so also without (Hoeffding 1963, theorem 4). A
 * normal approximation calls a few distant values among many equal ones a change.
 */
function boundOfChance(scores: readonly number[], some: number, sum: number): number {
  const [aim, most] = [sum / some, Math.max(...scores)];
  // Convex in the exponent, so the minimum lies between doublings. Subtracting `most` keeps powers from overflowing.
  const logBound = (t: number) =>
    some *
    (Math.log(scores.reduce((total, score) => total + Math.exp(t * (score - most)), 0) / scores.length) -
      t * (aim - most));
  let best = 0;
  for (let t = 1e-3 / most; t < 1e3 / most; t *= 1.1) {
    best = Math.min(best, logBound(t));
  }
  return Math.exp(best);
}
