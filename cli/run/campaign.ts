/**
 * Runs a comparison: checks, price and consent, the runs, the report, and the list of stacks still deployed. `npm run local`
 * uses it too.
 */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { isPriced, oneLine, type Plan, PlanError, type Results, whyUnmeasured } from "../../bench/index.ts";
import { said } from "../../bench/said.ts";
import { cloudRecords } from "../../bench/topologies/clouds.ts";
import { assertLabMachine } from "../../components/local/lab/requirements.ts";
import { priceSnapshots } from "../../report/cost/prices.ts";
import { choosePlan, readStackFile, type StackFile } from "../pulumi/stack-file.ts";
import { makeProject, type StackWorkspace } from "../pulumi/workspace.ts";
import type { WriteOptions } from "../report/files.ts";
import { assertStore, storedLine, storeRuns } from "../store/store.ts";
import { INTERRUPTED } from "../terminal/interrupt.ts";
import { ProgressBoard } from "../terminal/progress-board.ts";
import { assertWritable } from "../terminal/result-files.ts";
import { errorOf } from "../thrown.ts";
import { UsageError } from "../usage-error.ts";
import { costLines, type StackCost, stackCost, whyAsk } from "./cost.ts";
import { attempt, HeldStack, type Outcome, oneAtATime, type RunStackArgs, unopened } from "./held-stack.ts";
import { AS_ASKED } from "./places.ts";
import { boundsOf, tokensOf } from "./quota-pools.ts";
import { agreement, type CommandIo, type ComparisonRequest } from "./request.ts";
import { runCells } from "./run-cells.ts";

/** Exit statuses, besides that of an interrupt. */
export const EXIT = { ok: 0, failed: 1, usage: 2, left: 3 } as const;

/** How a comparison ended. */
export interface ComparisonRun {
  readonly status: number;
  /** The report's page; null: nothing was measured. An error: it could not be written. */
  readonly report: string | Error | null;
  /** A sentence on the runs stored for the history; null: none. An error: they could not be stored. */
  readonly stored: string | Error | null;
  readonly outcomes: readonly Outcome[];
  readonly costs: readonly StackCost[];
}

/** @throws {UsageError} before anything is deployed */
export async function runComparison(request: ComparisonRequest, io: CommandIo): Promise<ComparisonRun> {
  const workspace = io.workspaces[request.cloud];
  const files = request.stacks.map((name) => readChecked(name, request, workspace));
  if (cloudRecords[request.cloud].isLab) {
    assertLabMachine();
  }
  const book = isPriced(request.cloud) ? priceSnapshots[request.cloud] : null;
  const stacks = files.map((file) => {
    const plan = planOf(file, request);
    return { file, plan, cost: stackCost(file, plan, book) };
  });
  const costs = stacks.map(({ cost }) => cost);
  const board = new ProgressBoard(io.stderr);
  const agree = agreement(request, io.ask);
  if (!request.down) {
    for (const file of files) {
      assertWritable(request.resultsFile(file.name));
    }
    if (request.store !== undefined) {
      await assertStore(request.store);
    }
    for (const line of costLines(costs, book)) {
      board.line(line);
    }
    const why = whyAsk(costs);
    if (why !== null) {
      await agree(why);
    }
  }
  const interrupt = io.onInterrupt(() =>
    board.line("Interrupted: the current step is being ended. What is deployed stays."),
  );
  const outcomes = await runStacks(stacks, {
    ...{ request, workspace, board, interrupt, agree, stdout: io.stdout },
  });
  // Stacks still deployed are listed even if the report fails.
  const report = interrupt.aborted
    ? null
    : await writeReportOf(
        outcomes.flatMap(({ results }) => results ?? []),
        request.reportDirectory,
      ).catch(errorOf);
  const stored = await keepRuns(outcomes, request.store).catch(errorOf);
  const status = statusOf(outcomes, request, interrupt);
  const isIncomplete = [report, stored].some((one) => one instanceof Error);
  const comparison = {
    ...{ report, stored, outcomes, costs },
    status: isIncomplete && status === EXIT.ok ? EXIT.failed : status,
  };
  tell(comparison, request, board);
  return comparison;
}

function readChecked(
  name: string,
  { cloud, resume }: ComparisonRequest,
  workspace: StackWorkspace,
): StackFile {
  let file: StackFile;
  try {
    file = readStackFile(name, workspace.stackFiles);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (file.cloud !== cloud) {
    throw new UsageError(
      `--stack: expected a stack of cloud "${cloud}"; ${name} is of "${file.cloud}"; to run it: npm run compare -- --cloud ${file.cloud} --stack ${name}`,
    );
  }
  if (resume) {
    if (!existsSync(`${workspace.project}/Pulumi.${name}.yaml`)) {
      throw new UsageError(
        `--resume: stack ${name}: there is no interrupted run to resume; leave out --resume`,
      );
    }
    // The interrupted run's own settings apply, even if the stack file has changed since.
    file = readStackFile(name, workspace.project);
  }
  return file;
}

function planOf(file: StackFile, request: ComparisonRequest) {
  try {
    return choosePlan(file, request).plan;
  } catch (error) {
    throw error instanceof PlanError ? new UsageError(error.message) : error;
  }
}

/** Writes one report of everything measured. @returns its page, or null without measurements */
export async function writeReportOf(
  results: readonly Results[],
  directory: string,
  options: WriteOptions = {},
): Promise<string | null> {
  if (results.length === 0) {
    return null;
  }
  // Charts take a while to load, so only after measuring.
  const { writeReport } = await import("../report/files.ts");
  return writeReport(results, directory, options).html;
}

/** Stores whole runs for the history. @returns a sentence on what was stored; null: nothing */
export async function keepRuns(
  outcomes: readonly Pick<Outcome, "results" | "isWhole">[],
  store: string | undefined,
): Promise<string | null> {
  const whole = outcomes.flatMap(({ results, isWhole }) => (results !== null && isWhole ? [results] : []));
  if (store === undefined || whole.length === 0) {
    return null;
  }
  return storedLine(await storeRuns(whole, store), store);
}

function statusOf(outcomes: readonly Outcome[], { down }: ComparisonRequest, interrupt: AbortSignal): number {
  if (outcomes.some(({ left }) => left === "not destroyed")) {
    return EXIT.left;
  }
  if (interrupt.aborted) {
    return INTERRUPTED;
  }
  const isWhole = (outcome: Outcome) =>
    problemsOf(outcome).length === 0 && (down || outcome.results !== null);
  return outcomes.every(isWhole) ? EXIT.ok : EXIT.failed;
}

function tell(
  { outcomes, report, stored, costs }: ComparisonRun,
  request: ComparisonRequest,
  board: ProgressBoard,
): void {
  for (const outcome of outcomes) {
    for (const problem of problemsOf(outcome)) {
      board.line(`${outcome.stack}: ${problem}`);
    }
    if (outcome.file !== null) {
      board.line(`${outcome.isWhole ? "Results" : "Measured so far"}: ${outcome.file}`);
    }
  }
  if (report instanceof Error) {
    const files = outcomes.flatMap(({ file }) => file ?? []).join(" ");
    board.line(`the report could not be written: ${report.message}; later: npm run report -- ${files}`);
  } else if (report !== null) {
    board.line(`Report: ${relative(process.cwd(), report)}`);
  }
  if (stored instanceof Error) {
    const files = outcomes.flatMap(({ file }) => file ?? []).join(" ");
    board.line(
      `the history could not be written: ${stored.message}; later: npm run report -- --store ${request.store} ${files}`,
    );
  } else if (stored !== null) {
    board.line(stored);
  }
  for (const outcome of outcomes) {
    if (outcome.left !== null) {
      board.warn(leftLines(outcome, request, leftHourlyUsd(outcome, costs)));
    }
  }
}

/** Cost of a stack still deployed, in USD an hour. */
export function leftHourlyUsd({ stack, left }: Outcome, costs: readonly StackCost[]): number {
  return left === null ? 0 : (costs.find((cost) => cost.stack === stack)?.hourlyUsd ?? 0);
}

function leftLines({ stack, left }: Outcome, request: ComparisonRequest, hourlyUsd: number): string[] {
  const isFree = !isPriced(request.cloud);
  const cost = isFree ? "costs nothing" : `costs about ${hourlyUsd.toFixed(2)} USD an hour`;
  return [
    `STILL DEPLOYED (${left}): ${stack}, ${cost}.`,
    `  go on:   ${request.again(stack, "--resume")}`,
    ...(isFree ? [] : [`  or:      npm run pulumi -- --cwd .egress-bench/project --stack ${stack} up`]),
    `  destroy: ${request.again(stack, "--down")}`,
  ];
}

/** Problems of a stack's run, one line each. */
export function problemsOf({ results, errors }: Outcome): string[] {
  const failed = (results?.cases ?? []).filter(
    ({ status, failure }) => status === "failed" && whyUnmeasured(failure) === null,
  );
  const [first] = failed;
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : "";
  return said(
    ...errors,
    first !== undefined &&
      oneLine(
        `not measured: ${first.topology} ${first.id}: ${first.failure?.class}: ${first.failure?.message}${others}`,
      ),
  );
}

/**
 * Runs all stacks; each outcome has its own errors.
 *
 * @throws {UsageError} when ending what is deployed needs consent that is not given; nothing was changed
 * @throws {StackBusyError} when another command uses one of them; nothing was changed
 */
async function runStacks(
  stacks: readonly { readonly file: StackFile; readonly plan: Plan; readonly cost: StackCost }[],
  all: RunStackArgs,
): Promise<Outcome[]> {
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
