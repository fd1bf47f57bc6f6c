/** Runs a stack from up to down. */
import type { Results } from "../../bench/index.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { SERVER_ADDRESS } from "../../components/local/addresses.ts";
import { assertRoom, brokenState, contentsOf, putAside } from "../pulumi/backend.ts";
import { engineWords } from "../pulumi/engine-words.ts";
import { LabRun } from "../pulumi/lab-run.ts";
import { choosePlan, type StackFile } from "../pulumi/stack-file.ts";
import { holdStack, StackBusyError } from "../pulumi/stack-hold.ts";
import { type Left, StackRun } from "../pulumi/stack-run.ts";
import {
  backendName,
  backendUrl,
  besideConfig,
  PROJECT,
  recordedRuns,
  type StackWorkspace,
} from "../pulumi/workspace.ts";
import { type ProgressBoard, type ProgressStream, writeExactly } from "../terminal/progress-board.ts";
import { writeSomewhere } from "../terminal/result-files.ts";
import { errorOf } from "../thrown.ts";
import { UsageError } from "../usage-error.ts";
import type { Agree, ComparisonRequest } from "./request.ts";

type LeftBecause = "kept" | "interrupted" | "not opened" | "not destroyed" | "results not written";

/** The outcome of one stack. */
export interface Outcome {
  readonly stack: string;
  readonly results: Results | null;
  /** Whether the run finished. */
  readonly isWhole: boolean;
  /** Where the results were written. */
  readonly file: string | null;
  readonly left: LeftBecause | null;
  /** Errors besides failed cases. */
  readonly errors: readonly string[];
}

/** Arguments of {@link HeldStack}, the same for all stacks of a command. */
export interface RunStackArgs {
  readonly request: ComparisonRequest;
  readonly workspace: StackWorkspace;
  readonly board: ProgressBoard;
  readonly interrupt: AbortSignal;
  readonly agree: Agree;
  readonly stdout: ProgressStream;
}

/** A stack locked by this command, from its first opening to its release. */
export class HeldStack {
  readonly #file: StackFile;
  readonly #all: RunStackArgs;
  #release = () => {};
  #isOpened = false;

  constructor(file: StackFile, all: RunStackArgs) {
    this.#file = file;
    this.#all = all;
  }

  /**
   * Locks and opens the stack of an existing project, one at a time: opening selects a stack. Opening again starts from scratch.
   *
   * @returns a function that runs it
   * @throws {UsageError} when ending what is deployed needs consent that is not given; nothing was changed
   * @throws {StackBusyError} when another command uses it; nothing was changed
   */
  async open(): Promise<() => Promise<Outcome>> {
    const { resume, ...request } = this.#all.request;
    const all = { ...this.#all, request: { ...request, resume: resume && !this.#isOpened } };
    const { workspace } = all;
    const { name } = this.#file;
    this.release();
    const doubt = await attempt(() => {
      this.#release = holdStack(besideConfig(name, workspace, "lock"), name, request.command);
      const { down } = request;
      assertRoom({ backendUrl: backendUrl(workspace), project: PROJECT, stack: name, down });
      return restoreState(this.#file, all);
    });
    const run = doubt instanceof Error ? doubt : await attempt(() => open(this.#file, all));
    this.#isOpened = true;
    return async () => {
      const outcome = run instanceof StackRun ? await runStack(run, all) : await unopened(name, run, all);
      return typeof doubt === "string" ? { ...outcome, errors: [doubt, ...outcome.errors] } : outcome;
    };
  }

  /** Unlocks the stack. */
  release(): void {
    this.#release();
    this.#release = () => {};
  }
}

/** Runs steps one after the other. */
export type OneAtATime = <T>(step: () => Promise<T>) => Promise<T>;

/** Serializes openings: each selects its stack in a file that all share. */
export function oneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const next = last.then(step, step);
    last = next.catch(() => undefined);
    return next;
  };
}

/** A step's result, or its error if that concerns one stack only. @throws {UsageError} @throws {StackBusyError} */
export async function attempt<T>(step: () => T | Promise<T>): Promise<T | Error> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof UsageError || error instanceof StackBusyError) {
      throw error;
    }
    return errorOf(error);
  }
}

/** The outcome of a stack that could not be opened: earlier deployments are still there. */
export async function unopened(
  stack: string,
  error: Error,
  { request, workspace }: RunStackArgs,
): Promise<Outcome> {
  const runs = await attempt(() => recordedRuns(stack, workspace));
  const isRecorded = runs instanceof Error || runs.size > 0;
  const contents = contentsOf(backendUrl(workspace), PROJECT, stack);
  const isGone = contents === "no resources" || (contents === "no stack" && !isRecorded);
  const isDeployed = !isGone && (request.down || isRecorded);
  const left = isDeployed ? (request.down ? "not destroyed" : "not opened") : null;
  return { stack, results: null, isWhole: false, file: null, left, errors: [engineWords(error)] };
}

async function open(file: StackFile, { request, workspace, board, agree }: RunStackArgs): Promise<StackRun> {
  const common = { file, plan: choosePlan(file, request), workspace, progress: board.row(file.name) };
  const run = await (cloudRecords[request.cloud].isLab
    ? LabRun.open({ ...common, serverAddress: SERVER_ADDRESS })
    : StackRun.open({ ...common, serverAddress: "SERVER" }));
  const reason = whyAskAbout(await run.left(), file.name, request);
  if (reason !== null) {
    await agree(reason);
  }
  return run;
}

/**
 * Restores the backup of an unreadable state before a stack is taken down.
 *
 * @returns resources that may nevertheless remain in a cloud; an error where nothing is known
 */
function restoreState(
  { name, cloud }: StackFile,
  { request, workspace, board }: RunStackArgs,
): string | Error | null {
  const broken = request.down ? brokenState(backendUrl(workspace), PROJECT, name) : null;
  if (broken === null) {
    return null;
  }
  const look = 'docs/troubleshooting.md, "What is left in the cloud"';
  // A lab's hosts are found without a state.
  if (broken.backup === null && !cloudRecords[cloud].isLab) {
    return new Error(
      `its state, ${broken.file}, cannot be read, and neither can a backup: look for what is deployed (${look})`,
    );
  }
  board.line(`${name}: its state could not be read and is kept as ${putAside(broken)}`);
  return cloudRecords[cloud].isLab
    ? null
    : `the backup of its state, which was used to take it down, may miss the last step's resources: look for them (${look})`;
}

/** Reason for asking consent before a deployment is ended or measured again; null: not needed. */
function whyAskAbout(left: Left | null, stack: string, request: ComparisonRequest): string | null {
  if (left === null) {
    return null;
  }
  if (!left.isOurs) {
    return `stack ${stack} was deployed by hand or from elsewhere, and would be ${request.down || !request.keep ? "destroyed with its results" : "measured again"}`;
  }
  if (request.resume || request.down || left.measured === null || left.measured.done === 0) {
    return null;
  }
  const { done, all } = left.measured;
  return `stack ${stack} holds an unfinished run, ${done} of ${all} measured, which would start again (to continue it: ${request.again(stack, "--resume")})`;
}

async function runStack(run: StackRun, all: RunStackArgs): Promise<Outcome> {
  const { request, interrupt, board, stdout } = all;
  const { name: stack } = run.stack;
  const errors: string[] = [];
  const made = { results: null as Results | null, isWhole: false, file: null as string | null };
  try {
    if (!request.down && !interrupt.aborted) {
      if (request.resume) {
        await run.resume();
      } else {
        run.startAfresh();
      }
      const { results: measured, brokenOff } = await run.measure(interrupt);
      const results = request.annotate?.(measured) ?? measured;
      Object.assign(made, { results, isWhole: brokenOff === null });
      errors.push(...(brokenOff === null ? [] : [brokenOff]));
      const written = writeSomewhere(results, request.resultsFile(stack), brokenOff === null);
      made.file = written.file;
      errors.push(...written.problems);
      if (request.render !== null) {
        board.above(() => writeExactly(stdout, request.render?.(results, stdout) ?? ""));
      }
    }
  } catch (error) {
    errors.push(errorOf(error).message);
  }
  const left = await end(run, made, all, errors);
  return { stack, ...made, left, errors };
}

async function end(
  run: StackRun,
  { results, file }: Pick<Outcome, "results" | "file">,
  { request, interrupt, board, workspace }: RunStackArgs,
  errors: string[],
): Promise<LeftBecause | null> {
  // The state at least has the measurements.
  const isLost = results !== null && file === null;
  const reason =
    interrupt.aborted && !request.endInterrupted
      ? "interrupted"
      : isLost
        ? "results not written"
        : request.keep
          ? "kept"
          : null;
  try {
    const isUsed = await run.isUsed();
    if (!isUsed && request.down) {
      board.line(`${run.stack.name}: nothing of it is deployed, according to ${backendName(workspace)}`);
    }
    if (isUsed && reason !== null) {
      return reason;
    }
    if (isUsed) {
      await takeDown(run, request.endInterrupted, interrupt);
    }
    const kept = await run.forget().catch(errorOf);
    if (kept instanceof Error) {
      const state = isUsed ? "destroyed" : "nothing of it is deployed";
      errors.push(`${state}, and its empty stack could not be removed: ${engineWords(kept)}`);
    }
    return null;
  } catch (error) {
    errors.push(`could not be destroyed: ${errorOf(error).message}`);
    return interrupt.aborted && !request.endInterrupted ? "interrupted" : "not destroyed";
  }
}

/**
 * Destroys a stack. A Ctrl-C during the run also reaches a Pulumi that already destroys, which then stops: destroy
 * starts again, unless the person has pressed twice.
 */
async function takeDown(
  run: StackRun,
  endsInterrupted: boolean | undefined,
  interrupt: AbortSignal,
): Promise<void> {
  const isFree = !interrupt.aborted;
  let isTwice = false;
  const again = () => {
    isTwice = true;
  };
  interrupt.addEventListener("again", again, { once: true });
  try {
    await run.takeDown(interrupt);
  } catch (error) {
    if (!(isFree && interrupt.aborted && endsInterrupted) || isTwice) {
      throw error;
    }
    await run.takeDown(interrupt);
  } finally {
    interrupt.removeEventListener("again", again);
  }
}
