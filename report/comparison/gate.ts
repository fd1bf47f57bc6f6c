/**
 * The regression gate: what got worse since a baseline, by more than a tolerance and beyond doubt.
 *
 * @module
 */
import type { Comparison } from "./comparison.ts";
import { type Estimate, type Metric, type MetricId, metricIds, metrics } from "./metrics.ts";

export interface GateRow {
  readonly topology: string;
  readonly caseId: string;
  readonly metric: MetricId | "status";
  readonly before: string;
  readonly after: string;
  /** Share by which it got worse, in percent; null where it cannot be told, as from a loss of 0. */
  readonly worsePercent: number | null;
  readonly verdict: "worse" | "within tolerance";
}

/**
 * Compares every figure with the baseline's figure of the same topology and case.
 *
 * Worse means: worse by more than the tolerance, and, where both have confidence intervals, the intervals do not
 * overlap. A case that was measured then and is failed or missing now is worse too.
 *
 * @param tolerancePercent At least 0.
 * @returns Every row that was compared.
 */
export function judge(before: Comparison, after: Comparison, tolerancePercent: number): GateRow[] {
  return before.columns.flatMap((old) => {
    const own = after.columns.filter(({ topology }) => topology.name === old.topology.name);
    const column =
      own.find(({ results }) => results.stack === old.results.stack) ??
      (own.length === 1 ? own[0] : undefined);
    return before.rows.flatMap((row): GateRow[] => {
      const then = row.cells[old.index];
      if (then?.status !== "ok") {
        return [];
      }
      const place = { topology: old.label, caseId: row.info.id };
      const now = after.rows.find(({ info }) => info.id === row.info.id)?.cells[column?.index ?? -1];
      if (now?.status !== "ok") {
        const state = now?.status === "failed" ? `failed: ${now.failure?.class}` : "not measured";
        return [
          { ...place, metric: "status", before: "ok", after: state, worsePercent: null, verdict: "worse" },
        ];
      }
      return metricIds.flatMap((id) => {
        const [a, b] = [then.estimates[id], now.estimates[id]];
        return a === undefined
          ? []
          : [{ ...place, metric: id, ...judgeMetric(metrics[id], a, b, tolerancePercent) }];
      });
    });
  });
}

/**
 * Smallest loss, in percentage points, that is taken for a change: the report's bound of "good".
 * A ratio of two tiny losses says nothing.
 */
const LOSS_FLOOR = 0.01;

function judgeMetric(
  metric: Metric,
  before: Estimate,
  after: Estimate | undefined,
  tolerancePercent: number,
) {
  const shown = {
    before: metric.format(before.value),
    after: after ? metric.format(after.value) : "not measured",
  };
  if (after === undefined) {
    return { ...shown, worsePercent: null, verdict: "worse" } as const;
  }
  const drop = (after.value - before.value) * (metric.better === "higher" ? -1 : 1);
  const worsePercent = before.value === 0 ? null : (drop / Math.abs(before.value)) * 100;
  const beyond =
    metric.id === "loss"
      ? drop > LOSS_FLOOR && (worsePercent ?? Number.POSITIVE_INFINITY) > tolerancePercent
      : worsePercent === null
        ? drop > 0
        : worsePercent > tolerancePercent;
  const verdict = beyond && !intervalsOverlap(before, after) ? "worse" : "within tolerance";
  return { ...shown, worsePercent, verdict } as const;
}

/** False where one has no interval: then the tolerance alone decides. */
function intervalsOverlap(a: Estimate, b: Estimate): boolean {
  if (a.interval === null || b.interval === null) {
    return false;
  }
  return a.interval.low <= b.interval.high && b.interval.low <= a.interval.high;
}
