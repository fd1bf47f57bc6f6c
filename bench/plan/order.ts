/** The order of a plan's measurements over the topologies of a stack. */
import { createHash } from "node:crypto";
import type { Case, Plan } from "./plan.ts";

export interface PlannedRun {
  readonly topology: string;
  readonly case: Case;
  readonly repetition: number;
}

/**
 * The measurements of a plan in the order they run.
 *
 * Repetitions are rounds: everything is measured once before anything is measured a second time, so repetitions spread over
 * the run and a slow drift shows as scatter. Each round begins with another topology, so none is always last.
 * `sequential` runs all rounds of a topology before the next topology.
 */
export function orderCases(plan: Plan, topologyNames: readonly string[]): PlannedRun[] {
  const rounds = Array.from({ length: plan.repeat.most }, (_, index) => index + 1);
  const each = (topologies: readonly string[], repetition: number): PlannedRun[] =>
    plan.cases.flatMap((one) => topologies.map((topology) => ({ topology, case: one, repetition })));
  switch (plan.order) {
    case "interleaved":
      return rounds.flatMap((round) => each(rotate(topologyNames, round - 1), round));
    case "sequential":
      return topologyNames.flatMap((topology) => rounds.flatMap((round) => each([topology], round)));
    case "shuffled": {
      const random = randomNumbers(plan.seed ?? 0);
      return rounds.flatMap((round) => shuffle(each(topologyNames, round), random));
    }
  }
}

function rotate<T>(values: readonly T[], steps: number): T[] {
  const first = steps % Math.max(1, values.length);
  return [...values.slice(first), ...values.slice(0, first)];
}

/** The plan with a seed for its shuffled order: its own, or one derived from `text`, a run's id. */
export function withSeed(plan: Plan, text: string): Plan {
  if (plan.order !== "shuffled" || plan.seed !== null) {
    return plan;
  }
  return { ...plan, seed: createHash("sha256").update(text).digest().readUInt32BE() };
}

/** Fisher-Yates shuffle, Durstenfeld's version. */
function shuffle<T>(values: readonly T[], random: () => number): T[] {
  const shuffled = [...values];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
  }
  return shuffled;
}

/** Numbers from 0 to below 1, the same on every machine for the same seed: mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
