/**
 * The figures a report compares: how each is read from a case, shown, and which way is better.
 *
 * @module
 */

import { mean, meanConfidence95 } from "../../bench/assemble/statistics.ts";
import { formatBitRate, formatMicroseconds, formatPercent } from "../../bench/plan/quantities.ts";
import type { CaseResult, Measurement } from "../../bench/results/index.ts";
import { count } from "../text/format.ts";

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
} as const satisfies Record<string, Metric>;

export type MetricId = keyof typeof metrics;
export const metricIds = Object.keys(metrics) as MetricId[];

/** A measured figure with its 95 % confidence interval, where there are repetitions to tell one from. */
export interface Estimate {
  readonly value: number;
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** Repetitions behind it. */
  readonly n: number;
}

/** What the plan's own repetitions are of, in the results' words. */
const repeatedFields: Readonly<Record<string, MetricId>> = {
  bitsPerSecond: "throughput",
  "search.found": "noDropRate",
  lostPercent: "loss",
  "latencyUs.mean": "latencyMean",
  "latencyUs.p50": "latencyP50",
  "latencyUs.p99": "latencyP99",
  "natLimits.connectionRate.perSecond": "newConnections",
};

/** What the repetitions of one case say about a metric; null when none measured it. */
export function estimate(metric: Metric, repetitions: readonly CaseResult[]): Estimate | null {
  const [only, ...others] = repetitions;
  const own = only?.repetitions ?? null;
  if (own !== null && others.length === 0 && repeatedFields[own.metric] === metric.id && own.mean !== null) {
    return { value: own.mean, interval: own.confidence95, n: own.values.length };
  }
  const values = repetitions
    .map(({ measurement }) => (measurement === null ? null : metric.read(measurement)))
    .filter((value) => value !== null);
  return values.length === 0 ? null : summarize(values);
}

/** Mean of some repetitions with its 95 % confidence interval; none from a single one. */
export function summarize(values: readonly number[]): Estimate {
  const n = values.length;
  return { value: mean(values), interval: n < 2 ? null : meanConfidence95(values), n };
}
