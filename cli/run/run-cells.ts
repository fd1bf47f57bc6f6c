/** Runs cells side by side, each from up to down: a number at a time, within quotas and budget. */
import pLimit from "p-limit";
import type { ProgressBoard } from "../terminal/progress-board.ts";
import { errorOf } from "../thrown.ts";
import { Quotas, refusedOf, type Token } from "./quotas.ts";

/** The facts of a cell that running needs. */
export interface Task {
  readonly name: string;
  /** Expected cost in USD, from up to down. */
  readonly usd: number;
  /** Expected time, from up to down. */
  readonly seconds: number;
  readonly tokens: readonly Token[];
}

export interface Bounds {
  readonly maxParallel: number;
  /** Total budget in USD; null: no bound. */
  readonly budgetUsd: number | null;
  /** Limits of quotas by pool; a missing one has no bound. */
  readonly limits: ReadonlyMap<string, number>;
}

/** Why a stack is still deployed. */
type LeftBecause =
  | "kept"
  | "interrupted"
  | "not opened"
  | "not destroyed"
  | "results not written"
  | "from an earlier run";

export interface Outcome<Results = unknown> {
  readonly stack: string;
  readonly results: Results | null;
  readonly isWhole: boolean;
  readonly file: string | null;
  readonly left: LeftBecause | null;
  /** Errors besides failed cases. */
  readonly errors: readonly string[];
}

interface RunCellsArgs<C extends Task, R> {
  readonly cells: readonly C[];
  readonly bounds: Bounds;
  /** One attempt at a cell, from up to down. An exception becomes the cell's error. */
  readonly attempt: (cell: C) => Promise<Outcome<R>>;
  readonly spent: () => ReadonlyMap<string, number>;
  readonly board: ProgressBoard;
  readonly interrupt: AbortSignal;
}

/** The outcome of a stack without results and without leftovers. */
export function nothingOf(stack: string, ...errors: readonly string[]): Outcome<never> {
  return { stack, results: null, isWhole: false, file: null, left: null, errors };
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, one) => all + one, 0);

/** Runs all cells. @returns their outcomes, in the cells' order */
export async function runCells<C extends Task, R>(args: RunCellsArgs<C, R>): Promise<Outcome<R>[]> {
  const { bounds, board, interrupt, spent, attempt } = args;
  const atATime = pLimit(bounds.maxParallel);
  const quotas = new Quotas(bounds.limits);
  const running = new Map<C, Promise<unknown>>();

  /** Why a cell must not start now. @returns `wait`: running cells may turn out cheaper than planned; null: it may */
  const whyNot = ({ usd }: C): "wait" | string | null => {
    const { budgetUsd } = bounds;
    const paid = spent();
    const committed = sum([...running.keys()].map((one) => Math.max(0, one.usd - (paid.get(one.name) ?? 0))));
    const total = sum(paid.values());
    if (interrupt.aborted) {
      return "interrupted";
    }
    if (budgetUsd === null || usd === 0 || total + committed + usd <= budgetUsd) {
      return null;
    }
    return running.size > 0
      ? "wait"
      : `it may cost ${usd.toFixed(2)} USD; ${total.toFixed(2)} of ${budgetUsd.toFixed(2)} USD are spent`;
  };
  const start = async (cell: C): Promise<Outcome<R>> => {
    let why = whyNot(cell);
    while (why === "wait") {
      await Promise.race(running.values());
      why = whyNot(cell);
    }
    if (why !== null) {
      return nothingOf(cell.name, `not started: ${why}`);
    }
    const attempted = attempt(cell)
      .catch((error: unknown) => nothingOf(cell.name, errorOf(error).message))
      .finally(() => running.delete(cell));
    running.set(cell, attempted);
    return await attempted;
  };
  const run = async (cell: C): Promise<Outcome<R>> => {
    const beyond = cell.tokens.find(({ pool, amount }) => amount > quotas.limit(pool));
    if (beyond !== undefined) {
      const { pool, amount } = beyond;
      return nothingOf(
        cell.name,
        `not started: it takes ${amount} of ${pool}, whose limit is ${quotas.limit(pool)}`,
      );
    }
    for (;;) {
      await quotas.take(cell.tokens);
      const outcome = await atATime(start, cell);
      // A cell with measurements or leftovers is not tried again.
      const isRefused = outcome.results === null && outcome.left === null && !interrupt.aborted;
      const refused = isRefused ? refusedOf(cell.tokens, outcome.errors) : [];
      // Our other cells that use the quota will give it back.
      const shared = refused.flatMap((token) => {
        const held = sum([...running.keys()].flatMap(({ tokens }) => amountsOf(tokens, token.pool)));
        return held > 0 ? [{ ...token, held }] : [];
      });
      for (const { pool, amount, held } of shared) {
        // At least the cell's own use: it is tried once more alone.
        quotas.lower(pool, Math.max(amount, held + amount - 1));
      }
      quotas.give(cell.tokens);
      if (shared.length === 0) {
        return outcome;
      }
      board.line(`${cell.name}: waits for quota: ${shared.map(({ pool }) => pool).join(", ")}`);
    }
  };
  return await Promise.all(args.cells.map(run));
}

function amountsOf(tokens: readonly Token[], pool: string): number[] {
  return tokens.flatMap((token) => (token.pool === pool ? [token.amount] : []));
}

/** Seconds from the first cell's start to the last one's end at the earliest, if each takes as long as expected. */
export function expectedSeconds(tasks: readonly Pick<Task, "seconds" | "tokens">[], bounds: Bounds): number {
  const quotas = new Quotas(bounds.limits);
  const pools = new Set(tasks.flatMap(({ tokens }) => tokens.map(({ pool }) => pool)));
  return Math.max(
    0,
    ...tasks.map(({ seconds }) => seconds),
    sum(tasks.map(({ seconds }) => seconds)) / bounds.maxParallel,
    ...[...pools].map(
      (pool) =>
        sum(tasks.map(({ seconds, tokens }) => seconds * sum(amountsOf(tokens, pool)))) / quotas.limit(pool),
    ),
  );
}
