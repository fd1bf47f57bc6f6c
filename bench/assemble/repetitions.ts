/**
 * What several measurements of one case say together.
 *
 * @module
 */
import type { Repeat } from "../plan/plan.ts";
import type { CaseResult, Failure, Measurement, RepeatedFigure, Repetitions } from "../results/index.ts";
import { mergeHistograms, percentileOf, samplesOf } from "../statistics/histogram.ts";
import { mean, meanConfidence95, median, repetitionsNeeded, stddev } from "../statistics/sample.ts";
import { samplesNeeded } from "../tools/index.ts";

type Read = (measurement: Measurement) => number | null | undefined;

/** Figures that repetitions are judged by, the first that a measurement has. */
const deciding: Readonly<Record<string, Read>> = {
  "search.found": ({ search }) => (search !== null && search.goal !== "peak" ? search.found : null),
  "latencyUs.mean": ({ latencyUs }) => latencyUs?.mean,
  bitsPerSecond: ({ bitsPerSecond }) => bitsPerSecond,
  "natLimits.connectionRate.perSecond": ({ natLimits }) => natLimits?.connectionRate?.perSecond,
  "natLimits.concurrentFlows.opened": ({ natLimits }) => natLimits?.concurrentFlows?.opened,
  "natLimits.idleTimeout.survivedSeconds": ({ natLimits }) => natLimits?.idleTimeout?.survivedSeconds,
  "failover.outages.new.ms": ({ failover }) => failover?.outages.new.ms,
};

/** All that are kept of every repetition, by their place in the measurement. */
const figures: Readonly<Record<string, Read>> = {
  ...deciding,
  "search.pdr.found": ({ search }) => search?.goals?.slice(1).find(({ goal }) => goal === "pdr")?.found,
  packetsPerSecond: ({ packetsPerSecond }) => packetsPerSecond,
  lostPercent: ({ lostPercent }) => lostPercent,
  jitterMs: ({ jitterMs }) => jitterMs,
  retransmits: ({ retransmits }) => retransmits,
  "latencyUs.p50": ({ latencyUs }) => latencyUs?.p50,
  "latencyUs.p90": ({ latencyUs }) => latencyUs?.p90,
  "latencyUs.p99": ({ latencyUs }) => latencyUs?.p99,
  "latencyUs.p999": ({ latencyUs }) => latencyUs?.p999,
  "connections.perSecond": ({ connections }) => connections?.perSecond,
  "connections.failed": ({ connections }) => connections?.failed,
  "failover.outages.established.ms": ({ failover }) => failover?.outages.established.ms,
  "failover.flows.tcp.survived": ({ failover }) => failover?.flows.tcp.survived,
  "failover.flows.udp.survived": ({ failover }) => failover?.flows.udp.survived,
  "failover.flows.tcp.stallMs.max": ({ failover }) => failover?.flows.tcp.stallMs.max,
  "failover.readyAgainMs": ({ failover }) => failover?.readyAgainMs,
};

/** Of its repetitions a case may lose so many percent; where more fail, it has failed. */
const FAILED_PERCENT = 50;

/** Whether a case needs no further repetition after those it had. */
export function isSettled(results: readonly CaseResult[], repeat: Repeat): boolean {
  return results.length >= repeat.least && summarizeRepetitions(results, repeat).converged === true;
}

/**
 * One result for all repetitions of a case on a topology, in the order they were measured: the median one's, with the
 * figures of all. Failed ones are left out of the figures and counted; more than {@link FAILED_PERCENT} fail the case.
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
    ...(tooManyFailed(results) ?? {}),
    repetitions,
    attempts: results.flatMap(({ attempts }) => attempts),
    startedAt: results.find(({ startedAt }) => startedAt !== null)?.startedAt ?? null,
    finishedAt: results.findLast(({ finishedAt }) => finishedAt !== null)?.finishedAt ?? null,
  };
}

/** What a case is, most of whose repetitions failed; null where it is none. */
function tooManyFailed(results: readonly CaseResult[]) {
  const failures = results.flatMap(({ failure }) => failure ?? []);
  const [first] = failures;
  if (first === undefined || failures.length === results.length) {
    return null; // the first one's own failure stands for all
  }
  if (100 * failures.length <= FAILED_PERCENT * results.length) {
    return null;
  }
  const message = `${failures.length} of ${results.length} repetitions failed, more than ${FAILED_PERCENT} %; the first: ${first.message}`;
  const failure: Failure = { ...first, message };
  return { status: "failed" as const, failure, measurement: null, limits: null };
}

function summarizeRepetitions(results: readonly CaseResult[], repeat: Repeat): Repetitions {
  const { withinPercent } = repeat;
  const measured = results.flatMap(({ measurement }) => (measurement === null ? [] : [measurement]));
  const [metric, read] = metricOf(measured);
  const values = present(measured.map(read));
  return {
    metric,
    values,
    failed: results.length - measured.length,
    ...summarize(values, pilotOf(repeat)),
    withinPercent,
    converged: withinPercent === null ? null : isWithin(values, repeat.least, withinPercent),
    ...allLatency(measured),
    metrics: Object.fromEntries(
      Object.entries(figures).flatMap(([name, one]): [string, RepeatedFigure][] => {
        const all = measured.map((measurement) => one(measurement) ?? null);
        const known = present(all);
        return known.length === 0 ? [] : [[name, { values: all, ...summarize(known, pilotOf(repeat)) }]];
      }),
    ),
  };
}

/** Samples that a percentile needs are many: those of all repetitions together have them before one has. */
function allLatency(measured: readonly Measurement[]): Pick<Repetitions, "allLatencyUs"> {
  const histograms = measured.flatMap(({ latencyUs }) => latencyUs?.histogram ?? []);
  const own = measured.flatMap(({ latencyUs }) =>
    latencyUs?.histogram === undefined ? [] : [latencyUs.histogram],
  );
  if (histograms.length === 0 || own.length < measured.length) {
    return {};
  }
  const histogram = mergeHistograms(own);
  const samples = samplesOf(histogram);
  const known = (perMille: number, name?: keyof typeof samplesNeeded) =>
    name !== undefined && samples < samplesNeeded[name] ? null : percentileOf(histogram, perMille);
  return {
    allLatencyUs: {
      samples,
      p50: known(500),
      p90: known(900, "p90"),
      p99: known(990, "p99"),
      p999: known(999, "p999"),
      histogram,
    },
  };
}

/** Of a number of repetitions that the first ones decide, only these tell the scatter without bias. */
function pilotOf({ least, withinPercent }: Repeat): number | undefined {
  return withinPercent === null ? undefined : Math.max(2, least);
}

function summarize(values: readonly number[], pilot: number | undefined): Omit<RepeatedFigure, "values"> {
  return {
    median: values.length > 0 ? median(values) : null,
    mean: values.length > 0 ? mean(values) : null,
    min: values.length > 0 ? Math.min(...values) : null,
    max: values.length > 0 ? Math.max(...values) : null,
    stddev: values.length > 1 ? stddev(values) : null,
    confidence95: values.length > 1 ? meanConfidence95(values, pilot) : null,
  };
}

function present(values: readonly (number | null | undefined)[]): number[] {
  return values.filter((value) => value != null);
}

function metricOf(measured: readonly Measurement[]): [string, Read] {
  const found = Object.entries(deciding).find(([, read]) => measured.some((one) => read(one) != null));
  return found ?? ["bitsPerSecond", () => null];
}

function isWithin(values: readonly number[], least: number, percent: number): boolean {
  const pilot = Math.max(2, least);
  const first = values.slice(0, pilot);
  return first.length === pilot && values.length >= repetitionsNeeded(first, percent);
}

/** The repetition whose figure is nearest to the median; of two as near, the earlier. */
function typicalOf(results: readonly CaseResult[], { metric, median: middle }: Repetitions) {
  const read = deciding[metric];
  if (middle === null || read === undefined) {
    return undefined;
  }
  const distance = ({ measurement }: CaseResult) => {
    const value = measurement === null ? null : read(measurement);
    return value == null ? Number.POSITIVE_INFINITY : Math.abs(value - middle);
  };
  return results.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}
