/** A cell: one stack that is opened, measured and destroyed. */
import { mkdirSync, writeFileSync } from "node:fs";
import type { Results } from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { SERVER_ADDRESS } from "../../components/local/addresses.ts";
import { counted } from "../../report/text/format.ts";
import { assertRoom, brokenState, contentsOf, putAside, StackBusyError } from "../pulumi/backend.ts";
import { engineWords } from "../pulumi/engine-words.ts";
import { LabRun } from "../pulumi/lab-run.ts";
import type { ChosenPlan, StackFile } from "../pulumi/stack-file.ts";
import { type Left, StackRun } from "../pulumi/stack-run.ts";
import { backendName, backendUrl, PROJECT, recordedRuns, type StackWorkspace } from "../pulumi/workspace.ts";
import { type ProgressBoard, type ProgressStream, writeExactly } from "../terminal/progress-board.ts";
import { writeSomewhere } from "../terminal/result-files.ts";
import { errorOf } from "../thrown.ts";
import type { StackCost } from "./cost.ts";
import type { MatrixCell } from "./expand.ts";
import type { Ledger } from "./ledger.ts";
import { nothingOf, type Outcome, type Task } from "./run-cells.ts";

/** A stack to measure, with its price, time and quotas. */
export interface PlannedCell extends Task {
  readonly file: StackFile;
  readonly plan: ChosenPlan;
  readonly cost: StackCost;
  /** Its choices in a matrix. Undefined: a stack that somebody has named. */
  readonly ofMatrix?: MatrixCell;
  /** Text of its stack file, written before it is opened. Undefined: the file exists. */
  readonly text?: string;
  /** Seconds after which it is ended. Undefined: it may take any time. */
  readonly timeoutSeconds?: number;
  /** Changes results before they are written. @default none */
  readonly annotate?: (results: Results) => Results;
}

export interface Cell extends PlannedCell {
  readonly workspace: StackWorkspace;
  readonly resultsFile: string;
}

/** The work on a cell: measured from the start, continued, or only destroyed. */
export type Mode = "measure" | "resume" | "down";

export interface CellContext {
  readonly keep: boolean;
  /** Whether an interrupted cell is destroyed; otherwise it stays for `--resume`. */
  readonly endInterrupted: boolean;
  /** Text for stdout as soon as a stack is measured; null: none. */
  readonly render: ((results: Results, stdout: ProgressStream) => string) | null;
  /** The command line that continues or takes down a stack. */
  readonly again: (stack: string, option: "--resume" | "--down") => string;
  readonly board: ProgressBoard;
  readonly stdout: ProgressStream;
  readonly interrupt: AbortSignal;
  readonly ledger: Ledger;
}

export interface Opened {
  readonly run: StackRun | Error;
  readonly left: Left | null;
  /** Possible faults although it was opened. */
  readonly doubts: readonly string[];
}

let last: Promise<unknown> = Promise.resolve();

/** Opens a cell's stack. One at a time: each is selected in a file that all share. @throws {StackBusyError} */
export function openCell(cell: Cell, mode: Mode, board: ProgressBoard): Promise<Opened> {
  const opening = last.then(async (): Promise<Opened> => {
    const { file, workspace, name, plan } = cell;
    const doubts: string[] = [];
    let left: Left | null = null;
    const run = await attempt(async () => {
      if (cell.text !== undefined) {
        mkdirSync(workspace.stackFiles, { recursive: true });
        writeFileSync(`${workspace.stackFiles}/Pulumi.${name}.yaml`, cell.text);
      }
      const down = mode === "down";
      assertRoom({ backendUrl: backendUrl(workspace), project: PROJECT, stack: name, down });
      doubts.push(...(down ? restoreState(cell, board) : []));
      const common = { file, plan, workspace, progress: board.row(name) };
      const opened = await (cloudRecords[file.cloud].isLab
        ? LabRun.open({ ...common, serverAddress: SERVER_ADDRESS })
        : StackRun.open({ ...common, serverAddress: "SERVER" }));
      left = await opened.left();
      return opened;
    });
    return { run, left, doubts };
  });
  last = opening.catch(() => undefined);
  return opening;
}

/** A step's result, or its error if that concerns one stack only. @throws {StackBusyError} */
export async function attempt<T>(step: () => T | Promise<T>): Promise<T | Error> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof StackBusyError) {
      throw error;
    }
    return errorOf(error);
  }
}

/**
 * Restores the backup of an unreadable state before a stack is taken down.
 *
 * @returns resources that may nevertheless remain in a cloud
 * @throws {Error} where nothing is known
 */
function restoreState({ name, file: { cloud }, workspace }: Cell, board: ProgressBoard): readonly string[] {
  const broken = brokenState(backendUrl(workspace), PROJECT, name);
  if (broken === null) {
    return [];
  }
  const look = 'docs/troubleshooting.md, "What is left in the cloud"';
  // A lab's hosts are found without a state.
  if (broken.backup === null && !cloudRecords[cloud].isLab) {
    throw new Error(
      `its state, ${broken.file}, cannot be read, and neither can a backup: look for what is deployed (${look})`,
    );
  }
  board.line(`${name}: its state could not be read and is kept as ${putAside(broken)}`);
  return cloudRecords[cloud].isLab
    ? []
    : [
        `the backup of its state, which was used to take it down, may miss the last step's resources: look for them (${look})`,
      ];
}

/** Reason for asking consent before a deployment is ended or measured again; null: not needed. */
export function whyAskAbout(
  { left }: Opened,
  name: string,
  mode: Mode,
  { keep, again }: Pick<CellContext, "keep" | "again">,
): string | null {
  if (left === null) {
    return null;
  }
  if (!left.isOurs) {
    return `stack ${name} was deployed by hand or from elsewhere, and would be ${mode === "down" || !keep ? "destroyed with its results" : "measured again"}`;
  }
  if (mode !== "measure" || left.measured === null || left.measured.done === 0) {
    return null;
  }
  const { done, all } = left.measured;
  return `stack ${name} holds an unfinished run, ${done} of ${all} measured, which would start again (to continue it: ${again(name, "--resume")})`;
}

/** The outcome of a stack that could not be opened: earlier deployments are still there. */
export function unopened({ name, workspace }: Cell, error: Error, mode: Mode): Outcome<never> {
  let isRecorded = true;
  try {
    isRecorded = recordedRuns(name, workspace).size > 0;
  } catch {
    // Its record cannot be read, so it may be deployed.
  }
  const contents = contentsOf(backendUrl(workspace), PROJECT, name);
  const isGone = contents === "no resources" || (contents === "no stack" && !isRecorded);
  const isDeployed = !isGone && (mode === "down" || isRecorded);
  const left = isDeployed ? (mode === "down" ? "not destroyed" : "not opened") : null;
  return { ...nothingOf(name, engineWords(error)), left };
}

/** Runs an opened cell, from up to down, and notes what it costs. */
export async function runCell(
  cell: Cell,
  { run, doubts }: Opened,
  mode: Mode,
  context: CellContext,
): Promise<Outcome<Results>> {
  if (run instanceof Error) {
    return { ...unopened(cell, run, mode), errors: [...doubts, engineWords(run)] };
  }
  const { name, cost, timeoutSeconds } = cell;
  const { hourlyUsd, trafficUsd } = cost;
  const note = (event: "up" | "measured" | "down") =>
    context.ledger.note({ cell: name, event, hourlyUsd, trafficUsd });
  const isTimed = mode !== "down" && timeoutSeconds !== undefined;
  const timed = withTimeout(context.interrupt, isTimed ? timeoutSeconds : Number.POSITIVE_INFINITY);
  try {
    if (mode !== "down") {
      note("up");
    }
    const outcome = await upToDown(cell, run, mode, { ...context, interrupt: timed.signal });
    // A broken-off run may leave no results, but its traffic still costs.
    if (mode !== "down" && (outcome.results !== null || timed.signal.aborted)) {
      note("measured");
    }
    if (outcome.left === null) {
      note("down");
    }
    const minutes = Math.round((timeoutSeconds ?? 0) / 60);
    const late = timed.isLate()
      ? [`stopped after ${counted(minutes, "minute")}, its limit (cellMinutes)`]
      : [];
    return { ...outcome, errors: [...doubts, ...late, ...outcome.errors] };
  } finally {
    timed.clear();
  }
}

async function upToDown(
  cell: Cell,
  run: StackRun,
  mode: Mode,
  context: CellContext,
): Promise<Outcome<Results>> {
  const { interrupt, board, stdout, render } = context;
  const errors: string[] = [];
  const made = { results: null as Results | null, isWhole: false, file: null as string | null };
  try {
    if (mode !== "down" && !interrupt.aborted) {
      if (mode === "resume") {
        await run.resume();
      } else {
        run.startAfresh();
      }
      const { results: measured, brokenOff } = await run.measure(interrupt);
      const results = cell.annotate?.(measured) ?? measured;
      Object.assign(made, { results, isWhole: brokenOff === null });
      errors.push(...(brokenOff === null ? [] : [brokenOff]));
      const written = writeSomewhere(results, cell.resultsFile, brokenOff === null);
      made.file = written.file;
      errors.push(...written.problems);
      if (render !== null) {
        board.above(() => writeExactly(stdout, render(results, stdout)));
      }
    }
  } catch (error) {
    errors.push(errorOf(error).message);
  }
  const left = await end(cell, run, mode, made, context, errors);
  return { stack: cell.name, ...made, left, errors };
}

async function end(
  { name, workspace }: Cell,
  run: StackRun,
  mode: Mode,
  { results, file }: Pick<Outcome, "results" | "file">,
  { interrupt, endInterrupted, keep, board }: CellContext,
  errors: string[],
): Promise<Outcome["left"]> {
  // The state at least has the measurements.
  const isLost = results !== null && file === null;
  const isBrokenOff = interrupt.aborted && !endInterrupted;
  const reason = isBrokenOff ? "interrupted" : isLost ? "results not written" : keep ? "kept" : null;
  try {
    const isUsed = await run.isUsed();
    const found = mode === "down" ? await run.found() : null;
    if (found?.length === 0) {
      board.line(`${name}: nothing of it is deployed, according to ${backendName(workspace)}`);
    }
    if (isUsed && reason !== null) {
      return reason;
    }
    if (isUsed) {
      await takeDown(run, endInterrupted, interrupt);
    }
    const kept = await run.forget().catch(errorOf);
    if (kept instanceof Error) {
      // Pulumi may have destroyed less than all, and ended well.
      const isLeft = isUsed && (await run.isUsed());
      const state = isLeft ? "not all destroyed" : isUsed ? "destroyed" : "nothing of it is deployed";
      errors.push(`${state}, and its stack could not be removed: ${engineWords(kept)}`);
      return isLeft ? "not destroyed" : null;
    }
    if (found !== null && found.length > 0) {
      board.line(`Removed: ${found.join(" and ")}`);
    }
    return null;
  } catch (error) {
    // It is another process's, as if that had been seen at first.
    if (mode === "down" && error instanceof StackBusyError) throw error;
    errors.push(`could not be destroyed: ${errorOf(error).message}`);
    return interrupt.aborted && !endInterrupted ? "interrupted" : "not destroyed";
  }
}

/**
 * Destroys a stack. A Ctrl-C during the run also reaches a Pulumi that already destroys, which then stops: destroy
 * starts again, unless the person has pressed twice.
 */
async function takeDown(run: StackRun, endInterrupted: boolean, interrupt: AbortSignal): Promise<void> {
  const isFree = !interrupt.aborted;
  let isTwice = false;
  const again = () => {
    isTwice = true;
  };
  interrupt.addEventListener("again", again, { once: true });
  try {
    await run.takeDown(interrupt);
  } catch (error) {
    if (!(isFree && interrupt.aborted && endInterrupted) || isTwice) {
      throw error;
    }
    await run.takeDown(interrupt);
  } finally {
    interrupt.removeEventListener("again", again);
  }
}

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
