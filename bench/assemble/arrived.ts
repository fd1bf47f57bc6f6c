/** Egress as sampled on the server's host: the sender's series shows neither what arrived nor when. */
import type { Case } from "../plan/plan.ts";
import type { HostUsage } from "../results/index.ts";
import { median } from "../statistics/sample.ts";
import { directionOf, toolOf } from "../tools/index.ts";
import { type Interval, levelsOf, outagesOf } from "./silence.ts";

/** Seconds by which a sample's time stamp may be off its regular time: stamps are whole seconds. */
const STAMP_SECONDS = 1;
/** Samples by which two hosts' windows may differ. */
const WINDOW_SAMPLES = 1;
/** A sample below this share of the largest rate may hold other programs' traffic only. */
const OTHERS_SHARE = 0.1;
/** Other programs' traffic during the test is at most this many times their peak before and after it. */
const OTHERS_TIMES = 3;

type Sample = NonNullable<HostUsage["network"]>["series"][number];
/** The first and last sample with a test's traffic, and the share of the usual rate that each has. */
interface Busy {
  readonly first: number;
  readonly last: number;
  readonly firstShare: number;
  readonly lastShare: number;
}
/** Traffic that the server's host received. */
interface Arrived {
  /** Intervals, timed from the start of the measured part. */
  readonly series: readonly Interval[];
  /** Highest rate that other programs may have had, judged by their traffic before and after the test. */
  readonly others: number;
}

/**
 * Outages of egress by the server's samples: of UDP by its datagram counts, or by its bits where no interval has one.
 * An interval is silent at 1 % of the usual rate or less. Judged by bits, other programs' likely traffic is silence too, up to
 * a tenth of the largest rate. Null: the samples cannot decide, or other programs' traffic may fill an interval.
 */
export function outagesAtServer(
  hosts: readonly HostUsage[],
  benchCase: Pick<Case, "omitSeconds" | "durationSeconds">,
  isUdp: boolean,
): ReturnType<typeof outagesOf> | null {
  const server = samplesOf(hosts, "server");
  const counts = isUdp ? server.flatMap(({ arrivedDatagrams }) => arrivedDatagrams ?? []) : [];
  const bits = server.map(({ receivedBitsPerSecond }) => receivedBitsPerSecond);
  if (counts.length === 0) {
    const arrived = arrivedAtServer(hosts, benchCase, bits, isUdp);
    return arrived === null || isUnclear(arrived) ? null : outagesOf(arrived.series, arrived.others);
  }
  // Bits do not explain a missing count: the host's firewall may have dropped those datagrams.
  const inTime = counts.length < server.length ? null : onTime(counts, bits);
  const arrived = inTime === null ? null : arrivedAtServer(hosts, benchCase, inTime, isUdp);
  // An interval with few datagrams is ambiguous: other programs' traffic, or a slow moment of the test.
  return arrived === null || isUnclear({ ...arrived, others: 0 }, arrived.others)
    ? null
    : outagesOf(arrived.series);
}

/**
 * Whether a whole interval's traffic is ambiguous: the test's or other programs'. Intervals at the ends of the test or of an
 * outage are not whole.
 *
 * @param most Highest rate of other programs. @default a tenth of the usual rate
 */
function isUnclear({ series, others }: Arrived, most?: number): boolean {
  const { usual, silent } = levelsOf(series, others);
  const rates = series.map(({ bitsPerSecond }) => bitsPerSecond ?? 0);
  const isWhole = (index: number) =>
    index > 0 && index < rates.length - 2 && [index - 1, index + 1].every((at) => (rates[at] ?? 0) > silent);
  return rates.some(
    (rate, index) => rate > silent && rate <= (most ?? OTHERS_SHARE * usual) && isWhole(index),
  );
}

/**
 * Traffic that the server received during the test, at the samples' resolution, which a large report thins. Null: there are
 * no regular samples, or the test cannot be located among them.
 */
function arrivedAtServer(
  hosts: readonly HostUsage[],
  { omitSeconds, durationSeconds }: Pick<Case, "omitSeconds" | "durationSeconds">,
  arrived: readonly number[],
  isUdp: boolean,
): Arrived | null {
  const server = samplesOf(hosts, "server");
  const width = spacingOf(server);
  const busy = busyOf(arrived);
  if (width === null || busy === null) {
    return null;
  }
  const test = omitSeconds + durationSeconds;
  const sent = sentByClient(hosts, width, server.length);
  const begin = beginOf(busy, sent, Math.floor(test / width));
  const count = Math.ceil(test / width);
  // Counters and samples are read at different moments: the last sample may hold the rest.
  if (begin === null || begin + count > arrived.length + WINDOW_SAMPLES) {
    return null;
  }
  // When located by the sender's samples, the first and last interval may lie partly outside the test. A UDP sender sends until
  // the test ends; a TCP sender falls silent when its path does.
  const isEdge = (index: number) =>
    (begin !== busy.first && (index === 0 || index === count - 1)) ||
    (sent !== null && begin + index > sent.last && (isUdp || index === count - 1));
  const intervals = arrived.slice(begin, begin + count).map((bitsPerSecond, index) => ({
    startSeconds: Math.max(0, index * width - omitSeconds),
    endSeconds: Math.min(durationSeconds, (index + 1) * width - omitSeconds),
    bitsPerSecond,
    ...(isEdge(index) && { isEdge: true }),
  }));
  // Intervals next to the test may hold a part of it.
  const beside = [...arrived.slice(0, Math.max(0, begin - 1)), ...arrived.slice(begin + count + 1)];
  return {
    others: Math.min(OTHERS_TIMES * Math.max(0, ...beside), OTHERS_SHARE * Math.max(...arrived)),
    series: [
      ...intervals.filter(({ startSeconds, endSeconds }) => endSeconds > startSeconds),
      // The test may end within the next sample.
      { startSeconds: durationSeconds, endSeconds: durationSeconds + width, bitsPerSecond: null },
    ],
  };
}

/** Whether the hosts' samples span one test that sends this protocol's egress. */
export function isOneEgressTest(benchCase: Case, protocol: Case["protocol"]): boolean {
  return (
    toolOf(benchCase).isOneTest === true &&
    benchCase.protocol === protocol &&
    directionOf(benchCase) === "egress"
  );
}

export function samplesOf(hosts: readonly HostUsage[], role: HostUsage["role"]): readonly Sample[] {
  return hosts.find((host) => host.role === role)?.network?.series ?? [];
}

/** Seconds from one sample to the next; null: too few, or irregular, as after a step of the clock. */
export function spacingOf(samples: readonly Sample[]): number | null {
  const times = samples.map(({ at }) => Date.parse(at) / 1000);
  const [first = Number.NaN] = times;
  if (times.length < 2) {
    return null;
  }
  const width = Math.max(1, Math.round(median(times.slice(1).map((at, index) => at - (times[index] ?? at)))));
  const isRegular = times.every((at, index) => Math.abs(at - first - index * width) <= STAMP_SECONDS);
  return isRegular ? width : null;
}

/** Where a test's traffic is among the rates: a sample below a share of the largest holds only other programs' traffic. */
export function busyOf(rates: readonly number[], others = OTHERS_SHARE): Busy | null {
  const least = others * Math.max(0, ...rates);
  const isBusy = (rate: number) => rate > least;
  const [first, last] = [rates.findIndex(isBusy), rates.findLastIndex(isBusy)];
  const usual = first < 0 ? 0 : median(rates.filter(isBusy));
  const share = (at: number) => Math.min(1, (rates[at] ?? 0) / usual);
  return first < 0 ? null : { first, last, firstShare: share(first), lastShare: share(last) };
}

/** The samples in which the client sent; null: its samples do not align with the server's. */
function sentByClient(hosts: readonly HostUsage[], width: number, count: number): Busy | null {
  const client = samplesOf(hosts, "client");
  const isBeside = spacingOf(client) === width && Math.abs(client.length - count) <= WINDOW_SAMPLES;
  return isBeside ? busyOf(client.map(({ sentBitsPerSecond }) => sentBitsPerSecond)) : null;
}

/** Index of the test's first sample on the server; null: unknown. Without the sender's samples, only an uninterrupted test can be found. */
function beginOf(arrived: Busy, sent: Busy | null, count: number): number | null {
  if (sent === null) {
    const samples = arrived.last - arrived.first + 1;
    return samples < count || samples > count + 1 + WINDOW_SAMPLES ? null : arrived.first;
  }
  const late = arrived.first - sent.first;
  return late < -WINDOW_SAMPLES ? null : late > WINDOW_SAMPLES ? sent.first : arrived.first;
}

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
function onTime(counts: readonly number[], bits: readonly number[]): number[] | null {
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

function silences(counts: readonly number[], idle: number): (readonly [start: number, end: number])[] {
  const starts = counts.flatMap((count, at) =>
    count <= idle && (at === 0 || (counts[at - 1] ?? 0) > idle) ? [at] : [],
  );
  return starts.map((start) => {
    const end = counts.findIndex((count, at) => at > start && count > idle);
    return [start, end < 0 ? counts.length : end] as const;
  });
}
