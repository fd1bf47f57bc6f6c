/** The bounds of a matrix run. */
import { LAB_POOL } from "./demand.ts";
import type { Bounds } from "./schedule.ts";

/** Bounds of concurrent cells. @param limits Tokens by pool; the machine's one lab is added. */
export function boundsOf(
  maxParallel: number,
  budgetUsd: number | null = null,
  limits: readonly (readonly [pool: string, amount: number])[] = [],
): Bounds {
  return { maxParallel, budgetUsd, limits: new Map([[LAB_POOL, 1], ...limits]) };
}
