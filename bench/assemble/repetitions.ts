/**
 * What several measurements of one case say together.
 *
 * @module
 */
import { decidingFigures, type Figure, keptFigures } from "../figures/index.ts";
import type { Repeat } from "../plan/plan.ts";
import type { CaseResult, Failure, Measurement, RepeatedFigure, Repetitions } from "../results/index.ts";
import { mergeHistograms, percentileOf, samplesOf } from "../statistics/histogram.ts";
import { mean, meanConfidence95, median, repetitionsNeeded, stddev } from "../statistics/sample.ts";
import { samplesNeeded } from "../tools/index.ts";

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
  const deciding = decidingFigure(measured);
  const values = present(measured.map((one) => deciding?.read(one)));
  return {
    metric: deciding?.path ?? "bitsPerSecond",
    values,
    failed: results.length - measured.length,
    ...summarize(values, pilotOf(repeat)),
    withinPercent,
    converged: withinPercent === null ? null : isWithin(values, repeat.least, withinPercent),
    ...allLatency(measured),
    metrics: Object.fromEntries(
      keptFigures.flatMap(({ path, read }): [string, RepeatedFigure][] => {
        const all = measured.map((measurement) => read(measurement) ?? null);
        const known = present(all);
        return known.length === 0 ? [] : [[path, { values: all, ...summarize(known, pilotOf(repeat)) }]];
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

/** The figure that the measurements are repeated for; undefined: none of them has one. */
function decidingFigure(measured: readonly Measurement[]): Figure | undefined {
  return decidingFigures.find(({ read }) => measured.some((one) => read(one) != null));
}

function isWithin(values: readonly number[], least: number, percent: number): boolean {
  const pilot = Math.max(2, least);
  const first = values.slice(0, pilot);
  return first.length === pilot && values.length >= repetitionsNeeded(first, percent);
}

/** The repetition whose figure is nearest to the median; of two as near, the earlier. */
function typicalOf(results: readonly CaseResult[], { metric, median: middle }: Repetitions) {
  const read = decidingFigures.find(({ path }) => path === metric)?.read;
  if (middle === null || read === undefined) {
    return undefined;
  }
  const distance = ({ measurement }: CaseResult) => {
    const value = measurement === null ? null : read(measurement);
    return value == null ? Number.POSITIVE_INFINITY : Math.abs(value - middle);
  };
  return results.reduce((best, one) => (distance(one) < distance(best) ? one : best));
}
