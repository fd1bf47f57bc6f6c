/** The bounds of a run of cells. */
import { LAB_POOL } from "./demand.ts";
import type { Bounds } from "./schedule.ts";

/** Bounds of cells side by side. @param limits Tokens by pool, beside the one lab that a machine has. */
export function boundsOf(
  maxParallel: number,
  budgetUsd: number | null = null,
  limits: readonly (readonly [pool: string, amount: number])[] = [],
): Bounds {
  return { maxParallel, budgetUsd, limits: new Map([[LAB_POOL, 1], ...limits]) };
}
