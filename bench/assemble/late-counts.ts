/** Counts of intervals that were read late, as on a busy host. */
import { median } from "../statistics/sample.ts";

/** The agent has no count of a second after so many that were not read: a longer silence is real. */
const MOST_LATE = 2;
/** An interval with at most this share of the usual count is silent. */
const IDLE_SHARE = 0.01;
/** A count that has a late one too is at least so many times those around it. */
const SUM_TIMES = 1.4;
/** The average of a count and a silence may be a late reading's from this share of those around it. */
const LEAST_SHARE = 0.75;

/**
 * Counts with each late reading spread over its intervals: of 3851, 0, 7766, 3844 the middle ones are 3883 each. Null: a
 * short silence may be a late reading, or an outage that others' traffic filled.
 *
 * @param bits What came in each interval, of all programs.
 */
export function onTime(counts: readonly number[], bits: readonly number[]): number[] | null {
  const [idle, idleBits] = [IDLE_SHARE * usualOf(counts), IDLE_SHARE * usualOf(bits)];
  const [firstBits, lastBits] = [
    bits.findIndex((rate) => rate > idleBits),
    bits.findLastIndex((rate) => rate > idleBits),
  ];
  const spread = [...counts];
  for (const [start, end] of silences(counts, idle)) {
    // Where no bits came either, no reading was late. Seconds of bits and counts begin at different times.
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
      const around = [counts[from - 1] ?? 0, counts[to] ?? 0];
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

/** The median of what is more than a tenth of the most. */
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
