/** `npm run compare -- --matrix FILE`: runs the cells and writes their merged report. */
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { cloudRecords } from "../../bench/topologies/index.ts";
import { assertLabMachine } from "../../components/local/lab/requirements.ts";
import { counted } from "../../report/text/format.ts";
import { assertStore } from "../store/store.ts";
import { ProgressBoard } from "../terminal/progress-board.ts";
import { assertWritable } from "../terminal/result-files.ts";
import { UsageError } from "../usage-error.ts";
import { EXIT } from "./campaign.ts";
import { type MatrixRunArgs, matrixRun } from "./cell.ts";
import { whyAsk } from "./cost.ts";
import { type Standing, standingStacks } from "./deployed-stacks.ts";
import { finish } from "./finish.ts";
import { Ledger, openCells, spentUsd } from "./ledger.ts";
import type { MatrixArguments } from "./matrix-arguments.ts";
import { mergeInto, readCell } from "./merge.ts";
import {
  listLines,
  listOf,
  type MatrixPlan,
  type PlannedCell,
  planMatrix,
  sumLine,
  usdOf,
} from "./plan-cells.ts";
import { agreement, type CommandIo } from "./request.ts";
import { runCells } from "./run-cells.ts";

/** @returns the exit status. @throws {UsageError} before anything is deployed */
export async function runMatrix(args: MatrixArguments, io: CommandIo): Promise<number> {
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

type Before = Pick<MatrixRunArgs, "plan" | "cells" | "ledger" | "board"> & {
  readonly args: MatrixArguments;
  readonly left: readonly Standing[];
};

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
