/**
 * Several measurements that were made at the same time, as one.
 *
 * @module
 */
import { type Figure, figures } from "../figures/index.ts";
import type { Measurement } from "../results/index.ts";
import { nothingMeasured } from "../tools/shared/measurement.ts";

type Interval = Measurement["series"][number];

/** One of the measurements, and how long after the first it began. */
export interface Part {
  readonly measurement: Measurement;
  readonly skewMs: number;
}

/**
 * The sum of measurements, figure by figure as the registry says. A figure that one of them lacks is null, since a part
 * is no sum. The duration is that of the longest.
 */
export function sumMeasurements(parts: readonly Part[]): Measurement {
  const measurements = parts.map(({ measurement }) => measurement);
  const durations = measurements.map(({ durationSeconds }) => durationSeconds);
  const sums = Object.values(figures).flatMap(({ path, overPairs, read }) =>
    overPairs === null ? [] : [[path, adders[overPairs](measurements, read)] as const],
  );
  return {
    ...nothingMeasured,
    ...(Object.fromEntries(sums) as Partial<Measurement>),
    durationSeconds: total(durations) === null ? null : Math.max(...durations.map(Number)),
    streams: measurements.flatMap(({ streams }) => streams),
    series: sumSeries(parts),
  };
}

type Adder = (measurements: readonly Measurement[], read: Figure["read"]) => number | null;

const adders: Readonly<Record<NonNullable<Figure["overPairs"]>, Adder>> = {
  sum: (measurements, read) => total(measurements.map((one) => read(one) ?? null)),
  rate: (measurements, read) => total(measurements.map((one) => read(one) ?? null)),
  mean: (measurements, read) => average(measurements.map((one) => read(one) ?? null)),
  loss: (measurements) => {
    const packets = total(measurements.map((one) => one.packets));
    const lost = total(measurements.map((one) => one.lostPackets));
    return packets === null || lost === null || packets === 0 ? null : (100 * lost) / packets;
  },
};

/**
 * The series of all parts on one grid, from the first part's start. Bits are shared out by time; counts, which are
 * whole, fall where the middle of their interval does. Nothing is lost or gained but where a figure is null.
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
 * Bins as wide as most intervals are, in whole seconds; a rest of less than half a bin goes to the last one. Never more
 * than intervals: one that claims to be far away must not make millions of empty ones.
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
  const all = total(bits);
  return {
    ...bin,
    bitsPerSecond: all === null ? null : all / (bin.endSeconds - bin.startSeconds),
    retransmits: total(own.map(({ retransmits }) => retransmits)),
    lostPackets: total(own.map(({ lostPackets }) => lostPackets)),
    packets: total(own.map(({ packets }) => packets)),
  };
}

function overlap(one: Bin, other: Bin): number {
  return Math.min(one.endSeconds, other.endSeconds) - Math.max(one.startSeconds, other.startSeconds);
}

function isIn({ startSeconds, endSeconds }: Bin, second: number): boolean {
  return second >= startSeconds && second < endSeconds;
}

/** Null unless every part is known, and there is one. */
function total(parts: readonly (number | null)[]): number | null {
  return parts.length === 0
    ? null
    : parts.reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}

function average(parts: readonly (number | null)[]): number | null {
  const sum = total(parts);
  return sum === null ? null : sum / parts.length;
}
