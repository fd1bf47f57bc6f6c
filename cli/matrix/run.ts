/** Runs the cells of a matrix, each from up to down, as quotas, width and money let them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../../bench/index.ts";
import type { CommandIo, ComparisonRequest } from "../compare/request.ts";
import { type Outcome, openStackRun } from "../compare/run.ts";
import { backendUrl, makeProject } from "../run/workspace.ts";
import type { ProgressBoard } from "../terminal/progress-board.ts";
import { errorOf } from "../thrown.ts";
import { describe } from "./expand.ts";
import { type Ledger, spentByCell } from "./ledger.ts";
import { locksOf } from "./lock.ts";
import { type Place, placesOf } from "./places.ts";
import { type MatrixPlan, type PlannedCell, planCell } from "./plan.ts";
import { isOfKind, type Refusal, refusalOf } from "./refusal.ts";
import { decide } from "./schedule.ts";
import { timeoutSeconds, withTimeout } from "./time-bound.ts";
import { isLeftLocked, unlock } from "./unlock.ts";
import { matrixWorkspace } from "./workspace.ts";

/** Pauses before a throttled cell is tried again, in seconds. */
const THROTTLE_PAUSES = [30, 120];

/** Arguments of {@link runCells}. */
export interface RunCellsArgs {
  readonly plan: MatrixPlan;
  /** Cells to run. */
  readonly cells: readonly PlannedCell[];
  /** Cells whose stacks stand with an unfinished run that is to go on. */
  readonly standing: ReadonlySet<string>;
  readonly out: string;
  readonly down: boolean;
  readonly keep: boolean;
  readonly io: CommandIo;
  readonly workspaces: CommandIo["workspaces"];
  readonly board: ProgressBoard;
  readonly interrupt: AbortSignal;
  readonly ledger: Ledger;
  /** Seconds between tries of a cell that a cloud throttles. @default those of real clouds */
  readonly throttlePauses?: readonly number[];
  /** One try of a cell. @default by a stack of its own */
  readonly attempt?: Attempt;
}

/** Tries a cell at a place, from up to down. */
export type Attempt = (
  cell: PlannedCell,
  place: Place,
  args: RunCellsArgs,
  open: OneAtATime,
) => Promise<CellOutcome>;

/** How a cell ended. */
export interface CellOutcome extends Outcome {
  readonly cell: PlannedCell;
  /** Why it was not started; null: it was. */
  readonly notStarted: string | null;
}

/** What becomes of a cell that was tried: its outcome, or a wait for tokens of the pools that a cloud refused. */
type Tried =
  | { readonly outcome: CellOutcome }
  | { readonly refusedPools: readonly string[]; readonly outcome: CellOutcome };

/** Runs all cells; what goes wrong with one is in its outcome. */
export async function runCells(args: RunCellsArgs): Promise<CellOutcome[]> {
  const { plan, interrupt } = args;
  const limits = new Map(plan.bounds.limits);
  const running = new Map<string, { readonly cell: PlannedCell; readonly ended: Promise<void> }>();
  const outcomes = new Map<string, CellOutcome>();
  const open = oneAtATime();
  let waiting = [...args.cells];
  const end = (cell: PlannedCell, tried: Tried) => {
    running.delete(cell.name);
    if ("refusedPools" in tried && lower(limits, tried.refusedPools, running, cell)) {
      waiting = [cell, ...waiting];
      args.board.line(`${cell.name}: waits for quota: ${tried.refusedPools.join(", ")}`);
    } else {
      outcomes.set(cell.name, tried.outcome);
    }
  };
  for (;;) {
    const isStopped = interrupt.aborted;
    const { start, never } = isStopped
      ? { start: [], never: waiting.map((task) => ({ task, why: "interrupted" })) }
      : decide(
          { waiting, running: [...running.values()].map(({ cell }) => cell), ...moneyOf(args, running) },
          {
            ...plan.bounds,
            budgetUsd: args.down ? null : plan.bounds.budgetUsd,
            limits,
          },
        );
    for (const { task, why } of never) {
      outcomes.set(task.name, notStarted(task, why));
    }
    const gone = new Set([...start, ...never.map(({ task }) => task)]);
    waiting = waiting.filter((task) => !gone.has(task));
    for (const cell of start) {
      running.set(cell.name, { cell, ended: runCell(cell, args, open).then((tried) => end(cell, tried)) });
    }
    if (running.size === 0) {
      return args.cells.flatMap(({ name }) => outcomes.get(name) ?? []);
    }
    await Promise.race([...running.values()].map(({ ended }) => ended));
  }
}

/** A cell that a quota refuses waits for those of its own that hold some of it. @returns false: there are none */
function lower(
  limits: Map<string, number>,
  pools: readonly string[],
  running: ReadonlyMap<string, { readonly cell: PlannedCell }>,
  { tokens }: PlannedCell,
): boolean {
  const held = (pool: string) =>
    [...running.values()]
      .flatMap(({ cell }) => cell.tokens)
      .filter((token) => token.pool === pool)
      .reduce((sum, { amount }) => sum + amount, 0);
  const shared = pools.filter((pool) => held(pool) > 0);
  for (const pool of shared) {
    const own = tokens.find((token) => token.pool === pool)?.amount ?? 0;
    // At least the cell's own: alone it is tried once more.
    limits.set(
      pool,
      Math.max(own, Math.min(limits.get(pool) ?? Number.POSITIVE_INFINITY, held(pool) + own - 1)),
    );
  }
  return shared.length > 0;
}

/** What was spent so far, and what running cells may still cost. */
function moneyOf({ ledger }: RunCellsArgs, running: ReadonlyMap<string, { readonly cell: PlannedCell }>) {
  const spent = spentByCell(ledger.entries, Date.now());
  const spentUsd = [...spent.values()].reduce((sum, usd) => sum + usd, 0);
  const committedUsd = [...running.values()].reduce(
    (sum, { cell }) => sum + Math.max(0, cell.usd - (spent.get(cell.name) ?? 0)),
    0,
  );
  return { spentUsd, committedUsd };
}

function notStarted(cell: PlannedCell, why: string): CellOutcome {
  return {
    cell,
    stack: cell.name,
    results: null,
    isWhole: false,
    file: null,
    left: null,
    errors: [],
    notStarted: why,
  };
}

/** Tries a cell place by place. */
async function runCell(cell: PlannedCell, args: RunCellsArgs, open: OneAtATime): Promise<Tried> {
  const places = args.down ? [{ keys: cell.cell.keys, note: null }] : placesOf(cell.cell, args.plan.file);
  const pauses = [...(args.throttlePauses ?? THROTTLE_PAUSES)];
  let outcome = notStarted(cell, "");
  for (let at = 0; ; ) {
    const place = places[at] as Place;
    outcome = await (args.attempt ?? tryPlace)(cell, place, args, open);
    const refusal =
      outcome.isWhole || outcome.left !== null || args.interrupt.aborted ? null : refusalOf(outcome.errors);
    if (refusal?.kind === "capacity" && at + 1 < places.length) {
      at += 1;
      args.board.line(`${cell.name}: ${places[at]?.note?.replace("measured", "trying") ?? ""}`);
    } else if (refusal?.kind === "throttled" && pauses.length > 0) {
      await pause(pauses.shift() ?? 0, args.interrupt);
    } else {
      return refusal?.kind === "quota" ? { outcome, refusedPools: poolsOf(cell, refusal) } : { outcome };
    }
  }
}

function poolsOf({ tokens }: PlannedCell, { of }: Extract<Refusal, { kind: "quota" }>): string[] {
  return tokens.flatMap(({ pool }) => (isOfKind(pool, of) ? [pool] : []));
}

/** Waits, or until the person wants to stop. */
function pause(seconds: number, interrupt: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    interrupt.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}

async function tryPlace(
  cell: PlannedCell,
  place: Place,
  args: RunCellsArgs,
  open: OneAtATime,
): Promise<CellOutcome> {
  const { plan, ledger, down, board } = args;
  const planned =
    place.note === null ? cell : planCell({ ...cell.cell, keys: place.keys }, plan.file, plan.directory);
  const { hourlyUsd, trafficUsd } = planned.cost;
  const note = (event: "up" | "measured" | "down") =>
    ledger.note({ cell: cell.name, event, hourlyUsd, trafficUsd });
  const holds: (() => void)[] = [];
  const locks: (() => Promise<void>)[] = [];
  const timed = withTimeout(args.interrupt, timeoutSeconds(planned, plan.file));
  try {
    const workspace = matrixWorkspace(args.workspaces[planned.stack.cloud], plan);
    makeProject(workspace);
    writeFileSync(join(workspace.stackFiles, `Pulumi.${cell.name}.yaml`), planned.stack.text);
    const all = {
      ...{ request: requestOf(planned, place, args), files: [planned.stack.file], workspace, board },
      ...{
        interrupt: down ? args.interrupt : timed.signal,
        agree: async () => undefined,
        stdout: args.io.stdout,
      },
    };
    locks.push(await locksOf(backendUrl(workspace)).take(cell.name));
    const reopen = async () => {
      for (const done of holds.splice(0)) {
        done();
      }
      return await open(() => openStackRun(planned.stack.file, all, holds));
    };
    const run = await reopen();
    if (!down) {
      note("up");
    }
    let outcome = await run();
    if (isLeftLocked(outcome.errors)) {
      await open(() => unlock(cell.name, workspace));
      outcome = await (await reopen())();
    }
    if (outcome.results !== null) {
      note("measured");
    }
    if (outcome.left === null) {
      note("down");
    }
    const minutes = Math.round(timeoutSeconds(planned, plan.file) / 60);
    const late = timed.isLate() ? [`ended after ${minutes} minutes, its bound (cellMinutes)`] : [];
    return { ...outcome, errors: [...late, ...outcome.errors], cell, notStarted: null };
  } catch (error) {
    return { ...notStarted(cell, ""), errors: [errorOf(error).message], notStarted: null };
  } finally {
    timed.clear();
    for (const release of [...holds, ...locks]) {
      await release();
    }
  }
}

function requestOf(
  { cell, stack, name }: PlannedCell,
  { note }: Place,
  { plan, out, down, keep, standing }: RunCellsArgs,
): ComparisonRequest {
  const { file, shown } = plan;
  return {
    command: "npm run compare",
    cloud: stack.cloud,
    stacks: [name],
    ...{ plan: undefined, duration: undefined, rateScale: undefined, store: undefined },
    ...{ parallel: 1, yes: true, keep, down, resume: standing.has(name) && note === null },
    resultsFile: () => join(out, `${name}.json`),
    reportDirectory: out,
    endInterrupted: !keep,
    annotate: (results): Results => ({
      ...results,
      matrixCell: { matrix: file.name, axes: cell.axes },
      notes: [
        ...results.notes,
        `Cell ${describe(cell)} of matrix ${file.name}.`,
        ...(note === null ? [] : [note]),
      ],
    }),
    again: (_, option) => `npm run compare -- --matrix ${shown} ${option}`,
    render: null,
  };
}

type OneAtATime = <T>(step: () => Promise<T>) => Promise<T>;

/** Opening a stack selects it, in a file that all share. */
function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const next = last.then(step, step);
    last = next.catch(() => undefined);
    return next;
  };
}
