/**
 * Runs a campaign, a list of cells: price and consent, each cell from up to down, the report, and what is still deployed. A
 * stack's name, a cloud's comparison and a matrix all write such a list.
 */
import { existsSync, renameSync } from "node:fs";
import { relative } from "node:path";
import { isPriced, oneLine, type Results, whyUnmeasured } from "../../bench/index.ts";
import { resultsSchema } from "../../bench/results/index.ts";
import { type CloudName, cloudRecords } from "../../bench/topologies/clouds.ts";
import { assertLabMachine } from "../../components/local/lab/requirements.ts";
import { counted } from "../../report/text/format.ts";
import { EXIT } from "../program.ts";
import { hasDeadLock, StackBusyError } from "../pulumi/backend.ts";
import {
  backendUrl,
  deployedStacks,
  makeProject,
  PROJECT,
  recordedRuns,
  type StackWorkspace,
} from "../pulumi/workspace.ts";
import { assertStore, storedLine, storeRuns } from "../store/store.ts";
import { INTERRUPTED } from "../terminal/interrupt.ts";
import { ProgressBoard, type ProgressStream } from "../terminal/progress-board.ts";
import { assertWritable, jsonIn } from "../terminal/result-files.ts";
import { errorOf } from "../thrown.ts";
import { UsageError } from "../usage-error.ts";
import {
  attempt,
  type Cell,
  type CellContext,
  type Mode,
  type Opened,
  openCell,
  runCell,
  unopened,
  whyAskAbout,
} from "./cell.ts";
import { whyAsk } from "./cost.ts";
import { Ledger, openCells, spentByCell, spentUsd } from "./ledger.ts";
import { type Bounds, nothingOf, type Outcome, runCells } from "./run-cells.ts";

export interface CommandIo {
  readonly stdout: ProgressStream;
  readonly stderr: ProgressStream;
  /** Asks a person; null: nobody can be asked. */
  readonly ask: ((question: string) => Promise<boolean>) | null;
  readonly onInterrupt: (tell: () => void) => AbortSignal;
  readonly workspaces: Readonly<Record<CloudName, StackWorkspace>>;
}

export interface Campaign extends Pick<CellContext, "keep" | "render" | "again"> {
  readonly cells: readonly Cell[];
  readonly bounds: Bounds;
  readonly costLines: (cells: readonly Cell[]) => readonly string[];
  readonly yes: boolean;
  readonly resume: boolean;
  readonly down: boolean;
  /** Directory in which whole runs are stored for `npm run history`. Undefined: not stored. */
  readonly store?: string | undefined;
  readonly reportDirectory: string;
  readonly json: boolean;
  /** The matrix that the cells are of; null: they are stacks that somebody has named. */
  readonly matrix: MatrixOfCells | null;
}

interface MatrixOfCells {
  readonly shown: string;
  /** File of what it has spent. */
  readonly ledger: string;
  /** Whether a stack that is no cell of the campaign may be another job's. */
  readonly isOfOther: (stack: string) => boolean;
}

/** Exit status of a command that could not destroy something which still costs money. */
const LEFT = 3;

/** @returns the exit status. @throws {UsageError} before anything is deployed */
export async function runCampaign(campaign: Campaign, io: CommandIo): Promise<number> {
  const { cells, matrix, keep } = campaign;
  if (cells.some(({ file }) => cloudRecords[file.cloud].isLab)) {
    assertLabMachine();
  }
  const board = new ProgressBoard(io.stderr);
  const ledger = new Ledger(matrix?.ledger ?? null);
  const agree = agreement(campaign, io.ask);
  await agreeOnCost(campaign, board, agree);
  const endInterrupted = matrix !== null && !keep;
  const interrupt = io.onInterrupt(() =>
    board.line(
      endInterrupted
        ? "Interrupted: what is deployed is being taken down. Press Ctrl-C again to leave it up."
        : "Interrupted: the current step is being ended. What is deployed stays.",
    ),
  );
  const { render, again } = campaign;
  const context = { keep, endInterrupted, render, again, board, stdout: io.stdout, interrupt, ledger };
  const problems: Problems = new Map();
  const found = await findDeployed(campaign, ledger, problems);
  const modes = modesOf(campaign, found);
  prepare(
    cells.filter(({ name }) => modes.has(name)),
    problems,
  );
  assertBudget(campaign, modes, ledger);
  const opened = await openDeployed(campaign, modes, found.deployed, problems, context, agree);
  for (const name of found.deployed) {
    if (modes.get(name) === "measure") board.line(`${name}: what an earlier run left deployed is used again`);
  }
  if (matrix !== null && !campaign.resume && !campaign.down) {
    cells.forEach(putAside);
  }
  const begun = new Set<string>();
  const outcomes = await runCells<Cell, Results>({
    cells: cells
      .filter(({ name }) => modes.has(name))
      .map((cell) => (modes.get(cell.name) === "down" ? { ...cell, usd: 0 } : cell)),
    ...{ bounds: campaign.bounds, board, interrupt },
    spent: () => spentByCell(ledger.entries, Date.now()),
    attempt: async (cell) => {
      const planned = modes.get(cell.name) ?? "measure";
      const problem = problems.get(cell.name);
      if (problem !== undefined) {
        return unopened(cell, problem, planned);
      }
      // A refused cell was destroyed, so there is nothing to resume.
      const mode = planned === "resume" && begun.has(cell.name) ? "measure" : planned;
      begun.add(cell.name);
      const ready = opened.get(cell.name) ?? (await openCell(cell, mode, board));
      opened.delete(cell.name);
      return await runCell(cell, ready, mode, context);
    },
  });
  return await finish(campaign, withEarlier(outcomes, found.deployed, begun), context);
}

/** Asks once per reason. @throws {UsageError} when consent is needed and not given */
type Agree = (why: string) => Promise<void>;

function agreement({ yes }: Pick<Campaign, "yes">, ask: CommandIo["ask"]): Agree {
  return async (why) => {
    if (yes) {
      return;
    }
    if (ask === null) {
      throw new UsageError(`${why}: nothing was changed; agree with --yes`);
    }
    if (!(await ask(`Go on, though ${why}? [y/N] `))) {
      throw new UsageError("not agreed to; nothing was changed");
    }
  };
}

/** Checks where results go, shows the cost, and asks for consent. @throws {UsageError} */
async function agreeOnCost(campaign: Campaign, board: ProgressBoard, agree: Agree): Promise<void> {
  const { cells, bounds, down, resume, store, matrix } = campaign;
  if (down) {
    return;
  }
  const measured = cells.filter((cell) => matrix === null || !resume || resultsOf(cell) === null);
  for (const { resultsFile } of measured) {
    assertWritable(resultsFile);
  }
  if (store !== undefined) {
    await assertStore(store);
  }
  for (const line of campaign.costLines(measured)) {
    board.line(line);
  }
  const why = whyAsk(measured.map(({ cost }) => cost));
  const isBounded = bounds.budgetUsd !== null && measured.every(({ cost }) => cost.missing.length === 0);
  if (why !== null && !isBounded) {
    await agree(why);
  }
}

/** @throws {UsageError} where the cells may cost more than the budget */
function assertBudget(
  { cells, bounds, matrix }: Campaign,
  modes: ReadonlyMap<string, Mode>,
  ledger: Ledger,
): void {
  const { budgetUsd } = bounds;
  const spent = spentUsd(ledger.entries, Date.now());
  const measured = cells.filter(({ name }) => modes.has(name) && modes.get(name) !== "down");
  const needed = measured.reduce((sum, { usd }) => sum + usd, spent);
  if (budgetUsd !== null && measured.length > 0 && needed > budgetUsd) {
    const before = spent > 0 ? `, ${spent.toFixed(2)} of them spent before` : "";
    throw new UsageError(
      `budget: ${budgetUsd.toFixed(2)} USD are allowed, and ${needed.toFixed(2)} may be needed${before}; exclude cells, take shorter plans, or raise budget in ${matrix?.shown}; nothing was changed`,
    );
  }
}

/** Why some cells cannot be opened, by name. */
type Problems = Map<string, Error>;

/** Makes the cells' projects. @throws {StackBusyError} when Pulumi changes one of their stacks; nothing was changed */
function prepare(cells: readonly Cell[], problems: Problems): void {
  for (const { name, workspace } of cells.filter((cell) => !problems.has(cell.name))) {
    try {
      makeProject(workspace);
      hasDeadLock(backendUrl(workspace), PROJECT, name);
    } catch (error) {
      if (error instanceof StackBusyError) {
        throw error;
      }
      problems.set(name, errorOf(error));
    }
  }
}

/** Stacks that earlier runs have left, also those that are no longer in the matrix's file. */
async function findDeployed({ cells, matrix }: Campaign, ledger: Ledger, problems: Problems) {
  const names = new Set(cells.map(({ name }) => name));
  const open = openCells(ledger.entries).filter((name) => names.has(name) || !matrix?.isOfOther(name));
  const former = open.filter((name) => !names.has(name));
  const backends = Map.groupBy(cells, ({ workspace }) => JSON.stringify(workspace.environment));
  const deployed = new Set<string>();
  for (const own of backends.values()) {
    const [{ workspace }] = own as [Cell];
    const ownNames = own.map(({ name }) => name);
    const found = await attempt(() => deployedStacks([...ownNames, ...former], workspace));
    if (found instanceof Error) {
      for (const name of ownNames) {
        problems.set(name, found);
      }
    } else {
      for (const name of found) {
        deployed.add(name);
      }
    }
  }
  // Their cost ends now, since nobody knows when something else destroyed them.
  for (const cell of problems.size > 0 ? [] : open.filter((name) => !deployed.has(name))) {
    ledger.note({ cell, event: "down", hourlyUsd: 0, trafficUsd: 0 });
  }
  return { deployed, isFound: (name: string) => deployed.has(name) || problems.has(name) };
}

type Found = Awaited<ReturnType<typeof findDeployed>>;

/** The work on each cell: of a matrix, only what is missing is measured again. */
function modesOf({ cells, matrix, resume, down, keep }: Campaign, found: Found): ReadonlyMap<string, Mode> {
  const modeOf = (cell: Cell): Mode | null => {
    const { name, workspace } = cell;
    if (matrix === null) {
      return down ? "down" : resume ? "resume" : "measure";
    }
    if (down) {
      return found.isFound(name) ? "down" : null;
    }
    if (!resume) {
      return "measure";
    }
    // A command that was killed during a destroy leaves results and a deployed cell.
    if (resultsOf(cell) !== null) {
      return found.isFound(name) && !keep ? "down" : null;
    }
    return found.deployed.has(name) && recordedRuns(name, workspace).size > 0 ? "resume" : "measure";
  };
  return new Map(
    cells.flatMap((cell) => {
      const mode = modeOf(cell);
      return mode === null ? [] : [[cell.name, mode] as const];
    }),
  );
}

/** Opens what is deployed, before anything is changed, and asks whether it may be ended. @throws {UsageError} */
async function openDeployed(
  { cells, yes }: Campaign,
  modes: ReadonlyMap<string, Mode>,
  deployed: ReadonlySet<string>,
  problems: Problems,
  context: CellContext,
  agree: Agree,
): Promise<Map<string, Opened>> {
  const opened = new Map<string, Opened>();
  const reasons: string[] = [];
  for (const cell of yes ? [] : cells) {
    const mode = modes.get(cell.name);
    if (mode !== undefined && deployed.has(cell.name) && !problems.has(cell.name)) {
      const one = await openCell(cell, mode, context.board);
      const why = whyAskAbout(one, cell.name, mode, context);
      opened.set(cell.name, one);
      reasons.push(...(why === null ? [] : [why]));
    }
  }
  const [first] = reasons;
  if (first !== undefined) {
    const more = reasons.length === 1 ? "" : `, and so it is with ${counted(reasons.length - 1, "other")}`;
    await agree(`${first}${more}`);
  }
  return opened;
}

/** Renames the results of an earlier run, so that they are not taken for the new run's. */
function putAside({ resultsFile }: Cell): void {
  if (existsSync(resultsFile)) {
    renameSync(resultsFile, `${resultsFile}.before`);
  }
}

/** Whole results of a matrix's cell from this run or an earlier one; null: missing or unreadable. */
function resultsOf({ resultsFile, name }: Cell): Results | null {
  const { data: read } = resultsSchema.safeParse(jsonIn(resultsFile));
  return read?.stack === name && read.matrixCell !== null ? read : null;
}

/** The outcomes, with what earlier runs left and this one did not come to. */
function withEarlier(
  outcomes: readonly Outcome<Results>[],
  deployed: ReadonlySet<string>,
  begun: ReadonlySet<string>,
): Outcome<Results>[] {
  const names = new Set(outcomes.map(({ stack }) => stack));
  const others = [...deployed].filter((name) => !names.has(name)).map((name) => nothingOf(name));
  return [...outcomes, ...others].map((outcome) =>
    deployed.has(outcome.stack) && !begun.has(outcome.stack) && outcome.left === null
      ? { ...outcome, left: "from an earlier run" }
      : outcome,
  );
}

/** Reports what was measured, keeps it in the history, and names what is still deployed. @returns the exit status */
async function finish(
  campaign: Campaign,
  outcomes: readonly Outcome<Results>[],
  { board, interrupt, ledger, stdout, endInterrupted }: CellContext & { readonly stdout: ProgressStream },
): Promise<number> {
  const { cells, matrix, down, json, store } = campaign;
  for (const outcome of outcomes) {
    for (const problem of problemsOf(outcome)) {
      board.line(`${titleOf(outcome.stack, cells)}: ${problem}`);
    }
    if (outcome.file !== null) {
      board.line(
        `${outcome.isWhole ? "Results" : "Measured so far"}: ${relative(process.cwd(), outcome.file)}`,
      );
    }
  }
  const ofRun = new Map(outcomes.map(({ stack, results }) => [stack, results]));
  const whole = cells.map(
    (cell) => [cell.name, matrix === null ? ofRun.get(cell.name) : resultsOf(cell)] as const,
  );
  const found = down ? [] : whole.flatMap(([name, one]) => (one ? [[name, one] as const] : []));
  const measured = new Set(found.map(([name]) => name));
  const results = found.map(([, one]) => one);
  if (matrix !== null && !down) {
    const rest = results.length < cells.length ? "; measure the rest with --resume" : "";
    board.line(`Measured: ${results.length} of ${counted(cells.length, "cell")}${rest}`);
  }
  const isUnfinished = matrix === null && interrupt.aborted;
  const report = isUnfinished
    ? null
    : await writeReport(campaign, results, measured, outcomes).catch(errorOf);
  const files = outcomes.flatMap(({ file }) => file ?? []).join(" ");
  if (report instanceof Error) {
    board.line(`the report could not be written: ${report.message}; later: npm run report -- ${files}`);
  } else if (report !== null) {
    for (const headline of report.headlines) board.line(headline);
    board.line(`Report: ${relative(process.cwd(), report.html)}`);
  }
  const stored = await keepRuns(outcomes, store).catch(errorOf);
  if (stored instanceof Error) {
    board.line(
      `the history could not be written: ${stored.message}; later: npm run report -- --store ${store} ${files}`,
    );
  } else if (stored !== null) {
    board.line(stored);
  }
  const left = outcomes.filter((outcome) => outcome.left !== null);
  for (const outcome of left) {
    board.warn(leftLines(outcome, campaign));
  }
  if (matrix !== null) {
    const spent = spentUsd(ledger.entries, Date.now()).toFixed(2);
    board.line(`Spent: ${spent} USD: the hours that stacks existed, and their traffic at its maximum.`);
  }
  if (json) {
    const page = report instanceof Error ? null : (report?.html ?? null);
    stdout.write(`${JSON.stringify(asJson(page, outcomes, measured, cells), null, 2)}\n`);
  }
  if (left.some((one) => one.left === "not destroyed") || (endInterrupted && left.length > 0)) {
    return LEFT;
  }
  if (interrupt.aborted) {
    return INTERRUPTED;
  }
  const isWhole =
    outcomes.every((one) => problemsOf(one).length === 0) &&
    (down || cells.every(({ name }) => measured.has(name)));
  return isWhole && !(report instanceof Error) && !(stored instanceof Error) ? EXIT.ok : EXIT.failed;
}

/** Writes one report of everything measured. @returns its page, or null without measurements */
async function writeReport(
  { cells, matrix, reportDirectory }: Campaign,
  results: readonly Results[],
  measured: ReadonlySet<string>,
  outcomes: readonly Outcome[],
): Promise<{ readonly html: string; readonly headlines: readonly string[] } | null> {
  if (results.length === 0) {
    return null;
  }
  const unmeasured = cells
    .filter(({ name }) => matrix !== null && !measured.has(name))
    .map(({ name, ofMatrix }) => {
      const [why = "no results"] = outcomes.find(({ stack }) => stack === name)?.errors ?? [];
      return { name, axes: ofMatrix?.axes ?? {}, why: why.replace(/^not started: /, "") };
    });
  // Charts take a while to load, so only after measuring.
  const [files, { headlineOf }] = await Promise.all([
    import("../report/files.ts"),
    import("../../report/choice/words.ts"),
  ]);
  const inputs = results.map((one) => ({ source: `stack ${one.stack}`, results: one }));
  const options = matrix === null ? {} : { unmeasured };
  const { html, report } = files.writeReportOf({ inputs, problems: [] }, reportDirectory, options);
  const { gbIn, gbOut } = report.needs;
  const traffic = `For ${gbIn} GB in and ${gbOut} GB out a month; the report has inputs for yours:`;
  return { html, headlines: [traffic, ...report.answers.map(headlineOf)] };
}

/** Stores whole runs for the history. @returns a sentence on what was stored; null: nothing */
async function keepRuns(
  outcomes: readonly Outcome<Results>[],
  store: string | undefined,
): Promise<string | null> {
  const whole = outcomes.flatMap(({ results, isWhole }) => (results !== null && isWhole ? [results] : []));
  return store === undefined || whole.length === 0 ? null : storedLine(await storeRuns(whole, store), store);
}

/** A cell in messages: its stack, with its labels on the axes of a matrix. */
function titleOf(stack: string, cells: readonly Cell[]): string {
  const labels = Object.values(cells.find(({ name }) => name === stack)?.ofMatrix?.axes ?? {});
  return labels.length === 0 ? stack : `${stack} (${labels.join(", ")})`;
}

function problemsOf({ results, errors }: Outcome<Results>): string[] {
  const failed = (results?.cases ?? []).filter(
    ({ status, failure }) => status === "failed" && whyUnmeasured(failure) === null,
  );
  const [first] = failed;
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : "";
  const { topology, id, failure } = first ?? {};
  return [
    ...errors,
    ...(first === undefined
      ? []
      : [oneLine(`not measured: ${topology} ${id}: ${failure?.class}: ${failure?.message}${others}`)]),
  ];
}

function leftLines({ stack, left }: Outcome, { cells, again }: Campaign): string[] {
  const cell = cells.find(({ name }) => name === stack);
  if (cell === undefined) {
    return [
      `STILL DEPLOYED (${left}): ${stack}, not in the file any more.`,
      `  destroy: npm run pulumi -- destroy --stack ${stack}`,
    ];
  }
  const isFree = !isPriced(cell.file.cloud);
  const cost = isFree ? "costs nothing" : `costs about ${cell.cost.hourlyUsd.toFixed(2)} USD an hour`;
  return [
    `STILL DEPLOYED (${left}): ${stack}, ${cost}.`,
    `  go on:   ${again(stack, "--resume")}`,
    ...(isFree ? [] : [`  or:      npm run pulumi -- --cwd .egress-bench/project --stack ${stack} up`]),
    `  destroy: ${again(stack, "--down")}`,
  ];
}

function asJson(
  report: string | null,
  outcomes: readonly Outcome<Results>[],
  measured: ReadonlySet<string>,
  cells: readonly Cell[],
) {
  const stacks = outcomes.map((outcome) => {
    const cell = cells.find(({ name }) => name === outcome.stack);
    return {
      stack: outcome.stack,
      ...(cell?.ofMatrix === undefined ? {} : { axes: cell.ofMatrix.axes }),
      results: outcome.file ?? (measured.has(outcome.stack) ? cell?.resultsFile : null),
      problems: problemsOf(outcome),
      left: outcome.left,
      hourlyUsd: outcome.left === null ? 0 : (cell?.cost.hourlyUsd ?? 0),
    };
  });
  return { report, stacks };
}
