/**
 * What `npm run compare` does, but for the process it runs in: checks, price and consent, the runs, the report, and
 * what is left deployed.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { PlanError, renderSummary, summarize } from "../../bench/index.ts";
import { assertLabMachine } from "../../components/local/lab/machine.ts";
import { type PriceBook, priceSnapshots } from "../../report/cost/prices.ts";
import { choosePlan, readStackFile, type StackFile } from "../run/stack-file.ts";
import type { Place } from "../run/workspace.ts";
import { INTERRUPTED } from "../terminal/interrupt.ts";
import { ProgressBoard, type ProgressStream } from "../terminal/progress-board.ts";
import { UsageError } from "../usage-error.ts";
import { type CompareArguments, type ComparedCloud, parseCompareArguments, usage } from "./arguments.ts";
import { costLines, type StackCost, stackCost, whyAsk } from "./cost.ts";
import { type Outcome, runStacks } from "./run.ts";

/** The process that a command runs in. */
export interface CommandIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressStream;
  /** Asks a person; null: there is none. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
  /** Tells when the person wants to stop; `tell` says so. */
  readonly onInterrupt: (tell: () => void) => AbortSignal;
  readonly places: Readonly<Record<ComparedCloud, Place>>;
}

const EXIT = { ok: 0, failed: 1, usage: 2, left: 3 } as const;

/** @returns the exit status */
export async function compare(argv: readonly string[], io: CommandIo): Promise<number> {
  try {
    const args = parseCompareArguments(argv);
    if (args.help) {
      io.stdout.write(usage);
      return EXIT.ok;
    }
    const files = args.stacks.map((name) => readChecked(name, args, io));
    if (args.cloud === "local") {
      assertLabMachine();
    }
    return await run(args, files, io);
  } catch (error) {
    io.stderr.write(`npm run compare: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

function readChecked(name: string, args: CompareArguments, io: CommandIo): StackFile {
  const place = io.places[args.cloud];
  let file: StackFile;
  try {
    file = readStackFile(name, place.stackFiles);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (args.resume) {
    if (!existsSync(`${place.project}/Pulumi.${name}.yaml`)) {
      throw new UsageError(`--resume: stack ${name}: there is no run to go on with; leave out --resume`);
    }
    // What was chosen for the interrupted run holds, whatever the stack file says by now.
    file = readStackFile(name, place.project);
  }
  if (file.cloud !== args.cloud) {
    throw new UsageError(`--stack: ${name} is of cloud "${file.cloud}"; expected one of "${args.cloud}"`);
  }
  return file;
}

async function run(args: CompareArguments, files: readonly StackFile[], io: CommandIo): Promise<number> {
  const book = args.cloud === "local" ? null : priceSnapshots[args.cloud];
  const costs = files.map((file) => stackCost(file, planOf(file, args), book));
  const board = new ProgressBoard(io.stderr);
  if (!args.down) {
    await agree(args, costs, book, board, io);
  }
  const interrupt = io.onInterrupt(() =>
    board.line("Interrupted: ending the step under way; what is deployed stays."),
  );
  const outcomes = await runStacks({ args, files, place: io.places[args.cloud], board, interrupt });
  const html = await report(outcomes, args);
  tell(outcomes, html, { args, costs, board, io });
  if (outcomes.some(({ left }) => left === "not destroyed")) {
    return EXIT.left;
  }
  if (interrupt.aborted) {
    return INTERRUPTED;
  }
  return outcomes.every((outcome) => isWhole(outcome, args)) ? EXIT.ok : EXIT.failed;
}

function planOf(file: StackFile, { plan, duration, rateScale }: CompareArguments) {
  try {
    return choosePlan(file, { plan, durationSeconds: duration, rateScale }).plan;
  } catch (error) {
    throw error instanceof PlanError ? new UsageError(error.message) : error;
  }
}

/** Says what it costs. @throws {UsageError} when somebody must agree and nobody does */
async function agree(
  args: CompareArguments,
  costs: readonly StackCost[],
  book: PriceBook | null,
  board: ProgressBoard,
  { ask }: CommandIo,
): Promise<void> {
  for (const line of costLines(costs, book)) {
    board.line(line);
  }
  const why = whyAsk(costs);
  if (why === null || args.yes) {
    return;
  }
  if (ask === null) {
    throw new UsageError(`${why}: nothing was deployed; agree with --yes`);
  }
  if (!(await ask(`Go on, though ${why}? [y/N] `))) {
    throw new UsageError("not agreed to; nothing was deployed");
  }
}

/** One report of everything that was measured. @returns its page, or null when nothing was */
async function report(outcomes: readonly Outcome[], { out }: CompareArguments): Promise<string | null> {
  const results = outcomes.flatMap((outcome) => outcome.results ?? []);
  if (results.length === 0) {
    return null;
  }
  // Charts take a while to load, and nobody waits for them while measuring.
  const { writeReport } = await import("../report/files.ts");
  return writeReport(results, out).html;
}

interface Telling {
  readonly args: CompareArguments;
  readonly costs: readonly StackCost[];
  readonly board: ProgressBoard;
  readonly io: CommandIo;
}

function tell(outcomes: readonly Outcome[], html: string | null, { args, costs, board, io }: Telling): void {
  const left = outcomes.filter((outcome) => outcome.left !== null);
  const hourly = (stack: string) => costs.find((cost) => cost.stack === stack)?.hourlyUsd ?? 0;
  for (const outcome of outcomes) {
    for (const problem of problemsOf(outcome)) {
      board.line(`${outcome.stack}: ${problem}`);
    }
  }
  if (html !== null) {
    board.line(`Report: ${relative(process.cwd(), html)}`);
  }
  for (const { stack, left: because } of left) {
    board.line(leftLines(args, stack, `${because}`, hourly(stack)).join("\n"));
  }
  if (args.json) {
    const stacks = outcomes.map((outcome) => ({
      stack: outcome.stack,
      results: outcome.file,
      problems: problemsOf(outcome),
      left: outcome.left,
      hourlyUsd: outcome.left === null ? 0 : hourly(outcome.stack),
    }));
    io.stdout.write(`${JSON.stringify({ report: html, stacks }, null, 2)}\n`);
    return;
  }
  for (const { results } of outcomes) {
    if (results !== null) {
      io.stdout.write(`\n${results.stack}\n${renderSummary(summarize(results))}\n`);
    }
  }
}

function leftLines(
  { cloud, out }: CompareArguments,
  stack: string,
  because: string,
  hourlyUsd: number,
): string[] {
  const cost = cloud === "local" ? "costs nothing" : `costs about ${hourlyUsd.toFixed(2)} USD an hour`;
  const command = `npm run compare -- --cloud ${cloud} --stack ${stack}`;
  return [
    `STILL DEPLOYED (${because}): ${stack}, ${cost}.`,
    `  go on:   ${command} --out ${out} --resume`,
    ...(cloud === "local"
      ? []
      : [`  or:      npm run pulumi -- --cwd .egress-bench/project --stack ${stack} up`]),
    `  destroy: ${command} --down`,
  ];
}

function problemsOf({ results, errors }: Outcome): string[] {
  const failed = (results?.cases ?? []).filter(({ status }) => status === "failed");
  const [first] = failed;
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : "";
  return [
    ...errors,
    ...(first === undefined
      ? []
      : [
          `not measured: ${first.topology} ${first.id}: ${first.failure?.class}: ${first.failure?.message}${others}`,
        ]),
  ];
}

function isWhole(outcome: Outcome, { down }: CompareArguments): boolean {
  return problemsOf(outcome).length === 0 && (down || outcome.results !== null);
}
