/**
 * The figures a report compares: how each is read from a case, shown, and which way is better.
 *
 * @module
 */

import { formatBitRate, formatMicroseconds, formatPercent } from "../../bench/plan/quantities.ts";
import type { CaseResult, Measurement } from "../../bench/results/index.ts";
import type { Figure } from "../../bench/statistics/difference.ts";
import { type Interval, mean, meanConfidence95, stddev } from "../../bench/statistics/sample.ts";
import { count } from "../text/format.ts";

/** A figure that is compared: where it is in results, its unit, which way is better. */
export interface Metric {
  readonly id: string;
  readonly label: string;
  readonly better: "higher" | "lower";
  readonly format: (value: number) => string;
  /** null: not measured. */
  readonly read: (measurement: Measurement) => number | null;
  /** Unit of the plain number, for CSV. */
  readonly unit: string;
}

const latency = (
  id: string,
  label: string,
  read: (found: NonNullable<Measurement["latencyUs"]>) => number | null,
) =>
  ({
    id,
    label,
    better: "lower",
    format: formatMicroseconds,
    unit: "us",
    read: ({ latencyUs }) => (latencyUs === null ? null : read(latencyUs)),
  }) satisfies Metric;

/** All figures that are compared, by id. */
export const metrics = {
  throughput: {
    id: "throughput",
    label: "Throughput",
    better: "higher",
    format: formatBitRate,
    unit: "bit/s",
    read: (measurement) => measurement.bitsPerSecond,
  },
  noDropRate: {
    id: "noDropRate",
    label: "Rate held within the loss bound",
    better: "higher",
    format: formatBitRate,
    unit: "bit/s",
    // A search that found nothing found no rate of 0.
    read: ({ search }) => (search?.goal === "ndr" || search?.goal === "pdr" ? search.found : null),
  },
  partialDropRate: {
    id: "partialDropRate",
    label: "Rate held within the looser bound",
    better: "higher",
    format: formatBitRate,
    unit: "bit/s",
    // Of a search for both rates; a search for one has it above.
    read: ({ search }) => search?.goals?.slice(1).find(({ goal }) => goal === "pdr")?.found ?? null,
  },
  loss: {
    id: "loss",
    label: "Loss",
    better: "lower",
    format: formatPercent,
    unit: "%",
    read: (measurement) => measurement.lostPercent,
  },
  latencyMean: latency("latencyMean", "Latency mean", ({ mean }) => mean),
  latencyP50: latency("latencyP50", "Latency p50", ({ p50 }) => p50),
  latencyP99: latency("latencyP99", "Latency p99", ({ p99 }) => p99),
  connectionsPerSecond: {
    id: "connectionsPerSecond",
    label: "Connections a second",
    better: "higher",
    format: (value) => `${count(value)}/s`,
    unit: "1/s",
    read: ({ connections }) => connections?.perSecond ?? null,
  },
  newConnections: {
    id: "newConnections",
    label: "New connections a second, at most",
    better: "higher",
    format: (value) => `${count(value)}/s`,
    unit: "1/s",
    read: ({ natLimits }) => natLimits?.connectionRate?.perSecond ?? null,
  },
  failoverOutage: {
    id: "failoverOutage",
    label: "Outage when the NAT instance fails",
    better: "lower",
    format: (value) => formatMicroseconds(value * 1000),
    unit: "ms",
    read: ({ failover }) => failover?.outages.new.ms ?? null,
  },
} as const satisfies Record<string, Metric>;

/** Id of one of them. */
export type MetricId = keyof typeof metrics;
/** Their ids, in the order of the report. */
export const metricIds = Object.keys(metrics) as MetricId[];

/** A measured figure with its 95 % confidence interval, where there are repetitions to tell one from. */
export interface Estimate extends Figure {
  readonly interval: Interval | null;
}

/** Where the results' own repetitions have each figure. */
const repeatedFields: Readonly<Record<MetricId, string>> = {
  throughput: "bitsPerSecond",
  noDropRate: "search.found",
  partialDropRate: "search.pdr.found",
  loss: "lostPercent",
  latencyMean: "latencyUs.mean",
  latencyP50: "latencyUs.p50",
  latencyP99: "latencyUs.p99",
  connectionsPerSecond: "connections.perSecond",
  newConnections: "natLimits.connectionRate.perSecond",
  failoverOutage: "failover.outages.new.ms",
};

/** What the repetitions of one case say about a metric; null when none measured it. */
export function estimate(id: MetricId, results: readonly CaseResult[]): Estimate | null {
  const [only, ...others] = results;
  const own = only === undefined ? null : ownRepetitions(only, id);
  if (own !== null && others.length === 0) {
    const { values, mean: value, stddev: deviation, confidence95: interval } = own;
    const n = values.filter((one) => one !== null).length;
    return value === null ? null : { value, stddev: deviation, n, interval };
  }
  const values = results.flatMap((one) => valuesOf(one, id));
  return values.length === 0 ? null : summarize(values);
}

/** Null: the case was measured once, or by a release that did not keep this figure of every repetition. */
function ownRepetitions({ repetitions }: CaseResult, id: MetricId) {
  const field = repeatedFields[id];
  return repetitions?.metrics[field] ?? (repetitions?.metric === field ? repetitions : null);
}

function valuesOf(result: CaseResult, id: MetricId): number[] {
  const { measurement } = result;
  const single = measurement === null ? null : metrics[id].read(measurement);
  const values = ownRepetitions(result, id)?.values ?? [single];
  return values.filter((value) => value !== null);
}

/** Mean of some repetitions with its 95 % confidence interval; none from a single one. */
export function summarize(values: readonly number[]): Estimate {
  const n = values.length;
  return n < 2
    ? { value: mean(values), stddev: null, n, interval: null }
    : { value: mean(values), stddev: stddev(values), n, interval: meanConfidence95(values) };
}
