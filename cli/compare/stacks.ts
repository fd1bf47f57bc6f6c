/** The stacks of a comparison, which are the cells of a matrix of one axis: each from up to down, some at a time. */
import { boundsOf } from "../matrix/bounds.ts";
import { tokensOf } from "../matrix/demand.ts";
import { AS_ASKED } from "../matrix/places.ts";
import { runCells } from "../matrix/run.ts";
import type { StackFile } from "../run/stack-file.ts";
import { makeProject } from "../run/workspace.ts";
import type { StackCost } from "./cost.ts";
import { attempt, HeldStack, type Outcome, oneAtATime, type RunStackArgs, unopened } from "./run.ts";

/**
 * Runs all stacks; what goes wrong with one is in its outcome.
 *
 * @param costs One per stack, in their order.
 * @throws {UsageError} when somebody must agree to end what is there and nobody does; nothing was changed
 * @throws {StackBusyError} when something else is at work on one of them; nothing was changed
 */
export async function runStacks(
  files: readonly StackFile[],
  costs: readonly StackCost[],
  all: RunStackArgs,
): Promise<Outcome[]> {
  const broken = attempt(() => makeProject(all.workspace));
  if (broken instanceof Error) {
    return files.map(({ name }) => unopened(name, broken, all));
  }
  const cells = files.map((file, at) => ({
    ...{ name: file.name, tokens: tokensOf(file), stack: new HeldStack(file, all) },
    ...{ usd: costs[at]?.totalUsd ?? 0, seconds: costs[at]?.measuringSeconds ?? 0 },
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
