/**
 * Runs the stacks of a comparison: each from up to down, some at a time.
 *
 * @module
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Results } from "../../bench/index.ts";
import { SERVER_ADDRESS } from "../../components/local/addresses.ts";
import { LabRun } from "../run/lab-run.ts";
import { choosePlan, type StackFile } from "../run/stack-file.ts";
import { StackRun } from "../run/stack-run.ts";
import type { Place } from "../run/workspace.ts";
import type { ProgressBoard } from "../terminal/progress-board.ts";
import type { CompareArguments } from "./arguments.ts";
import { pool } from "./pool.ts";

/** Why a stack is still deployed. */
export type LeftBecause = "kept" | "interrupted" | "not destroyed";

/** What became of one stack. */
export interface Outcome {
  readonly stack: string;
  readonly results: Results | null;
  /** Where they were written. */
  readonly file: string | null;
  readonly left: LeftBecause | null;
  /** What went wrong beside single cases. */
  readonly errors: readonly string[];
}

export interface CompareRunArgs {
  readonly args: CompareArguments;
  readonly files: readonly StackFile[];
  readonly place: Place;
  readonly board: ProgressBoard;
  readonly interrupt: AbortSignal;
}

/** Runs all stacks, and throws for none: what went wrong is in the outcomes. */
export async function runStacks(all: CompareRunArgs): Promise<Outcome[]> {
  const { files, args, board } = all;
  const opened: (() => Promise<Outcome>)[] = [];
  // One after the other: opening a stack selects it, in a file that all share.
  for (const file of files) {
    const run = await open(file, board, all).catch((error: Error) => error);
    opened.push(async () =>
      run instanceof Error
        ? { stack: file.name, results: null, file: null, left: null, errors: [run.message] }
        : runStack(run, all),
    );
  }
  return pool(opened, args.parallel);
}

async function open(
  file: StackFile,
  board: ProgressBoard,
  { args, place }: CompareRunArgs,
): Promise<StackRun> {
  const plan = choosePlan(file, {
    plan: args.plan,
    durationSeconds: args.duration,
    rateScale: args.rateScale,
  });
  const common = { file, plan, place, progress: board.row(file.name) };
  return args.cloud === "local"
    ? LabRun.open({ ...common, serverAddress: SERVER_ADDRESS })
    : StackRun.open({ ...common, serverAddress: "SERVER" });
}

async function runStack(run: StackRun, all: CompareRunArgs): Promise<Outcome> {
  const { args, interrupt } = all;
  const { name: stack } = run.stack;
  const errors: string[] = [];
  let results: Results | null = null;
  let file: string | null = null;
  try {
    if (!args.down && !interrupt.aborted) {
      await (args.resume ? run.resume() : run.startAfresh());
      results = await run.measure(interrupt);
      file = write(results, args.out);
    }
  } catch (error) {
    errors.push(interrupt.aborted ? "interrupted" : (error as Error).message);
  }
  const left = await end(run, all, errors);
  return { stack, results, file, left, errors };
}

/** Destroys a stack, or says why not. */
async function end(
  run: StackRun,
  { args, interrupt }: CompareRunArgs,
  errors: string[],
): Promise<LeftBecause | null> {
  const reason = interrupt.aborted ? "interrupted" : args.keep ? "kept" : null;
  try {
    if (!(await run.isUsed())) {
      return null;
    }
    if (reason === null) {
      await run.takeDown(interrupt);
    }
    return reason;
  } catch (error) {
    errors.push(`could not be destroyed: ${(error as Error).message}`);
    return interrupt.aborted ? "interrupted" : "not destroyed";
  }
}

function write(results: Results, directory: string): string {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${results.stack}.json`);
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  return file;
}
