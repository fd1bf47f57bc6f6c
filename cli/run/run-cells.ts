/** Runs cells of a matrix or stacks of a comparison, each from up to down, within quotas, width and budget. */
import { setTimeout } from "node:timers/promises";
import type { ProgressBoard } from "../terminal/progress-board.ts";
import { errorOf } from "../thrown.ts";
import type { Outcome } from "./held-stack.ts";
import type { Place } from "./places.ts";
import { isOfKind, type Refusal, refusalOf } from "./refusal.ts";
import { type Bounds, decide, type Task } from "./schedule.ts";

/** Seconds to wait before a throttled cell is retried. */
const THROTTLE_PAUSES = [30, 120];

/** Arguments of {@link runCells}. */
export interface RunCellsArgs<C extends Task> {
  /** Cells to run. */
  readonly cells: readonly C[];
  readonly bounds: Bounds;
  /** Possible places of a cell, in the order of trying. */
  readonly places: (cell: C) => readonly [Place, ...Place[]];
  /** One attempt at a cell, from up to down. An exception becomes the cell's error. */
  readonly attempt: (cell: C, place: Place) => Promise<Outcome>;
  /** USD spent so far, by cell name. */
  readonly spent: () => ReadonlyMap<string, number>;
  readonly board: ProgressBoard;
  readonly interrupt: AbortSignal;
  /** Seconds between attempts at a throttled cell. @default those for real clouds */
  readonly throttlePauses?: readonly number[];
}

/** How a cell ended. */
export interface CellOutcome<C extends Task = Task> extends Outcome {
  readonly cell: C;
  /** Reason for not starting; null: it was started. */
  readonly notStarted: string | null;
}

/** An attempted cell: its outcome, and the pools that a cloud refused. */
interface Tried<C extends Task> {
  readonly outcome: CellOutcome<C>;
  readonly refusedPools: readonly string[];
}

/** Runs all cells; each outcome has its own errors. */
export async function runCells<C extends Task>(args: RunCellsArgs<C>): Promise<CellOutcome<C>[]> {
  const { bounds, interrupt } = args;
  const limits = new Map(bounds.limits);
  const running = new Map<string, { readonly cell: C; readonly ended: Promise<void> }>();
  const outcomes = new Map<string, CellOutcome<C>>();
  let waiting = [...args.cells];
  const end = (cell: C, { outcome, refusedPools }: Tried<C>) => {
    running.delete(cell.name);
    if (lower(limits, refusedPools, running, cell)) {
      waiting = [cell, ...waiting];
      args.board.line(`${cell.name}: waits for quota: ${refusedPools.join(", ")}`);
    } else {
      outcomes.set(cell.name, outcome);
    }
  };
  for (;;) {
    const isStopped = interrupt.aborted;
    const { start, never } = isStopped
      ? { start: [], never: waiting.map((task) => ({ task, why: "interrupted" })) }
      : decide(
          { waiting, running: [...running.values()].map(({ cell }) => cell), ...moneyOf(args, running) },
          { ...bounds, limits },
        );
    for (const { task, why } of never) {
      outcomes.set(task.name, { ...failed(task, []), notStarted: why });
    }
    const gone = new Set([...start, ...never.map(({ task }) => task)]);
    waiting = waiting.filter((task) => !gone.has(task));
    for (const cell of start) {
      running.set(cell.name, { cell, ended: runCell(cell, args).then((tried) => end(cell, tried)) });
    }
    if (running.size === 0) {
      return args.cells.flatMap(({ name }) => outcomes.get(name) ?? []);
    }
    await Promise.race([...running.values()].map(({ ended }) => ended));
  }
}

/** After a quota refusal, makes a cell wait for our other cells that use the quota. @returns false: there are none */
function lower(
  limits: Map<string, number>,
  pools: readonly string[],
  running: ReadonlyMap<string, { readonly cell: Task }>,
  { tokens }: Task,
): boolean {
  const held = (pool: string) =>
    [...running.values()]
      .flatMap(({ cell }) => cell.tokens)
      .filter((token) => token.pool === pool)
      .reduce((sum, { amount }) => sum + amount, 0);
  const shared = pools.filter((pool) => held(pool) > 0);
  for (const pool of shared) {
    const own = tokens.find((token) => token.pool === pool)?.amount ?? 0;
    // At least the cell's own use: it is tried once more alone.
    limits.set(
      pool,
      Math.max(own, Math.min(limits.get(pool) ?? Number.POSITIVE_INFINITY, held(pool) + own - 1)),
    );
  }
  return shared.length > 0;
}

/** Money spent so far, and the maximum that running cells may still cost. */
function moneyOf<C extends Task>(
  args: RunCellsArgs<C>,
  running: ReadonlyMap<string, { readonly cell: Task }>,
) {
  const spent = args.spent();
  const spentUsd = [...spent.values()].reduce((sum, usd) => sum + usd, 0);
  const committedUsd = [...running.values()].reduce(
    (sum, { cell }) => sum + Math.max(0, cell.usd - (spent.get(cell.name) ?? 0)),
    0,
  );
  return { spentUsd, committedUsd };
}

/** The outcome of a cell without results and without leftovers. */
function failed<C extends Task>(cell: C, errors: readonly string[]): CellOutcome<C> {
  const nothing = { results: null, isWhole: false, file: null, left: null };
  return { cell, stack: cell.name, ...nothing, errors, notStarted: null };
}

/** Tries a cell place by place. A cell with measurements or leftovers is not tried again. */
async function runCell<C extends Task>(cell: C, args: RunCellsArgs<C>): Promise<Tried<C>> {
  const places = args.places(cell);
  const pauses = [...(args.throttlePauses ?? THROTTLE_PAUSES)];
  for (let at = 0; ; ) {
    const outcome = await args.attempt(cell, places[at] ?? places[0]).then(
      (own) => ({ ...own, cell, notStarted: null }),
      (error: unknown) => failed(cell, [errorOf(error).message]),
    );
    const isRefused = outcome.results === null && outcome.left === null && !args.interrupt.aborted;
    const refusal = isRefused ? refusalOf(outcome.errors) : null;
    const next = places[at + 1];
    if (refusal?.kind === "capacity" && next !== undefined) {
      at += 1;
      args.board.line(`${cell.name}: ${next.note?.replace("measured", "trying") ?? ""}`);
    } else if (refusal?.kind === "throttled" && pauses.length > 0) {
      // The wait ends early on an interrupt.
      await setTimeout((pauses.shift() ?? 0) * 1000, null, { signal: args.interrupt }).catch(() => undefined);
    } else {
      return { outcome, refusedPools: refusal?.kind === "quota" ? poolsOf(cell, refusal) : [] };
    }
  }
}

function poolsOf({ tokens }: Task, { of }: Extract<Refusal, { kind: "quota" }>): string[] {
  return tokens.flatMap(({ pool }) => (isOfKind(pool, of) ? [pool] : []));
}
