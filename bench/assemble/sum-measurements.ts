/** Combines several measurements that were made at the same time. */
import { type Figure, figures } from "../figures/index.ts";
import type { Measurement, Outage } from "../results/index.ts";
import { meanOfKnown, totalOfKnown } from "../statistics/sample.ts";
import { nothingMeasured } from "../tools/shared/measurement.ts";
import { LEAST_SECONDS, round } from "./silence.ts";

type Interval = Measurement["series"][number];
/** Bits in a span, from the start of the measured part. */
export type Timed = Pick<Interval, "startSeconds" | "endSeconds" | "bitsPerSecond">;

/** One of the measurements, and how long after the first it began. */
export interface Part {
  readonly measurement: Measurement;
  readonly skewMs: number;
  /** Received bits per second, where the measurement's series is its sender's. @default that series */
  readonly arrived?: readonly Timed[] | null;
}

/**
 * The sum of measurements, figure by figure as the registry says. Rates cover the window in which all parts ran: before and
 * after it one part has the path to itself, and the sum would exceed what the path carries. Counts cover the whole time. A
 * figure that one part lacks is null, since the rest is not the sum. The duration is the longest part's.
 */
export function sumMeasurements(parts: readonly Part[]): Measurement {
  const measurements = parts.map(({ measurement }) => measurement);
  const durations = measurements.map(({ durationSeconds }) => durationSeconds);
  const window = commonWindow(parts);
  const sent = parts.map((part) => rateShare(part.measurement.series, part.skewMs, window));
  const arrived = parts.map((part) =>
    rateShare(part.arrived ?? part.measurement.series, part.skewMs, window),
  );
  const sums = Object.values(figures).flatMap(({ path, overPairs, read }) => {
    const values = measurements.map((one) => read(one) ?? null);
    const shares = path === figures.sentRate.path ? sent : arrived;
    return overPairs === null ? [] : [[path, adders[overPairs]({ measurements, values, shares })] as const];
  });
  return {
    ...nothingMeasured,
    ...(Object.fromEntries(sums) as Partial<Measurement>),
    durationSeconds: totalOfKnown(durations) === null ? null : Math.max(...durations.map(Number)),
    outages: commonOutages(
      parts.map(({ measurement: { outages }, skewMs }) => ({ outages, skewSeconds: skewMs / 1000 })),
    ),
    streams: measurements.flatMap(({ streams }) => streams),
    series: sumSeries(parts),
  };
}

interface Addends {
  readonly measurements: readonly Measurement[];
  /** The figure of each part. */
  readonly values: readonly (number | null)[];
  /** Each part's rate in the common window divided by its own mean rate; null: not known. */
  readonly shares: readonly (number | null)[];
}

const adders: Readonly<Record<NonNullable<Figure["overPairs"]>, (addends: Addends) => number | null>> = {
  sum: ({ values }) => totalOfKnown(values),
  // In rising order, so that the sum does not depend on the order of the parts.
  rate: ({ values, shares }) =>
    totalOfKnown(
      values
        .map((value, at) => (value === null || shares[at] == null ? null : value * shares[at]))
        .sort((a, b) => (a ?? 0) - (b ?? 0)),
    ),
  mean: ({ values }) => meanOfKnown(values),
  loss: ({ measurements }) => {
    const packets = totalOfKnown(measurements.map((one) => one.packets));
    const lost = totalOfKnown(measurements.map((one) => one.lostPackets));
    return packets === null || lost === null || packets === 0 ? null : (100 * lost) / packets;
  },
};

/** Parts whose starts and ends differ by at most this share of their duration count as simultaneous. */
const SAME_TIME_SHARE = 0.005;

/** The span in which all parts ran, from the first one's start; null: the whole test. */
function commonWindow(parts: readonly Part[]): Bin | null {
  const spans = parts.map((part) => spanOf(part));
  const start = Math.max(...spans.map(({ startSeconds }) => startSeconds));
  const end = Math.min(...spans.map(({ endSeconds }) => endSeconds));
  const longest = Math.max(...spans.map(({ startSeconds, endSeconds }) => endSeconds - startSeconds));
  const beside = Math.max(
    start - Math.min(...spans.map(({ startSeconds }) => startSeconds)),
    Math.max(...spans.map(({ endSeconds }) => endSeconds)) - end,
  );
  return beside <= SAME_TIME_SHARE * longest || longest === 0
    ? null
    : { startSeconds: start, endSeconds: end };
}

function spanOf({ measurement: { series, durationSeconds }, skewMs }: Part): Bin {
  const ends = series.map(({ endSeconds }) => endSeconds);
  const startSeconds = skewMs / 1000;
  return {
    startSeconds,
    endSeconds: startSeconds + (ends.length > 0 ? Math.max(...ends) : (durationSeconds ?? 0)),
  };
}

/** The rate in the window divided by that of the whole part, by its series; null: the series does not tell. */
function rateShare(series: readonly Timed[], skewMs: number, window: Bin | null): number | null {
  if (window === null) {
    return 1;
  }
  const own = {
    startSeconds: window.startSeconds - skewMs / 1000,
    endSeconds: window.endSeconds - skewMs / 1000,
  };
  const first = Math.min(...series.map(({ startSeconds }) => startSeconds));
  const last = Math.max(...series.map(({ endSeconds }) => endSeconds));
  const inside = rateWithin(own, series);
  const whole = rateIn({ startSeconds: first, endSeconds: last }, series);
  return inside === null || whole === null ? null : whole === 0 ? 1 : inside / whole;
}

/** An interval with at least this share inside a window counts as inside: tools end a few milliseconds apart. */
const WHOLE_SHARE = 0.9;

/** Mean rate of the intervals inside a window; null where they cover less than half of it. */
function rateWithin(bin: Bin, series: readonly Timed[]): number | null {
  const inside = series.filter(
    (one) => overlap(bin, one) >= WHOLE_SHARE * (one.endSeconds - one.startSeconds),
  );
  const seconds = inside.reduce((sum, one) => sum + one.endSeconds - one.startSeconds, 0);
  const enough = seconds >= (bin.endSeconds - bin.startSeconds) / 2;
  return enough
    ? rateIn(
        { startSeconds: inside[0]?.startSeconds ?? 0, endSeconds: inside.at(-1)?.endSeconds ?? 0 },
        inside,
      )
    : null;
}

/** Mean rate of a window that the series covers; null where it does not. */
function rateIn(bin: Bin, series: readonly Timed[]): number | null {
  const parts = series.filter((one) => overlap(bin, one) > 0);
  const seconds = parts.reduce((sum, one) => sum + overlap(bin, one), 0);
  const bits = totalOfKnown(
    parts.map((one) => (one.bitsPerSecond === null ? null : one.bitsPerSecond * overlap(bin, one))),
  );
  return bits === null || seconds < 0.9 * (bin.endSeconds - bin.startSeconds) ? null : bits / seconds;
}

/**
 * The series of all parts on one grid, from the first part's start. Bits are distributed by time; counts are whole numbers and
 * go to the bin of their interval's middle. Totals stay the same except where a figure is null.
 */
function sumSeries(parts: readonly Part[]): Interval[] {
  if (parts.some(({ measurement }) => measurement.series.length === 0)) {
    return [];
  }
  const shifted = parts.flatMap(({ measurement, skewMs }) =>
    measurement.series.map((one) => ({
      ...one,
      startSeconds: one.startSeconds + skewMs / 1000,
      endSeconds: one.endSeconds + skewMs / 1000,
    })),
  );
  return gridOf(shifted).map((bin) => sumBin(bin, shifted));
}

type Bin = Pick<Interval, "startSeconds" | "endSeconds">;

/**
 * Bins of the most common interval width, in whole seconds; a remainder under half a bin joins the last one. Never more bins
 * than intervals, so that one interval with an absurd time cannot create millions of empty bins.
 */
function gridOf(intervals: readonly Bin[]): Bin[] {
  const widths = intervals
    .map(({ startSeconds, endSeconds }) => endSeconds - startSeconds)
    .sort((a, b) => a - b);
  const width = Math.max(1, Math.round(widths[Math.floor(widths.length / 2)] ?? 1));
  const first = Math.min(...intervals.map(({ startSeconds }) => startSeconds));
  const end = Math.max(...intervals.map(({ endSeconds }) => endSeconds));
  const count = Math.min(intervals.length, Math.max(1, Math.round((end - first) / width)));
  return Array.from({ length: count }, (_, index) => ({
    startSeconds: first + index * width,
    endSeconds: index === count - 1 ? end : first + (index + 1) * width,
  }));
}

function sumBin(bin: Bin, intervals: readonly Interval[]): Interval {
  const bits = intervals.flatMap((one) => {
    const seconds = overlap(bin, one);
    return seconds > 0 ? [one.bitsPerSecond === null ? null : one.bitsPerSecond * seconds] : [];
  });
  const own = intervals.filter((one) => isIn(bin, (one.startSeconds + one.endSeconds) / 2));
  const all = totalOfKnown(bits);
  return {
    ...bin,
    bitsPerSecond: all === null ? null : all / (bin.endSeconds - bin.startSeconds),
    retransmits: totalOfKnown(own.map(({ retransmits }) => retransmits)),
    lostPackets: totalOfKnown(own.map(({ lostPackets }) => lostPackets)),
    packets: totalOfKnown(own.map(({ packets }) => packets)),
  };
}

function overlap(one: Bin, other: Bin): number {
  return Math.min(one.endSeconds, other.endSeconds) - Math.max(one.startSeconds, other.startSeconds);
}

function isIn({ startSeconds, endSeconds }: Bin, second: number): boolean {
  return second >= startSeconds && second < endSeconds;
}

/**
 * Outages common to all pairs, counted from the first pair's start. Null: a pair's outages are unknown. The
 * lower bound of each is its length minus the uncertainty of the pairs' outages.
 *
 * @param parts Each pair's outages, and how many seconds after the first pair it began.
 */
function commonOutages(
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
