/**
 * The figures a report compares: how each is read from a case, shown, and which way is better.
 *
 * @module
 */

import { formatBitRate, formatMicroseconds, formatPercent } from "../bench/quantities.ts";
import type { CaseResult, Measurement } from "../bench/results.ts";
import { count } from "./format.ts";

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

/** What the repetitions of one case say about a metric; null when none measured it. */
export function estimate(metric: Metric, repetitions: readonly CaseResult[]): Estimate | null {
  const values = repetitions
    .map(({ measurement }) => (measurement === null ? null : metric.read(measurement)))
    .filter((value) => value !== null);
  return values.length === 0 ? null : summarize(values);
}

/**
 * Two-sided 97.5 % points of Student's t for 1 to 30 degrees of freedom.
 * Source: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
 */
const student = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Mean of some repetitions with its 95 % t interval; none from a single one. */
export function summarize(values: readonly number[]): Estimate {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) {
    return { value: mean, interval: null, n };
  }
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = (student[n - 2] ?? 1.96) * Math.sqrt(variance / n);
  return { value: mean, interval: { low: mean - half, high: mean + half }, n };
}
