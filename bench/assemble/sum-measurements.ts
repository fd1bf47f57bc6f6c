/**
 * Several measurements that were made at the same time, as one.
 *
 * @module
 */
import type { Measurement } from "../results/index.ts";
import { nothingMeasured } from "../tools/shared/measurement.ts";

type Interval = Measurement["series"][number];

/** One of the measurements, and how long after the first it began. */
export interface Part {
  readonly measurement: Measurement;
  readonly skewMs: number;
}

/**
 * The sum of throughput and loss measurements. A figure that one of them lacks is null, since a part is no sum.
 * Jitter and TCP's round trip are means over the parts, the duration that of the longest; latencies, connections and
 * searches do not add up and are null.
 */
export function sumMeasurements(parts: readonly Part[]): Measurement {
  const figures = parts.map(({ measurement }) => measurement);
  const sum = (field: CountField) => total(figures.map((one) => one[field]));
  const packets = sum("packets");
  const lostPackets = sum("lostPackets");
  const durations = figures.map(({ durationSeconds }) => durationSeconds);
  return {
    ...nothingMeasured,
    bitsPerSecond: sum("bitsPerSecond"),
    sentBitsPerSecond: sum("sentBitsPerSecond"),
    bytes: sum("bytes"),
    durationSeconds: total(durations) === null ? null : Math.max(...durations.map(Number)),
    packetsPerSecond: sum("packetsPerSecond"),
    packets,
    lostPackets,
    lostPercent:
      packets === null || lostPackets === null || packets === 0 ? null : (100 * lostPackets) / packets,
    outOfOrderPackets: sum("outOfOrderPackets"),
    jitterMs: average(figures.map(({ jitterMs }) => jitterMs)),
    retransmits: sum("retransmits"),
    tcpRttUs: average(figures.map(({ tcpRttUs }) => tcpRttUs)),
    streams: figures.flatMap(({ streams }) => streams),
    series: sumSeries(parts),
  };
}

type CountField =
  | "bitsPerSecond"
  | "sentBitsPerSecond"
  | "bytes"
  | "packetsPerSecond"
  | "packets"
  | "lostPackets"
  | "outOfOrderPackets"
  | "retransmits";

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
