/** One case's repetitions as one result. */
import { figureConfidence95 } from "../figures/estimate.ts";
import { decidingFigures, type Figure, keptFigures } from "../figures/index.ts";
import type { Repeat } from "../plan/plan.ts";
import type { CaseResult, Failure, Measurement, RepeatedFigure, Repetitions } from "../results/index.ts";
import { mean, meanConfidence95, median, pilotOf, repetitionsNeeded, stddev } from "../statistics/sample.ts";
import { samplesNeeded } from "../tools/index.ts";

/** Percent of a case's repetitions that may fail. Where more fail, the case has failed. */
const FAILED_PERCENT = 50;

/** Whether a case needs no further repetition. The first repetitions decide that once. */
export function isSettled(results: readonly CaseResult[], repeat: Repeat): boolean {
  const { least, withinPercent } = repeat;
  if (withinPercent === null || results.length < least) {
    return false;
  }
  const { measured, deciding } = measuredOf(results);
  const values = present(measured.map((one) => deciding?.decidesRepetitions?.(one)));
  const first = values.slice(0, pilotOf(repeat));
  return first.length === pilotOf(repeat) && values.length >= repetitionsNeeded(first, withinPercent);
}

/** The measurements, each with its round from 1, and the figure that they are repeated for. */
function measuredOf(results: readonly CaseResult[]) {
  const found = results.flatMap(({ measurement }, index) =>
    measurement === null ? [] : [{ measurement, round: index + 1 }],
  );
  const measured = found.map(({ measurement }) => measurement);
  const deciding = decidingFigures.find(({ decidesRepetitions }) =>
    measured.some((one) => decidesRepetitions?.(one) != null),
  );
  return { found, measured, deciding };
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

/** The failure of a case with too many failed repetitions; null for any other case. */
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
  const { found, measured, deciding } = measuredOf(results);
  const values = present(measured.map((one) => deciding?.read(one)));
  const settled = isSettled(results, repeat) && isNarrow(values, withinPercent ?? 0);
  return {
    metric: deciding?.path ?? "bitsPerSecond",
    values,
    failed: results.length - measured.length,
    ...summarize(values, deciding ?? { unit: "1" }, pilotOf(repeat)),
    withinPercent,
    converged: withinPercent === null ? null : settled,
    rounds: found.map(({ round }) => round),
    ...outagesOf(found),
    ...allLatency(measured),
    metrics: Object.fromEntries(
      keptFigures.flatMap((figure): [string, RepeatedFigure][] => {
        const all = measured.map((measurement) => figure.read(measurement) ?? null);
        const known = present(all);
        return known.length === 0
          ? []
          : [[figure.path, { values: all, ...summarize(known, figure, pilotOf(repeat)) }]];
      }),
    ),
  };
}

/** Whether the scatter of all repetitions confirms a narrow interval; the first ones' scatter may be small by luck. */
function isNarrow(values: readonly number[], withinPercent: number): boolean {
  if (values.length < 2) {
    return false;
  }
  const { low, high } = meanConfidence95(values);
  const half = (high - low) / 2;
  return half <= (withinPercent / 100) * Math.abs(mean(values)) * (1 + 1e-9);
}

/** Outages of all repetitions; absent where no tool tells. */
function outagesOf(found: ReturnType<typeof measuredOf>["found"]): Pick<Repetitions, "outages"> {
  const told = found.filter(({ measurement }) => measurement.outages !== null);
  return told.length === 0
    ? {}
    : {
        outages: told.flatMap(({ measurement, round }) =>
          (measurement.outages ?? []).map((one) => ({ ...one, round })),
        ),
      };
}

/** Latency over the samples of all repetitions: together they reach a percentile's minimum sooner than one alone. */
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

function summarize(
  values: readonly number[],
  figure: Pick<Figure, "unit">,
  pilot: number | undefined,
): Omit<RepeatedFigure, "values"> {
  return {
    median: values.length > 0 ? median(values) : null,
    mean: values.length > 0 ? mean(values) : null,
    min: values.length > 0 ? Math.min(...values) : null,
    max: values.length > 0 ? Math.max(...values) : null,
    stddev: values.length > 1 ? stddev(values) : null,
    confidence95: values.length > 1 ? figureConfidence95(values, figure, pilot) : null,
  };
}

function present(values: readonly (number | null | undefined)[]): number[] {
  return values.filter((value) => value != null);
}

/** The repetition whose figure is nearest to the median; the earlier of two that are equally near. */
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

// Latency distributions are buckets, which can be added over several runs, unlike percentiles.

/** The largest value of a bucket and its number of samples, in rising order; empty buckets are left out. */
type Histogram = readonly (readonly [value: number, count: number])[];

/** The sum of several histograms. The host agent makes the same buckets in all. */
export function mergeHistograms(histograms: readonly Histogram[]): [number, number][] {
  const counts = new Map<number, number>();
  for (const [value, count] of histograms.flat()) {
    counts.set(value, (counts.get(value) ?? 0) + count);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** How many samples a distribution has. */
export function samplesOf(histogram: Histogram): number {
  return histogram.reduce((sum, [, count]) => sum + count, 0);
}

/** Nearest rank, as the largest value of its bucket; null without samples. @param perMille From 0 to 1,000. */
export function percentileOf(histogram: Histogram, perMille: number): number | null {
  const rank = Math.max(1, Math.ceil((perMille * samplesOf(histogram)) / 1000));
  let seen = 0;
  for (const [value, count] of histogram) {
    seen += count;
    if (seen >= rank) {
      return value;
    }
  }
  return null;
}
