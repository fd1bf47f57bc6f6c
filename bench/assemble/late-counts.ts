/** Counts of intervals that were read late, as on a busy host. */
import { median } from "../statistics/sample.ts";

/** Seconds that a late reading can span at most: a longer silence is real. */
const MOST_LATE = 2;
/** An interval with at most this share of the usual count is silent. */
const IDLE_SHARE = 0.01;
/** A count that includes a late one is at least this many times its neighbours. */
const SUM_TIMES = 1.4;
/** The average of a count and a silence is possibly a late reading from this share of its neighbours on. */
const LEAST_SHARE = 0.75;

/**
 * Spreads each late reading over its intervals: 3851, 0, 7766, 3844 becomes 3851, 3883, 3883, 3844. Null: a short silence is
 * ambiguous, a late reading or an outage that other programs' traffic filled.
 *
 * @param bits Bits received in each interval by all programs.
 */
export function onTime(counts: readonly number[], bits: readonly number[]): number[] | null {
  const [idle, idleBits] = [IDLE_SHARE * usualOf(counts), IDLE_SHARE * usualOf(bits)];
  const [firstBits, lastBits] = [
    bits.findIndex((rate) => rate > idleBits),
    bits.findLastIndex((rate) => rate > idleBits),
  ];
  const spread = [...counts];
  for (const [start, end] of silences(counts, idle)) {
    // Without bits, too, the silence is real. Bits and counts are read at different moments of a second.
    const [from, to] = [Math.max(start - 1, firstBits), Math.min(end, lastBits) + 1];
    const near = [...bits.slice(start, end), ...bits.slice(from, to)];
    if (end - start > MOST_LATE || near.some((rate) => rate <= idleBits)) {
      continue;
    }
    const groups = [
      [start, end + 1],
      [start - 1, end],
    ] as const;
    const judged = groups.map(([from, to]) => {
      // A test's first and last interval have one neighbour.
      const around = [from - 1, to].flatMap((at) => counts[at] ?? []);
      const sum = counts.slice(Math.max(0, from), to).reduce((all, count) => all + count, 0);
      return {
        ...{ from, to, mean: sum / (to - from) },
        isSum: sum > idle && sum >= SUM_TIMES * Math.max(...around),
        mayBeSum: sum > idle && sum / (to - from) >= LEAST_SHARE * Math.min(...around),
      };
    });
    const late = judged.find(({ isSum }) => isSum);
    if (late !== undefined) {
      spread.fill(late.mean, late.from, late.to);
    } else if (judged.some(({ mayBeSum }) => mayBeSum)) {
      return null;
    }
  }
  return spread;
}

/** The median of the values above a tenth of the largest. */
function usualOf(values: readonly number[]): number {
  const least = Math.max(0, ...values) / 10;
  const busy = values.filter((value) => value > least);
  return busy.length === 0 ? 0 : median(busy);
}

/** Starts and ends of silences. */
function silences(counts: readonly number[], idle: number): (readonly [start: number, end: number])[] {
  const starts = counts.flatMap((count, at) =>
    count <= idle && (at === 0 || (counts[at - 1] ?? 0) > idle) ? [at] : [],
  );
  return starts.map((start) => {
    const end = counts.findIndex((count, at) => at > start && count > idle);
    return [start, end < 0 ? counts.length : end] as const;
  });
}
