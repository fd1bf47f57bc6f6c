/** The commands `npm run local` and `npm run compare`, separate from the process they run in: each writes its list of cells. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline/promises";
import { isPriced, PlanError } from "../../bench/index.ts";
import { plainText } from "../../bench/plain-text.ts";
import { priceSnapshots } from "../../report/cost/prices.ts";
import { commands } from "../commands.ts";
import { EXIT, runCommand } from "../program.ts";
import { choosePlan, type PlanChoice, readStackFile, type StackFile } from "../pulumi/stack-file.ts";
import { cloudWorkspace, labWorkspace, type StackWorkspace } from "../pulumi/workspace.ts";
import { onInterrupt } from "../terminal/interrupt.ts";
import { processOutput } from "../terminal/process-output.ts";
import { renderResults } from "../terminal/progress-board.ts";
import { UsageError } from "../usage-error.ts";
import {
  type ComparedCloud,
  compareArguments,
  type LocalOptions,
  type MatrixOptions,
  type StacksOptions,
} from "./arguments.ts";
import { type Campaign, type CommandIo, runCampaign } from "./campaign.ts";
import type { Cell } from "./cell.ts";
import { costLines } from "./cost.ts";
import { listLines, listOf, planMatrix, priced, sumLine } from "./plan-cells.ts";

/** `npm run local`: a campaign of one local stack. @returns the exit status */
export async function local(argv: readonly string[], io = processIo()): Promise<number> {
  return runCommand(commands.local, argv, io, async (values) => runLocal(values, io));
}

/** `npm run compare`: a campaign of a cloud's stacks, or of a matrix's cells. @returns the exit status */
export async function compare(argv: readonly string[], io = processIo()): Promise<number> {
  return runCommand(commands.compare, argv, io, async (values) => {
    const options = compareArguments(values);
    return options.kind === "matrix" ? runMatrix(options, io) : runStacks(options, io);
  });
}

function runLocal(options: LocalOptions, io: CommandIo): Promise<number> {
  const { stack, out, json, yes, keep, resume, down, store } = options;
  const cell = cellOfStack(stack, "local", options, io.workspaces.local, out);
  const again: Campaign["again"] = (_, option) =>
    [
      "npm run local --",
      ...(stack === commands.local.options.stack.default ? [] : [`--stack ${stack}`]),
      ...(option === "--down" || out === commands.local.options.out.default ? [] : [`--out ${out}`]),
      option,
    ].join(" ");
  const campaign: Campaign = {
    ...{ cells: [cell], yes, keep, resume, down, store, again },
    ...{ bounds: boundsOf(1), costLines: linesOfStacks, reportDirectory: dirname(out), matrix: null },
    json: false,
    render: (results, stdout) =>
      json ? `${JSON.stringify(results)}\n` : `\n${renderResults(results, stdout)}\n\n`,
  };
  return runCampaign(campaign, io);
}

function runStacks(options: StacksOptions, io: CommandIo): Promise<number> {
  const { cloud, stacks, out, json, yes, keep, resume, down, store, parallel } = options;
  const cells = stacks.map((stack) =>
    cellOfStack(stack, cloud, options, io.workspaces[cloud], join(out, `${stack}.json`)),
  );
  const campaign: Campaign = {
    ...{ cells, yes, keep, resume, down, store, json, matrix: null },
    ...{ bounds: boundsOf(parallel), costLines: linesOfStacks, reportDirectory: out },
    again: (stack, option) =>
      `npm run compare -- --cloud ${cloud} --stack ${stack}${option === "--resume" ? ` --out ${out}` : ""} ${option}`,
    render: json ? null : (results, stdout) => `\n${results.stack}\n${renderResults(results, stdout)}\n`,
  };
  return runCampaign(campaign, io);
}

async function runMatrix(options: MatrixOptions, io: CommandIo): Promise<number> {
  const { matrix, list, shard, out, json, yes, keep, resume, down, store } = options;
  const plan = planMatrix(matrix, shard);
  if (list !== null) {
    const lines = list === "json" ? [JSON.stringify(listOf(plan), null, 2)] : listLines(plan);
    io.stdout.write(lines.map((line) => `${line}\n`).join(""));
    return EXIT.ok;
  }
  const names = new Set(plan.all.map(({ name }) => name));
  const { name: ofMatrix, backend } = plan.file;
  const part = shard === null ? "" : ` --shard ${shard.index}/${shard.of}`;
  const campaign: Campaign = {
    ...{ yes, keep, resume, down, store, json, bounds: plan.bounds },
    cells: plan.cells.map((cell) => {
      const base = io.workspaces[cell.file.cloud];
      const environment = {
        ...base.environment,
        ...(backend === undefined ? {} : { PULUMI_BACKEND_URL: backend }),
      };
      const workspace = { ...base, stackFiles: join(base.project, "matrix", ofMatrix), environment };
      return { ...cell, workspace, resultsFile: join(out, `${cell.name}.json`) };
    }),
    costLines: (cells) => {
      const shown = new Set(cells.map(({ name }) => name));
      return [sumLine({ ...plan, cells: plan.cells.filter(({ name }) => shown.has(name)) })];
    },
    reportDirectory: out,
    render: null,
    matrix: {
      shown: matrix,
      ledger: join(out, `${ofMatrix}.ledger.ndjson`),
      isOfOther: (stack) => shard !== null || names.has(stack),
    },
    // `--out` has the results and the ledger.
    again: (_, option) => `npm run compare -- --matrix ${matrix}${part} --out ${out} ${option}`,
  };
  return runCampaign(campaign, io);
}

function boundsOf(maxParallel: number): Campaign["bounds"] {
  return { maxParallel, budgetUsd: null, limits: new Map() };
}

/** The cell of a stack file. @throws {UsageError} */
function cellOfStack(
  name: string,
  cloud: ComparedCloud,
  options: PlanChoice & { readonly resume: boolean },
  workspace: StackWorkspace,
  resultsFile: string,
): Cell {
  try {
    const file = readChecked(name, cloud, options.resume, workspace);
    return { ...priced(file, choosePlan(file, options)), workspace, resultsFile };
  } catch (error) {
    throw error instanceof PlanError ? new UsageError(error.message) : error;
  }
}

function readChecked(
  name: string,
  cloud: ComparedCloud,
  isResumed: boolean,
  { stackFiles, project }: StackWorkspace,
): StackFile {
  let file: StackFile;
  try {
    file = readStackFile(name, stackFiles);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  if (file.cloud !== cloud) {
    throw new UsageError(
      `--stack: expected a stack of cloud "${cloud}"; ${name} is of "${file.cloud}"; to run it: npm run compare -- --cloud ${file.cloud} --stack ${name}`,
    );
  }
  if (isResumed && !existsSync(`${project}/Pulumi.${name}.yaml`)) {
    throw new UsageError(
      `--resume: stack ${name}: there is no interrupted run to resume; leave out --resume`,
    );
  }
  // The interrupted run's own settings apply, even if the stack file has changed since.
  return isResumed ? readStackFile(name, project) : file;
}

function linesOfStacks(cells: readonly Cell[]): string[] {
  const cloud = cells[0]?.file.cloud ?? "local";
  return costLines(
    cells.map(({ cost }) => cost),
    isPriced(cloud) ? priceSnapshots[cloud] : null,
  );
}

/** This process's streams, its terminal for questions, and its Ctrl-C. */
export function processIo(): CommandIo {
  return {
    ...processOutput(true),
    ask: process.stdin.isTTY ? ask : null,
    onInterrupt,
    workspaces: { azure: cloudWorkspace, aws: cloudWorkspace, hosts: cloudWorkspace, local: labWorkspace },
  };
}

/** Asks for a plain yes; the end of input and Ctrl-C mean no. */
async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(plainText(question))).trim());
  } catch {
    process.stderr.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}
