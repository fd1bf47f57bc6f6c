/**
 * The command `npm run report`, separate from the process it runs in: one report of any number of results, and the
 * regression gate.
 */
import { resolve } from "node:path";
import { oneLine } from "../../bench/index.ts";
import {
  answerSentences,
  benchmarkFigures,
  MixedCurrencies,
  makeReport,
  type ReadInputs,
  type Report,
  sentenceOf,
  toAnnotations,
} from "../../report/index.ts";
import { commands } from "../commands.ts";
import { checkNames } from "../known-names.ts";
import { PROGRAM, runCommand } from "../program.ts";
import { assertStore, storeAt, storedLine, storeRuns } from "../store/store.ts";
import { writeExactly } from "../terminal/progress-board.ts";
import { type ReportArguments, reportArguments } from "./arguments.ts";
import { exportFiles, type WriteOptions, type WrittenReport, writeGate, writeReportOf } from "./files.ts";
import { merge, readFiles, readLibrary, readStacks, resultsFilesIn, resultsFilesOf } from "./inputs.ts";
import { booksOf, type GivenPrices, readPrices } from "./prices/file.ts";
import { type LiveOptions, loadLivePrices } from "./prices/load.ts";

const EXIT = { ok: 0, unusable: 1, worse: 3, notJudged: 4 } as const;

/** The process that the command runs in. */
export interface ReportIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Base directory of relative paths. */
  readonly directory: string;
  /** @default the clouds' own price services */
  readonly live?: LiveOptions;
}

export async function report(argv: readonly string[], io: ReportIo): Promise<number> {
  return runCommand(
    commands.report,
    argv,
    io,
    async (values) => run(reportArguments(values), io),
    MixedCurrencies,
  );
}

async function run(args: ReportArguments, io: ReportIo): Promise<number> {
  const { directory } = io;
  const prices = readPrices(args.prices ?? [], directory, args["nat-term"]);
  const { needs, regions, "nat-size": natSize = null } = args;
  checkNames({ "--region": needs.region, "--regions": regions, "--nat-size": natSize }, prices);
  if (args.store !== undefined) {
    await assertStore(storeAt(args.store, directory));
  }
  const read = merge([readFiles(filesOf(args, directory), directory), await readStacks(args.stacks)]);
  if (read.inputs.length === 0) {
    return nothingToReport(read, args, io);
  }
  const options = await writeOptions(args, read, prices, io);
  for (const problem of options.priceProblems ?? []) {
    io.stderr.write(`${PROGRAM} report: ${oneLine(problem)}\n`);
  }
  const written = writeReportOf(read, args.out, options, directory);
  const { problems, baseline, answers } = written.report;
  if (args.json) {
    io.stdout.write(asJson(written, answers, problems, baseline));
  } else {
    print(written, io);
  }
  if (baseline !== null) {
    writeGate(baseline, resolve(directory, args.out));
  }
  for (const name of args.exports) {
    exportFiles(benchmarkFigures(written.report.comparison), name, resolve(directory, args.out));
  }
  if (args.store !== undefined) {
    await keep(read, args.store, args.commit, io);
  }
  if (args.annotate && baseline !== null) {
    writeExactly(
      io.stdout,
      toAnnotations(baseline)
        .map((line) => `${line}\n`)
        .join(""),
    );
  }
  if (baseline?.verdict === "worse") {
    return EXIT.worse;
  }
  if (baseline?.verdict === "not-judged" && !args["allow-not-judged"]) {
    return EXIT.notJudged;
  }
  return read.problems.length > 0 || (baseline?.problems.length ?? 0) > 0 ? EXIT.unusable : EXIT.ok;
}

async function keep(
  { inputs }: ReadInputs,
  store: string,
  commit: string | undefined,
  { directory, stderr }: ReportIo,
): Promise<void> {
  const stored = await storeRuns(
    inputs.map(({ results }) => results),
    storeAt(store, directory),
    commit,
  );
  stderr.write(`${PROGRAM} report: ${storedLine(stored, store)}\n`);
}

function asJson(
  { html, markdown, csv }: Readonly<Record<"html" | "markdown" | "csv", string | null>>,
  answers: Report["answers"],
  problems: readonly string[],
  baseline: Report["baseline"],
): string {
  const said = answers.map((answer) => ({
    ...{ cloud: answer.cloud, pick: answer.pick?.id ?? null, sentence: sentenceOf(answer) },
  }));
  const { rows: gate = null, verdict = null } = baseline ?? {};
  return `${JSON.stringify({ html, markdown, csv, answers: said, problems, gate, verdict }, null, 2)}\n`;
}

/** Keeps existing files: an old report is better than an empty one. */
function nothingToReport(
  { problems }: ReadInputs,
  args: ReportArguments,
  { stdout, stderr }: ReportIo,
): number {
  const nothing = `no usable results, so nothing was written to ${args.out}; measure first, e.g. with npm run local`;
  if (args.json) {
    stdout.write(asJson({ html: null, markdown: null, csv: null }, [], [...problems, nothing], null));
  }
  for (const problem of [...problems, nothing]) {
    stderr.write(`${PROGRAM} report: ${problem}\n`);
  }
  return EXIT.unusable;
}

function filesOf({ files, stacks, baseline }: ReportArguments, directory: string): readonly string[] {
  if (files.length > 0 || stacks.length > 0) {
    return resultsFilesOf(files, directory);
  }
  // A baseline among the results is not one of them.
  return resultsFilesIn("out", directory).filter(
    (file) => baseline === undefined || resolve(directory, file) !== resolve(directory, baseline),
  );
}

async function writeOptions(
  args: ReportArguments,
  read: ReadInputs,
  prices: GivenPrices,
  { directory, live }: ReportIo,
): Promise<WriteOptions> {
  const { needs, regions, "nat-size": natSize, limit, baseline, tolerancePercent } = args;
  const own = {
    needs,
    regions,
    library: readLibrary(),
    ...(baseline === undefined
      ? {}
      : {
          baseline: {
            read: readFiles([baseline], directory),
            source: baseline,
            tolerancePercent,
            allowNotJudged: args["allow-not-judged"],
          },
        }),
    ...(natSize === undefined ? {} : { natSize }),
    ...(limit === undefined ? {} : { limit: { bitsPerSecond: limit, label: "published limit" } }),
  };
  if (!prices.live) {
    return { ...own, prices: booksOf(prices) };
  }
  // The answer at the shipped prices shows which prices are needed.
  const { answers } = makeReport(read, { ...own, madeAt: new Date().toISOString() });
  const loaded = await Promise.all(
    answers.map(({ cloud, assessed }) =>
      loadLivePrices(
        {
          cloud,
          regions: [...assessed.map(({ region }) => region), ...regions],
          natSizes: assessed.flatMap(({ way, need }) => way.machine?.size ?? need?.size ?? []),
        },
        live,
      ),
    ),
  );
  return {
    ...own,
    prices: booksOf({ own: loaded.map(({ book }) => book) }),
    priceProblems: loaded.flatMap(({ problems }) => problems),
  };
}

function print({ report: made, html, markdown, csv }: WrittenReport, { stdout, stderr }: ReportIo): void {
  for (const problem of made.problems) {
    stderr.write(`${PROGRAM} report: ${oneLine(problem)}\n`);
  }
  for (const answer of made.answers) {
    stdout.write(`${answerSentences(answer).map(oneLine).join("\n")}\n`);
  }
  stdout.write(`Report: ${html}, ${markdown}, ${csv}\n`);
  for (const { topology, caseId, metric, before, after, ...row } of made.baseline?.rows ?? []) {
    const word = row.verdict === "worse" ? "Worse" : row.undecided ? "Perhaps worse" : null;
    const by = row.worsePercent === null ? "" : ` (${row.worsePercent.toFixed(1)} % worse)`;
    if (word !== null) {
      stdout.write(`${oneLine(`${word}: ${topology} ${caseId} ${metric}: ${before} -> ${after}${by}`)}\n`);
    }
  }
  for (const sentence of made.baseline?.sentences ?? []) {
    stdout.write(`${oneLine(sentence)}\n`);
  }
  if (made.baseline !== null && made.baseline.rows.length > 0) {
    stdout.write(`Gate: ${made.baseline.verdict}\n`);
  }
}
