/** Time of a case in which nothing got through. */

import type { Case } from "../plan/plan.ts";
import type { HostUsage, Measurement, Outage } from "../results/index.ts";
import { median } from "../statistics/sample.ts";
import { directionOf, toolOf } from "../tools/index.ts";

/** Seconds of silence that count as an outage: shorter ones are a retransmission's time-out. */
const LEAST_SECONDS = 1;
/** An interval with less than this share of the usual rate has no traffic of the test, but other programs' few packets. */
const IDLE_SHARE = 0.01;

interface Interval {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly bitsPerSecond: number | null;
}

/**
 * The measurement with its outages, where its tool tells of none itself: those that the receiving host saw of UDP that the
 * client sends, whose series is the sender's, and otherwise those of the series.
 */
export function withOutages(
  measurement: Measurement,
  benchCase: Case,
  hosts: readonly HostUsage[],
): Measurement {
  if (measurement.outages !== null || measurement.series.length === 0) {
    return measurement;
  }
  const isSenders = toolOf(benchCase).passesNatAsUdp(benchCase) && directionOf(benchCase) === "egress";
  const series = (isSenders ? receivedBy(hosts, benchCase) : null) ?? measurement.series;
  return { ...measurement, outages: outagesOf(series) };
}

/** Traffic that came to the server from the test's first second to its last; null: not sampled each second. */
function receivedBy(
  hosts: readonly HostUsage[],
  { omitSeconds, durationSeconds }: Case,
): readonly Interval[] | null {
  const server = hosts.find(({ role }) => role === "server")?.network?.series ?? [];
  const rates = server.map(({ receivedBitsPerSecond }) => receivedBitsPerSecond);
  const most = Math.max(0, ...rates);
  const first = rates.findIndex((rate) => rate > IDLE_SHARE * most);
  const times = server.map(({ at }) => Date.parse(at) / 1000);
  const isEachSecond = times.every((at, index) => index === 0 || at - (times[index - 1] ?? at) < 1.5);
  if (first < 0 || !isEachSecond) {
    return null;
  }
  const begin = times[first] ?? 0;
  return rates
    .map((rate, index) => ({
      startSeconds: (times[index] ?? 0) - begin,
      endSeconds: (times[index] ?? 0) - begin + 1,
      bitsPerSecond: rate,
    }))
    .filter(
      ({ startSeconds }) => startSeconds >= 0 && startSeconds < Math.floor(omitSeconds + durationSeconds),
    );
}

/**
 * Intervals in which nothing arrived, those that follow each other as one. The intervals at both ends belong to it by the
 * share that they lack of the usual rate: of a steady rate that is exact, and `leastSeconds` and `mostSeconds` bound it.
 */
export function outagesOf(series: readonly Interval[]): Outage[] {
  const rates = series.flatMap(({ bitsPerSecond }) => (bitsPerSecond ? [bitsPerSecond] : []));
  const usual = rates.length === 0 ? 0 : median(rates);
  const isIdle = ({ bitsPerSecond }: Interval) =>
    bitsPerSecond !== null && bitsPerSecond <= IDLE_SHARE * usual;
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
    .map(({ first, last }) =>
      outageOf(series.slice(first, last + 1), series[first - 1], series[last + 1], usual),
    )
    .filter(({ leastSeconds }) => leastSeconds >= LEAST_SECONDS);
}

function outageOf(
  idle: readonly Interval[],
  before: Interval | undefined,
  after: Interval | undefined,
  usual: number,
): Outage & { readonly leastSeconds: number } {
  const start = idle[0]?.startSeconds ?? 0;
  const least = (idle.at(-1)?.endSeconds ?? start) - start;
  const length = (one: Interval | undefined) => (one === undefined ? 0 : one.endSeconds - one.startSeconds);
  const lacking = (one: Interval | undefined) =>
    one?.bitsPerSecond == null || usual === 0 ? 0 : Math.max(0, 1 - one.bitsPerSecond / usual) * length(one);
  return {
    startSeconds: round(start - lacking(before)),
    seconds: round(least + lacking(before) + lacking(after)),
    leastSeconds: round(least),
    mostSeconds: round(least + length(before) + length(after)),
  };
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
