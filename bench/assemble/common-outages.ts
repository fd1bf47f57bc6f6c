/** Outages common to pairs that measured at the same time. */
import type { Outage } from "../results/index.ts";
import { LEAST_SECONDS } from "./silence.ts";

/**
 * Outages common to all pairs, counted from the first pair's start. Null: a pair's outages are unknown. The
 * lower bound of each is its length minus the uncertainty of the pairs' outages.
 *
 * @param parts Each pair's outages, and how many seconds after the first pair it began.
 */
export function commonOutages(
  parts: readonly { readonly outages: readonly Outage[] | null; readonly skewSeconds: number }[],
): Outage[] | null {
  const known = parts.flatMap(({ outages, skewSeconds }) =>
    outages === null
      ? []
      : [outages.map((one) => ({ ...one, startSeconds: one.startSeconds + skewSeconds }))],
  );
  const [first, ...others] = known;
  return first === undefined || known.length < parts.length
    ? null
    : others.reduce(
        (common, outages) => common.flatMap((one) => outages.flatMap((other) => both(one, other))),
        first,
      );
}

/** The time that two outages share; empty if that is too short to be an outage. */
function both(one: Outage, other: Outage): Outage[] {
  const start = Math.max(one.startSeconds, other.startSeconds);
  const end = Math.min(one.startSeconds + one.seconds, other.startSeconds + other.seconds);
  const most = Math.min(one.mostSeconds ?? one.seconds, other.mostSeconds ?? other.seconds);
  const uncertain = [one, other].reduce(
    (sum, { seconds, leastSeconds = seconds }) => sum + seconds - leastSeconds,
    0,
  );
  return end - start < LEAST_SECONDS
    ? []
    : [
        {
          startSeconds: round(start),
          seconds: round(end - start),
          leastSeconds: round(Math.max(0, end - start - uncertain)),
          mostSeconds: round(most),
        },
      ];
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
