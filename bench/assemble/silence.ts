/** Outages of a series: times in which nothing arrived. */
import type { Outage } from "../results/index.ts";
import { median } from "../statistics/sample.ts";

/** Shortest silence that counts as an outage, in seconds: shorter ones are a retransmission's time-out. */
export const LEAST_SECONDS = 1;
/** An interval below this share of the usual rate holds only a few packets of other programs. */
const IDLE_SHARE = 0.01;
/** An interval above this share of the usual rate also has traffic that waited: what it lacks itself cannot be seen. */
const CAUGHT_UP_SHARE = 1.5;

export interface Interval {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number | null;
  /** A part of it may lie outside the test, so that its silence is not certain. @default false */
  readonly isEdge?: boolean;
}

/** Longest time within a test that no interval of its series covers. */
export function unknownSeconds(series: readonly Interval[], endSeconds: number): number {
  const known = series.filter(({ bitsPerSecond }) => bitsPerSecond !== null);
  const starts = [...known.map(({ startSeconds }) => startSeconds), endSeconds];
  return Math.max(...starts.map((start, index) => start - (known[index - 1]?.endSeconds ?? 0)));
}

/** Mean rate of the intervals that are known. */
export function meanRate(series: readonly Interval[]): number {
  const known = series.filter(({ bitsPerSecond }) => bitsPerSecond !== null);
  const bits = total(known.map((one) => (one.bitsPerSecond ?? 0) * lengthOf(one)));
  return bits / total(known.map(lengthOf));
}

/** The usual rate of a series, and the highest rate of an interval without the test's traffic. */
export function levelsOf(
  series: readonly Interval[],
  others = 0,
): { readonly usual: number; readonly silent: number } {
  const rates = series.flatMap(({ bitsPerSecond }) =>
    bitsPerSecond !== null && bitsPerSecond > others ? [bitsPerSecond] : [],
  );
  const usual = rates.length === 0 ? 0 : median(rates);
  return { usual, silent: Math.max(IDLE_SHARE * usual, others) };
}

/** An outage with both bounds, as series give them. */
type Bounded = Outage & Required<Pick<Outage, "leastSeconds" | "mostSeconds">>;

/**
 * Outages: runs of intervals in which nothing arrived. The interval before and the one after a run extend it by the share of
 * the usual rate that they lack. For a steady rate that is exact; where a sender catches up, as TCP at a rate does, half of the
 * interval after it is taken. `leastSeconds` and `mostSeconds` bound the length for any. An interval between two outages gives
 * each of them half of its share.
 *
 * @param others Highest rate of other programs. @default 0
 */
export function outagesOf(series: readonly Interval[], others = 0): Bounded[] {
  const { usual, silent } = levelsOf(series, others);
  const isIdle = (one: Interval | undefined) => one?.bitsPerSecond != null && one.bitsPerSecond <= silent;
  const lacking = (index: number) => {
    const one = series[index];
    const isShared = isIdle(series[index - 1]) && isIdle(series[index + 1]);
    if (one?.bitsPerSecond == null || usual === 0) return 0;
    const caughtUp = isIdle(series[index - 1]) && one.bitsPerSecond > CAUGHT_UP_SHARE * usual;
    const share = caughtUp ? 0.5 : Math.max(0, 1 - one.bitsPerSecond / usual);
    return (share * lengthOf(one)) / (isShared ? 2 : 1);
  };
  const found: { first: number; last: number }[] = [];
  for (const [index, interval] of series.entries()) {
    const run = found.at(-1);
    if (!isIdle(interval)) {
      continue;
    }
    if (run !== undefined && run.last === index - 1) {
      run.last = index;
    } else {
      found.push({ first: index, last: index });
    }
  }
  return found
    .map(({ first, last }) => {
      const idle = series.slice(first, last + 1);
      const [before, after] = [lacking(first - 1), lacking(last + 1)];
      const whole = total(idle.map(lengthOf));
      return {
        startSeconds: round((idle[0]?.startSeconds ?? 0) - before),
        seconds: round(whole + before + after),
        leastSeconds: round(total(idle.filter(({ isEdge }) => !isEdge).map(lengthOf))),
        mostSeconds: round(whole + lengthOf(series[first - 1]) + lengthOf(series[last + 1])),
      };
    })
    .filter(({ leastSeconds }) => leastSeconds >= LEAST_SECONDS);
}

function lengthOf(one: Interval | undefined): number {
  return one === undefined ? 0 : one.endSeconds - one.startSeconds;
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Rounds to hundredths of a second. */
export function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
