/**
 * A plan: the list of cases to measure, in order over the topologies of a stack.
 *
 * A person writes the name of a preset or an object (see `plan-input.ts`); `parsePlan` makes the cases.
 */
import { createHash } from "node:crypto";
import type { Results } from "../results/index.ts";
import type { Case } from "../tools/index.ts";
import { PlanError } from "./plan-error.ts";

export type { Case };
export { PlanError };

/** Orders of measurements, see {@link Order}. */
export const orders = ["interleaved", "sequential", "shuffled"] as const;
/**
 * `interleaved`: each case on every topology before the next case, so that time of day and burst credits affect all
 * alike. `sequential`: one topology after the other. `shuffled`: all measurements in a random order, decided by a seed.
 */
export type Order = (typeof orders)[number];

/** A plan as it is run: every default filled in, every sweep written out as cases. */
export type Plan = Results["plan"];

/**
 * How often each case is measured. With `withinPercent`, it stops between `least` and `most` times, once half of the mean's
 * 95 % confidence interval is at most this percentage of the mean.
 */
export type Repeat = Plan["repeat"];

/** How many client-server pairs measure a case together. */
export function pairsOf(benchCase: Case): number {
  return ("pairs" in benchCase ? benchCase.pairs : null) ?? 1;
}

/** Most measurements of a stack. Each is a resource with a report of up to 64 KB, which engine, state and program must carry. */
const MAX_MEASUREMENTS = 4000;

/**
 * Refuses a plan that is too much for one stack, or a case that needs more pairs than a path has.
 *
 * @param available Pairs of each path.
 * @param remedy How to have more pairs.
 * @throws {PlanError}
 */
export function checkFits({ cases, repeat }: Plan, available: readonly number[], remedy: string): void {
  const least = Math.min(...available);
  const wanting = cases.find((one) => pairsOf(one) > least);
  if (wanting !== undefined) {
    const are = least === 1 ? "there is 1" : `there are ${least}`;
    throw new PlanError(`case ${wanting.id}: pairs: got ${pairsOf(wanting)}, but ${are}; ${remedy}`);
  }
  const pairs = cases.reduce((sum, one) => sum + pairsOf(one), 0);
  const count = pairs * available.length * repeat.most;
  if (count > MAX_MEASUREMENTS) {
    throw new PlanError(
      `${cases.length} cases on ${available.length} topologies, ${repeat.most} times each, are ${count} measurements; expected ${MAX_MEASUREMENTS} at most: shorten the plan, or make several stacks`,
    );
  }
}

/**
 * Hash of the fields that define a measurement: all but the id. Null fields do not count, so a later version can add one
 * without measuring old cases again.
 */
export function caseHash(benchCase: Case): string {
  const { id: _, ...deciding } = benchCase;
  const fields = Object.entries(deciding)
    .filter(([, value]) => value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex").slice(0, 16);
}
