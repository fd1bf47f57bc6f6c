/** A cell of a matrix: opened, measured and destroyed at one place. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../../bench/index.ts";
import { counted } from "../../report/text/format.ts";
import { isLeftLocked, lockCell, unlock } from "../pulumi/lock.ts";
import { backendUrl, makeProject } from "../pulumi/workspace.ts";
import type { ProgressBoard } from "../terminal/progress-board.ts";
import { matrixWorkspace } from "./deployed-stacks.ts";
import { describe } from "./expand.ts";
import { HeldStack, type OneAtATime, type Outcome, oneAtATime } from "./held-stack.ts";
import { type Ledger, spentByCell } from "./ledger.ts";
import type { MatrixFile } from "./matrix-file.ts";
import { AS_ASKED, type Place, placesOf } from "./places.ts";
import { type MatrixPlan, type PlannedCell, planCell } from "./plan-cells.ts";
import type { CommandIo, ComparisonRequest } from "./request.ts";
import type { RunCellsArgs } from "./run-cells.ts";
import type { Task } from "./schedule.ts";

/** Arguments of {@link matrixRun}. */
export interface MatrixRunArgs {
  readonly plan: MatrixPlan;
  /** Cells to run. */
  readonly cells: readonly PlannedCell[];
  /** Cells with a deployed stack and an unfinished run to resume. */
  readonly standing: ReadonlySet<string>;
  readonly out: string;
  readonly down: boolean;
  readonly keep: boolean;
  readonly io: Pick<CommandIo, "stdout" | "workspaces">;
  readonly board: ProgressBoard;
  readonly interrupt: AbortSignal;
  readonly ledger: Ledger;
}

/** How the cells of a matrix run: each in its own stack, within the file's bounds. Taking down has no budget. */
export function matrixRun(args: MatrixRunArgs): RunCellsArgs<PlannedCell> {
  const { plan, cells, down, board, interrupt, ledger } = args;
  const open = oneAtATime();
  return {
    ...{ cells, board, interrupt },
    bounds: down ? { ...plan.bounds, budgetUsd: null } : plan.bounds,
    places: ({ cell }) => (down ? [AS_ASKED] : placesOf(cell, plan.file)),
    spent: () => spentByCell(ledger.entries, Date.now()),
    attempt: (cell, place) => tryPlace(cell, place, args, open),
  };
}

async function tryPlace(
  cell: PlannedCell,
  place: Place,
  args: MatrixRunArgs,
  open: OneAtATime,
): Promise<Outcome> {
  const { plan, ledger, down, board } = args;
  const planned =
    place.note === null ? cell : planCell({ ...cell.cell, keys: place.keys }, plan.file, plan.directory);
  const { hourlyUsd, trafficUsd } = planned.cost;
  const note = (event: "up" | "measured" | "down") =>
    ledger.note({ cell: cell.name, event, hourlyUsd, trafficUsd });
  const workspace = matrixWorkspace(args.io.workspaces[planned.stack.cloud], plan);
  makeProject(workspace);
  writeFileSync(join(workspace.stackFiles, `Pulumi.${cell.name}.yaml`), planned.stack.text);
  const unlockCell = await lockCell(backendUrl(workspace), cell.name);
  const timed = withTimeout(args.interrupt, timeoutSeconds(planned, plan.file));
  const stack = new HeldStack(planned.stack.file, {
    ...{ request: requestOf(planned, place, args), workspace, board, stdout: args.io.stdout },
    interrupt: down ? args.interrupt : timed.signal,
    agree: async () => undefined,
  });
  try {
    const run = await open(() => stack.open());
    if (!down) {
      note("up");
    }
    let outcome = await run();
    if (isLeftLocked(outcome.errors)) {
      outcome = await (
        await open(async () => {
          await unlock(cell.name, workspace);
          return await stack.open();
        })
      )();
    }
    // A broken-off run may leave no results, but its traffic still costs.
    if (!down && (outcome.results !== null || timed.signal.aborted)) {
      note("measured");
    }
    if (outcome.left === null) {
      note("down");
    }
    const minutes = Math.round(timeoutSeconds(planned, plan.file) / 60);
    const late = timed.isLate()
      ? [`stopped after ${counted(minutes, "minute")}, its limit (cellMinutes)`]
      : [];
    return { ...outcome, errors: [...late, ...outcome.errors] };
  } finally {
    timed.clear();
    stack.release();
    await unlockCell();
  }
}

function requestOf(
  { cell, stack, name }: PlannedCell,
  { note }: Place,
  { plan, out, down, keep, standing }: MatrixRunArgs,
): ComparisonRequest {
  const { file } = plan;
  return {
    command: "npm run compare",
    cloud: stack.cloud,
    stacks: [name],
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
    again: (_, option) => commandAgain(plan, out, option),
    render: null,
  };
}

/** The command line that continues or takes down a matrix: `--out` has its results and its ledger. */
export function commandAgain(
  { shown, shard }: MatrixPlan,
  out: string,
  option: "--resume" | "--down",
): string {
  const part = shard === null ? "" : ` --shard ${shard.index}/${shard.of}`;
  return `npm run compare -- --matrix ${shown}${part} --out ${out} ${option}`;
}

/** Default time limit: a multiple of the expected time plus a fixed time. */
const PATIENCE = { times: 3, seconds: 1800 };

/** Seconds after which a cell is ended: the file's limit, else the default. */
export function timeoutSeconds(
  { seconds }: Pick<Task, "seconds">,
  { cellMinutes }: Pick<MatrixFile, "cellMinutes">,
): number {
  return cellMinutes === undefined ? seconds * PATIENCE.times + PATIENCE.seconds : cellMinutes * 60;
}

/** Combines the person's interrupt with a cell's time limit. */
export function withTimeout(interrupt: AbortSignal, seconds: number) {
  const late = AbortSignal.timeout(Math.min(seconds * 1000, 2 ** 31 - 1));
  const signal = AbortSignal.any([interrupt, late]);
  const again = () => signal.dispatchEvent(new Event("again"));
  interrupt.addEventListener("again", again);
  return {
    signal,
    isLate: () => late.aborted,
    clear: () => interrupt.removeEventListener("again", again),
  };
}
