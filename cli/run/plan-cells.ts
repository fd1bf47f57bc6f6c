/** Plans a matrix before anything starts: its cells, their time and price, and their quotas. */
import { dirname, resolve } from "node:path";
import { groupBy } from "../../bench/group-by.ts";
import { pairsOf } from "../../bench/index.ts";
import { isPriced } from "../../bench/topologies/index.ts";
import { priceSnapshots } from "../../report/cost/prices.ts";
import { counted } from "../../report/text/format.ts";
import { textOf } from "../options.ts";
import type { ChosenPlan, StackFile } from "../pulumi/stack-file.ts";
import { duration } from "../terminal/progress-board.ts";
import { UsageError } from "../usage-error.ts";
import type { Shard } from "./arguments.ts";
import type { PlannedCell } from "./cell.ts";
import { stackOf } from "./cell-stack.ts";
import { stackCost } from "./cost.ts";
import { describe, expand, type MatrixCell } from "./expand.ts";
import { type MatrixFile, readMatrix } from "./matrix-file.ts";
import { poolOf, quotaDemandOfStack, tokensOf } from "./quotas.ts";
import { type Bounds, expectedSeconds, type Task } from "./run-cells.ts";

export interface MatrixPlan {
  readonly file: MatrixFile;
  readonly all: readonly PlannedCell[];
  readonly cells: readonly PlannedCell[];
  readonly shard: Shard | null;
  readonly bounds: Bounds;
}

export function priced(file: StackFile, plan: ChosenPlan): PlannedCell {
  const cost = stackCost(file, plan.plan, isPriced(file.cloud) ? priceSnapshots[file.cloud] : null);
  const seconds = cost.measuringSeconds + cost.buildSeconds;
  const tokens = tokensOf(file, plan.plan);
  return { name: file.name, usd: cost.totalUsd, seconds, tokens, file, plan, cost };
}

/** @throws {UsageError} for a file that cannot be read or run */
export function planMatrix(shown: string, shard: Shard | null): MatrixPlan {
  const path = resolve(shown);
  const text = textOf("--matrix", shown);
  const directory = dirname(path);
  try {
    const file = readMatrix(text);
    const all = expand(file, directory).map((cell) => planCell(cell, file, directory));
    const cells = shard === null ? all : cellsOf(all, shard);
    return { file, all, cells, shard, bounds: boundsOf(file, all, cells) };
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(`--matrix: ${shown}: ${error.message}`) : error;
  }
}

/** @throws {UsageError} naming the cell */
function planCell(cell: MatrixCell, matrix: MatrixFile, directory: string): PlannedCell {
  const { file, plan, text } = stackOf(cell, matrix, directory);
  const planned = priced(file, plan);
  return {
    ...{ ...planned, text, ofMatrix: cell, timeoutSeconds: timeoutSeconds(planned, matrix) },
    annotate: (results) => ({
      ...results,
      matrixCell: { matrix: matrix.name, axes: cell.axes },
      notes: [...results.notes, `Cell ${describe(cell)} of matrix ${matrix.name}.`],
    }),
  };
}

function boundsOf(
  { maxParallel, budget, quotas }: MatrixFile,
  all: readonly Task[],
  cells: readonly Task[],
): Bounds {
  return {
    maxParallel,
    budgetUsd: budget === undefined ? null : budgetOf(budget, usdOf(cells), usdOf(all)),
    limits: new Map(quotas.map(({ cloud, region, quota, limit }) => [poolOf(cloud, region, quota), limit])),
  };
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

const usdOf = (cells: readonly Pick<Task, "usd">[]) => cells.reduce((sum, { usd }) => sum + usd, 0);

/** Peak use of each quota at full width: `least` by the largest cell, `most` by the largest ones together. */
function quotasOf({ cells, bounds }: MatrixPlan) {
  const demands = cells.flatMap(({ file, plan }) =>
    quotaDemandOfStack(file, plan.plan).map((demand) => ({ cloud: file.cloud, ...demand })),
  );
  const pools = groupBy(demands, ({ cloud, region, quota }) => poolOf(cloud, region, quota));
  return [...pools.values()].flatMap((own) => {
    const largest = own
      .map(({ amount }) => amount)
      .sort((a, b) => b - a)
      .slice(0, bounds.maxParallel);
    const most = largest.reduce((sum, one) => sum + one, 0);
    return own.slice(0, 1).map(({ cloud, region, quota, title }) => ({
      ...{ cloud, region, quota, title, least: largest[0] ?? 0, most },
    }));
  });
}

/** Output of `--list-json`. */
export function listOf(plan: MatrixPlan) {
  return {
    matrix: plan.file.name,
    cells: plan.cells.map(({ name, ofMatrix, file, cost, seconds, usd }) => ({
      ...{ name, axes: ofMatrix?.axes ?? {}, cloud: file.cloud, region: ofMatrix?.keys.region ?? null },
      ...{ seconds, usd, hourlyUsd: cost.hourlyUsd, missingPrices: cost.missing },
    })),
    seconds: expectedSeconds(plan.cells, plan.bounds),
    usd: usdOf(plan.cells),
    budgetUsd: plan.bounds.budgetUsd,
    quotas: quotasOf(plan),
  };
}

/** Output of `--list`: a line per cell, then the sums and quotas. */
export function listLines(plan: MatrixPlan): string[] {
  const list = listOf(plan);
  const width = Math.max(...list.cells.map(({ name }) => name.length));
  const cells = list.cells.map(({ name, axes, seconds, usd, missingPrices }) => {
    const labels = Object.entries(axes).map(([axis, label]) => `${axis} ${label}`);
    return `${name.padEnd(width)}  ${duration(seconds).padStart(9)}  ${usd.toFixed(2).padStart(7)} USD  ${labels.join(", ")}${missingPrices.length === 0 ? "" : `; no price known: ${missingPrices.join(", ")}`}`;
  });
  const quotas = list.quotas.map(
    ({ cloud, region, quota, title, least, most }) =>
      `quota: ${cloud} ${region ?? "(the login's region)"}: ${title} (${quota}): at least ${least}; ${most} so that no cell waits`,
  );
  return [...cells, sumLine(plan), ...quotas];
}

export function sumLine(plan: MatrixPlan): string {
  const { cells, shard, all, bounds } = plan;
  const part = shard === null ? "" : ` of ${all.length} (shard ${shard.index}/${shard.of})`;
  const needed = usdOf(cells);
  const over = bounds.budgetUsd !== null && needed > bounds.budgetUsd ? ", which does not start" : "";
  const budget = bounds.budgetUsd === null ? "" : `, budget ${bounds.budgetUsd.toFixed(2)} USD${over}`;
  const known = cells.some(({ cost }) => cost.missing.length > 0) ? " of the prices that are known" : "";
  const idle = cells.filter(({ file, plan }) => file.pairs > Math.max(...plan.plan.cases.map(pairsOf)));
  const unused =
    idle.length === 0
      ? ""
      : `; ${counted(idle.length, "cell")} with pairs that no case uses: give cases pairs`;
  const time = duration(expectedSeconds(cells, bounds));
  return `${counted(cells.length, "cell")}${part}, about ${time} at ${bounds.maxParallel} at a time, ${needed.toFixed(2)} USD at most${known}${budget}${unused}`;
}

/** The cells of a shard: each n-th, since neighbouring cells take similarly long. */
export function cellsOf<T>(cells: readonly T[], { index, of }: Shard): T[] {
  return cells.filter((_, at) => at % of === index - 1);
}

/** A shard's part of the budget, in proportion to its cells' price. */
export function budgetOf(budgetUsd: number, ownUsd: number, allUsd: number): number {
  return allUsd === 0 ? budgetUsd : (budgetUsd * ownUsd) / allUsd;
}
