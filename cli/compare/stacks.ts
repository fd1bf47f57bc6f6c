/** The stacks of a comparison, which are the cells of a matrix of one axis: each from up to down, some at a time. */
import type { Plan } from "../../bench/index.ts";
import { boundsOf } from "../matrix/bounds.ts";
import { tokensOf } from "../matrix/demand.ts";
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
 * Runs all stacks; what goes wrong with one is in its outcome.
 *
 * @throws {UsageError} when somebody must agree to end what is there and nobody does; nothing was changed
 * @throws {StackBusyError} when something else is at work on one of them; nothing was changed
 */
export async function runStacks(stacks: readonly PlannedStack[], all: RunStackArgs): Promise<Outcome[]> {
  const broken = attempt(() => makeProject(all.workspace));
  if (broken instanceof Error) {
    return stacks.map(({ file }) => unopened(file.name, broken, all));
  }
  const cells = stacks.map(({ file, plan, cost }) => ({
    ...{ name: file.name, tokens: tokensOf(file, plan), stack: new HeldStack(file, all) },
    ...{ usd: cost.totalUsd, seconds: cost.measuringSeconds },
  }));
  const opened = new Map<string, () => Promise<Outcome>>();
  const open = oneAtATime();
  try {
    // All are opened before one is changed: each may need consent.
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
    // After an interrupt, a stack that waited says what an earlier run left of it.
    return await Promise.all(outcomes.map((outcome) => opened.get(outcome.stack)?.() ?? outcome));
  } finally {
    for (const { stack } of cells) {
      stack.release();
    }
  }
}
