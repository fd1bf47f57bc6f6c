/** Whether a figure of the probe agrees with those of independent clients. */
import { median } from "../../../bench/statistics/sample.ts";

/** The probe's sample period. */
const INTERVAL_MS = 10;
const MOST_APART = 0.05;

/**
 * Whether milliseconds lie among the others', or within the goal of their median: nearness to a single one proves nothing.
 */
export function isNear(found: number, others: readonly number[]): boolean {
  const middle = median(others);
  const isAmong = Math.min(...others) <= found && found <= Math.max(...others);
  return isAmong || Math.abs(found - middle) <= Math.max(INTERVAL_MS, MOST_APART * middle);
}
