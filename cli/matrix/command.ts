/** `npm run compare -- --matrix FILE`: runs the cells and writes their merged report. */

import { existsSync, renameSync } from "node:fs";
import { join, relative } from "node:path";
import type { Results } from "../../bench/index.ts";
import { cloudRecords, isPriced } from "../../bench/topologies/index.ts";
import { assertLabMachine } from "../../components/local/lab/requirements.ts";
import { counted } from "../../report/text/format.ts";
import { agreement } from "../compare/agreement.ts";
import { EXIT, keepRuns, problemsOf, writeReportOf } from "../compare/comparison.ts";
import { whyAsk } from "../compare/cost.ts";
import type { CommandIo } from "../compare/request.ts";
import { assertStore } from "../history/place.ts";
import { assertWritable } from "../run/result-files.ts";
import { INTERRUPTED } from "../terminal/interrupt.ts";
import { ProgressBoard } from "../terminal/progress-board.ts";
import { errorOf } from "../thrown.ts";
import { UsageError } from "../usage-error.ts";
import { type MatrixArguments, parseMatrixArguments } from "./arguments.ts";
import { commandAgain, matrixRun } from "./cell.ts";
import { describe } from "./expand.ts";
import { Ledger, openCells, spentUsd } from "./ledger.ts";
import { mergeInto, readCell } from "./merge.ts";
import { listLines, listOf, type MatrixPlan, type PlannedCell, planMatrix, sumLine, usdOf } from "./plan.ts";
import { type CellOutcome, runCells } from "./run.ts";
import { type Standing, standingStacks } from "./standing.ts";

/** @returns the exit status. @throws {UsageError} before anything is deployed */
export async function runMatrix(argv: readonly string[], io: CommandIo): Promise<number> {
  const args = parseMatrixArguments(argv);
  const plan = planMatrix(args.matrix, args.shard);
  if (args.list === "json") {
    io.stdout.write(`${JSON.stringify(listOf(plan), null, 2)}\n`);
    return EXIT.ok;
  }
  if (args.list === "lines") {
    io.stdout.write(
      listLines(plan)
        .map((line) => `${line}\n`)
        .join(""),
    );
    return EXIT.ok;
  }
  const board = new ProgressBoard(io.stderr);
  if (args.merge.length > 0) {
    mergeInto(args.merge, args.out, plan, board);
    return await finish({ plan, args, io, board, outcomes: [], left: [], interrupt: null });
  }
  return await measureOrEnd(plan, args, io, board);
}

async function measureOrEnd(
  plan: MatrixPlan,
  args: MatrixArguments,
  io: CommandIo,
  board: ProgressBoard,
): Promise<number> {
  const isLab = plan.cells.some(({ stack }) => cloudRecords[stack.cloud].isLab);
  if (isLab) {
    assertLabMachine();
  }
  const ledger = new Ledger(join(args.out, `${plan.file.name}.ledger.ndjson`));
  const known = new Set(ledger.entries.map(({ cell }) => cell));
  const left = await standingStacks(plan, io.workspaces, known);
  closeEnded(ledger, left, plan);
  const cells = cellsToRun(plan, args, left);
  if (!args.down) {
    for (const { name } of cells) {
      assertWritable(join(args.out, `${name}.json`));
    }
    if (args.store !== undefined) {
      await assertStore(args.store);
    }
    await agreeOnCost({ plan, args, cells, ledger, board, left }, io);
    if (!args.resume) {
      for (const { name } of cells) {
        putAside(join(args.out, `${name}.json`));
      }
    }
  }
  const interrupt = io.onInterrupt(() =>
    board.line(
      args.keep
        ? "Interrupted: the current step is being ended. What is deployed stays."
        : "Interrupted: what is deployed is being taken down. Press Ctrl-C again to leave it up.",
    ),
  );
  const standing = new Set(args.resume ? left.filter(({ isOurs }) => isOurs).map(({ name }) => name) : []);
  const { out, down, keep } = args;
  const common = { plan, standing, out, keep, io, board, interrupt, ledger };
  // A command killed during a destroy leaves results and a deployed cell.
  const measured = plan.cells.filter(
    ({ name }) => standing.has(name) && !cells.some((cell) => cell.name === name),
  );
  const ended = keep ? [] : await runCells(matrixRun({ ...common, cells: measured, down: true }));
  const outcomes = [...ended, ...(await runCells(matrixRun({ ...common, cells, down })))];
  const still = await standingStacks(plan, io.workspaces, known);
  board.line(
    `Spent: ${spentUsd(ledger.entries, Date.now()).toFixed(2)} USD: the hours that stacks existed, and their traffic at its maximum.`,
  );
  return await finish({ plan, args, io, board, outcomes, left: still, interrupt });
}

/** Ends the cost of stacks that something else destroyed, at the current time, since the real one is unknown. */
function closeEnded(ledger: Ledger, left: readonly Standing[], { cells, shard }: MatrixPlan): void {
  const isLookedFor = (cell: string) => shard === null || cells.some(({ name }) => name === cell);
  for (const cell of openCells(ledger.entries).filter(isLookedFor)) {
    if (!left.some(({ name }) => name === cell)) {
      ledger.note({ cell, event: "down", hourlyUsd: 0, trafficUsd: 0 });
    }
  }
}

/** Renames the results of an earlier run, so that they are not taken for the new run's. */
function putAside(file: string): void {
  if (existsSync(file)) {
    renameSync(file, `${file}.before`);
  }
}

/** The cells to run: all, with `--resume` those without whole results, with `--down` deployed ones. */
function cellsToRun(
  plan: MatrixPlan,
  { resume, down, out }: MatrixArguments,
  left: readonly Standing[],
): readonly PlannedCell[] {
  if (down) {
    return plan.cells.filter(({ name }) => left.some((one) => one.name === name));
  }
  return resume
    ? plan.cells.filter(({ name }) => readCell(join(out, `${name}.json`), name) === null)
    : plan.cells;
}

interface Before {
  readonly plan: MatrixPlan;
  readonly args: MatrixArguments;
  readonly cells: readonly PlannedCell[];
  readonly ledger: Ledger;
  readonly board: ProgressBoard;
  readonly left: readonly Standing[];
}

/** Shows the cost and what is deployed. @throws {UsageError} over the budget, or when consent is needed and not given */
async function agreeOnCost({ plan, args, cells, ledger, board, left }: Before, io: CommandIo): Promise<void> {
  board.line(sumLine({ ...plan, cells }));
  const { budgetUsd } = plan.bounds;
  const spent = spentUsd(ledger.entries, Date.now());
  const needed = usdOf(cells) + spent;
  if (budgetUsd !== null && needed > budgetUsd) {
    const before = spent > 0 ? `, ${spent.toFixed(2)} of them spent before` : "";
    throw new UsageError(
      `budget: ${budgetUsd.toFixed(2)} USD are allowed, and ${needed.toFixed(2)} may be needed${before}; exclude cells, take shorter plans, or raise budget in ${plan.shown}; nothing was changed`,
    );
  }
  const agree = agreement(args, io.ask);
  const busy = left.filter(({ name }) => !args.resume && cells.some((cell) => cell.name === name));
  if (busy.length > 0) {
    await agree(
      `${counted(busy.length, "cell")} of it, such as ${busy[0]?.name}, would start again although deployed (to continue: --resume)`,
    );
  }
  const why = whyAsk(cells.map(({ cost }) => cost));
  const isWithin = budgetUsd !== null && !cells.some(({ cost }) => cost.missing.length > 0);
  if (why !== null && !isWithin) {
    await agree(why);
  }
}

interface After {
  readonly plan: MatrixPlan;
  readonly args: MatrixArguments;
  readonly io: CommandIo;
  readonly board: ProgressBoard;
  readonly outcomes: readonly CellOutcome<PlannedCell>[];
  /** Stacks that are still deployed. */
  readonly left: readonly Standing[];
  readonly interrupt: AbortSignal | null;
}

/** Reports all whole cells, including those of earlier runs, and what is still deployed. */
async function finish({ plan, args, io, board, outcomes, left, interrupt }: After): Promise<number> {
  for (const outcome of outcomes) {
    const problems =
      outcome.notStarted === null ? problemsOf(outcome) : [`not started: ${outcome.notStarted}`];
    for (const problem of problems) {
      board.line(`${outcome.stack} (${describe(outcome.cell.cell)}): ${problem}`);
    }
  }
  const results = args.down
    ? []
    : plan.cells.flatMap(({ name }) => readCell(join(args.out, `${name}.json`), name) ?? []);
  const missing = plan.cells.length - results.length;
  const report = args.down
    ? null
    : await writeReportOf(results, args.out, { unmeasured: unmeasuredOf(plan, results, outcomes) }).catch(
        errorOf,
      );
  if (!args.down) {
    board.line(
      `Measured: ${results.length} of ${counted(plan.cells.length, "cell")}${missing > 0 ? "; measure the rest with --resume" : ""}`,
    );
  }
  if (report instanceof Error) {
    board.line(`the report could not be written: ${report.message}`);
  } else if (report !== null) {
    board.line(`Report: ${relative(process.cwd(), report)}`);
  }
  const stored =
    args.merge.length > 0 && args.store !== undefined
      ? await keepRuns(
          results.map((one) => ({ results: one, isWhole: true })),
          args.store,
        ).catch(errorOf)
      : await keepRuns(outcomes, args.store).catch(errorOf);
  if (stored !== null) {
    board.line(stored instanceof Error ? `the history could not be written: ${stored.message}` : stored);
  }
  for (const one of left) {
    board.warn(leftLines(one, plan, args.out));
  }
  if (args.json) {
    io.stdout.write(`${JSON.stringify(asJson({ plan, outcomes, left, report, results }), null, 2)}\n`);
  }
  if (left.length > 0 && !args.keep) {
    return EXIT.left;
  }
  if (interrupt?.aborted) {
    return INTERRUPTED;
  }
  const isWhole = args.down || (missing === 0 && outcomes.every((one) => problemsOf(one).length === 0));
  return isWhole && !(report instanceof Error) && !(stored instanceof Error) ? EXIT.ok : EXIT.failed;
}

/** Cells without whole results, with the reason if this command knows it. */
function unmeasuredOf(
  { cells }: MatrixPlan,
  results: readonly Results[],
  outcomes: readonly CellOutcome<PlannedCell>[],
) {
  const measured = new Set(results.map(({ stack }) => stack));
  return cells
    .filter(({ name }) => !measured.has(name))
    .map(({ name, cell: { axes } }) => {
      const own = outcomes.find(({ stack }) => stack === name);
      const [why = "no results"] = own?.notStarted ? [own.notStarted] : (own?.errors ?? []);
      return { name, axes, why };
    });
}

function leftLines({ name, resources }: Standing, plan: MatrixPlan, out: string): string[] {
  const { cells, all } = plan;
  const own = [...cells, ...all].find((cell) => cell.name === name);
  const usd = own === undefined || !isPriced(own.stack.cloud) ? null : own.cost.hourlyUsd;
  const cost =
    own === undefined
      ? "not in the file any more"
      : usd === null
        ? "costs nothing"
        : `costs about ${usd.toFixed(2)} USD an hour`;
  return [
    `STILL DEPLOYED: ${name}, ${resources ?? "some"} resources, ${cost}.`,
    ...(own === undefined
      ? [`  destroy: npm run pulumi -- destroy --stack ${name}`]
      : [
          `  go on:   ${commandAgain(plan, out, "--resume")}`,
          `  destroy: ${commandAgain(plan, out, "--down")}`,
        ]),
  ];
}

function asJson({
  plan,
  outcomes,
  left,
  report,
  results,
}: Pick<After, "plan" | "outcomes" | "left"> & {
  report: string | Error | null;
  results: readonly Results[];
}) {
  const measured = new Set(results.map(({ stack }) => stack));
  return {
    report: report instanceof Error ? null : report,
    cells: plan.cells.map(({ name, cell }) => {
      const outcome = outcomes.find((one) => one.stack === name);
      const problems = outcome === undefined ? [] : problemsOf(outcome);
      return {
        ...{ name, axes: cell.axes, isMeasured: measured.has(name) },
        problems: outcome?.notStarted ? [`not started: ${outcome.notStarted}`] : problems,
      };
    }),
    left: left.map(({ name }) => name),
  };
}
