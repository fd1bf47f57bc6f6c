/** Runs the stacks of a comparison as a matrix of one axis: each from up to down, several at a time. */
import type { Plan } from "../../bench/index.ts";
import { boundsOf, tokensOf } from "../matrix/demand.ts";
import { AS_ASKED } from "../matrix/places.ts";
import { runCells } from "../matrix/run.ts";
import type { StackFile } from "../run/stack-file.ts";
import { makeProject } from "../run/workspace.ts";
import type { StackCost } from "./cost.ts";
import { attempt, HeldStack, type Outcome, oneAtATime, type RunStackArgs, unopened } from "./run.ts";

/** A stack before it runs. */
export interface PlannedStack {
  readonly file: StackFile;
  readonly plan: Plan;
  readonly cost: StackCost;
}

/**
 * Runs all stacks; each outcome has its own errors.
 *
 * @throws {UsageError} when ending what is deployed needs consent that is not given; nothing was changed
 * @throws {StackBusyError} when another command uses one of them; nothing was changed
 */
export async function runStacks(stacks: readonly PlannedStack[], all: RunStackArgs): Promise<Outcome[]> {
  const broken = await attempt(() => makeProject(all.workspace));
  if (broken instanceof Error) {
    return await Promise.all(stacks.map(({ file }) => unopened(file.name, broken, all)));
  }
  const cells = stacks.map(({ file, plan, cost }) => ({
    ...{ name: file.name, tokens: tokensOf(file, plan), stack: new HeldStack(file, all) },
    ...{ usd: cost.totalUsd, seconds: cost.measuringSeconds },
  }));
  const opened = new Map<string, () => Promise<Outcome>>();
  const open = oneAtATime();
  try {
    // All are opened before one is changed, since each may need consent.
    for (const { name, stack } of cells) {
      opened.set(name, await stack.open());
    }
    const outcomes = await runCells({
      ...{ cells, board: all.board, interrupt: all.interrupt, spent: () => new Map() },
      bounds: boundsOf(all.request.parallel),
      places: () => [AS_ASKED],
      attempt: async ({ name, stack }) => {
        const run = opened.get(name) ?? (await open(() => stack.open()));
        opened.delete(name);
        return await run();
      },
    });
    // After an interrupt, a waiting stack reports what an earlier run left.
    return await Promise.all(outcomes.map((outcome) => opened.get(outcome.stack)?.() ?? outcome));
  } finally {
    for (const { stack } of cells) {
      stack.release();
    }
  }
}
