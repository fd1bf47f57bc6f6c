/**
 * What several measurements of one case say together.
 *
 * @module
 */
import type { Repeat } from "../plan/plan.ts";
import type { CaseResult, Measurement, Repetitions } from "../results/index.ts";
import { mean, meanConfidence95, median, stddev } from "./statistics.ts";

/** Figures that repetitions are judged by, the first that a measurement has. */
const metrics: Readonly<Record<string, (measurement: Measurement) => number | null | undefined>> = {
  "search.found": ({ search }) => (search !== null && search.goal !== "peak" ? search.found : null),
  "latencyUs.mean": ({ latencyUs }) => latencyUs?.mean,
  bitsPerSecond: ({ bitsPerSecond }) => bitsPerSecond,
  "natLimits.connectionRate.perSecond": ({ natLimits }) => natLimits?.connectionRate?.perSecond,
  "natLimits.concurrentFlows.opened": ({ natLimits }) => natLimits?.concurrentFlows?.opened,
  "natLimits.idleTimeout.survivedSeconds": ({ natLimits }) => natLimits?.idleTimeout?.survivedSeconds,
};

/** Whether a case needs no further repetition after those it had. */
export function isSettled(results: readonly CaseResult[], repeat: Repeat): boolean {
  return results.length >= repeat.least && summarizeRepetitions(results, repeat).converged === true;
}

/**
 * One result for all repetitions of a case on a topology, in the order they were measured: the median one's,
 * with the figures of all. Failed ones do not count unless all failed, and are told.
 */
export function mergeRepetitions(results: readonly CaseResult[], repeat: Repeat): CaseResult {
  const [first] = results;
  if (first === undefined) {
    throw new RangeError("got no repetition; expected at least one");
  }
  const repetitions = summarizeRepetitions(results, repeat);
  const typical = typicalOf(results, repetitions) ?? results.find(({ status }) => status === "ok") ?? first;
  return {
    ...typical,
    repetitions,
    attempts: results.flatMap(({ attempts }) => attempts),
    startedAt: results.find(({ startedAt }) => startedAt !== null)?.startedAt ?? null,
    finishedAt: results.findLast(({ finishedAt }) => finishedAt !== null)?.finishedAt ?? null,
  };
}

function summarizeRepetitions(results: readonly CaseResult[], { withinPercent }: Repeat): Repetitions {
  const measured = results.flatMap(({ measurement }) => (measurement === null ? [] : [measurement]));
  const [metric, read] = metricOf(measured);
  const values = measured.flatMap((one) => read(one) ?? []);
  const confidence95 = values.length > 1 ? meanConfidence95(values) : null;
  return {
    metric,
    values,
    failed: results.length - measured.length,
    median: values.length > 0 ? median(values) : null,
    mean: values.length > 0 ? mean(values) : null,
    min: values.length > 0 ? Math.min(...values) : null,
    max: values.length > 0 ? Math.max(...values) : null,
    stddev: values.length > 1 ? stddev(values) : null,
    confidence95,
    withinPercent,
    converged: withinPercent === null ? null : isWithin(confidence95, withinPercent),
  };
}

function metricOf(measured: readonly Measurement[]): [string, (typeof metrics)[string]] {
  const found = Object.entries(metrics).find(([, read]) => measured.some((one) => read(one) != null));
  return found ?? ["bitsPerSecond", () => null];
}

function isWithin(interval: { low: number; high: number } | null, percent: number): boolean {
  if (interval === null) {
    return false;
  }
  const centre = (interval.low + interval.high) / 2;
  return (interval.high - interval.low) / 2 <= (Math.abs(centre) * percent) / 100;
}

/** The repetition whose figure is nearest to the median; of two as near, the earlier. */
function typicalOf(results: readonly CaseResult[], { metric, median: middle }: Repetitions) {
  const read = metrics[metric];
  if (middle === null || read === undefined) {
    return undefined;
  }
  const distance = ({ measurement }: CaseResult) => {
    const value = measurement === null ? null : read(measurement);
    return value == null ? Number.POSITIVE_INFINITY : Math.abs(value - middle);
  };
  return results.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}
