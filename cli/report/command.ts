/**
 * What `npm run report` does, but for the process it runs in: one report of any number of results, and the
 * regression gate.
 *
 * @module
 */
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  compare,
  type GateRow,
  judge,
  measuredNatSize,
  measuredRegion,
  type PricedCloud,
  powerSentence,
  priceDefaults,
  pricedCloud,
  priceSnapshots,
  type ReadInputs,
} from "../../report/index.ts";
import { usageOf } from "../usage.ts";
import { UsageError } from "../usage-error.ts";
import { parseReportArguments, type ReportArguments } from "./arguments.ts";
import { type WriteOptions, type WrittenReport, writeReportOf } from "./files.ts";
import { merge, readFiles, readStacks, resultsFilesIn } from "./inputs.ts";
import { type LoadedPrices, loadLivePrices } from "./prices/load.ts";

const EXIT = { ok: 0, unusable: 1, usage: 2, worse: 3 } as const;

/** The process that the command runs in. */
export interface ReportIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** What relative paths are relative to. */
  readonly directory: string;
}

/** @returns the exit status */
export async function report(argv: readonly string[], io: ReportIo): Promise<number> {
  try {
    return await run(parseReportArguments(argv), io);
  } catch (error) {
    io.stderr.write(`npm run report: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.unusable;
  }
}

async function run(args: ReportArguments, io: ReportIo): Promise<number> {
  if (args.help) {
    io.stdout.write(usageOf("report"));
    return EXIT.ok;
  }
  const { directory } = io;
  const read = merge([readFiles(filesOf(args, directory), directory), await readStacks(args.stacks)]);
  const written = named(
    writeReportOf(read, resolve(directory, args.out), await writeOptions(args, read)),
    args.out,
  );
  const gate = args.baseline === undefined ? null : compareWithBaseline(args, args.baseline, written, io);
  const problems = [...written.report.problems, ...(gate?.problems ?? [])];
  if (args.json) {
    const { html, markdown, csv } = written;
    io.stdout.write(
      `${JSON.stringify({ html, markdown, csv, problems, gate: gate?.rows ?? null }, null, 2)}\n`,
    );
  } else {
    print(written, problems, gate?.rows ?? null, args, io);
  }
  if (gate?.rows.some(({ verdict }) => verdict === "worse")) {
    return EXIT.worse;
  }
  const unusable = read.inputs.length === 0 || read.problems.length > 0 || (gate?.problems.length ?? 0) > 0;
  return unusable ? EXIT.unusable : EXIT.ok;
}

/** A report whose files are named as the person named their directory. */
function named(written: WrittenReport, out: string): WrittenReport {
  const name = (file: string) => join(out, basename(file));
  return { ...written, html: name(written.html), markdown: name(written.markdown), csv: name(written.csv) };
}

function filesOf({ files, stacks, baseline }: ReportArguments, directory: string): readonly string[] {
  if (files.length > 0 || stacks.length > 0) {
    return files;
  }
  // A baseline that lies among the results is not one of them.
  return resultsFilesIn("out", directory).filter(
    (file) => baseline === undefined || resolve(directory, file) !== resolve(directory, baseline),
  );
}

async function writeOptions(args: ReportArguments, read: ReadInputs): Promise<WriteOptions> {
  const { gbIn, gbOut, region, natSize, priceLocalAs, limit } = args;
  const own = {
    gbIn,
    gbOut,
    priceLocalAs,
    ...(region === undefined ? {} : { region }),
    ...(natSize === undefined ? {} : { natSize }),
    ...(limit === undefined ? {} : { limit: { bitsPerSecond: limit, label: "published limit" } }),
  };
  if (args.prices === "snapshot") {
    return own;
  }
  const clouds = new Set(read.inputs.map(({ results }) => pricedCloud(results, priceLocalAs)));
  const loaded = await Promise.all([...clouds].map((cloud) => livePrices(cloud, args, read)));
  return {
    ...own,
    prices: { ...priceSnapshots, ...Object.fromEntries(loaded.map(({ book }) => [book.cloud, book])) },
    priceProblems: loaded.flatMap(({ problems }) => problems),
  };
}

/** Of the regions and NAT machines that were measured. */
function livePrices(
  cloud: PricedCloud,
  { region, natSize, priceLocalAs }: ReportArguments,
  { inputs }: ReadInputs,
): Promise<LoadedPrices> {
  const topologies = inputs
    .filter(({ results }) => pricedCloud(results, priceLocalAs) === cloud)
    .flatMap(({ results }) => results.topologies);
  const defaults = priceDefaults[cloud];
  return loadLivePrices({
    cloud,
    regions: distinct(topologies.map((one) => region ?? measuredRegion(one) ?? defaults.region)),
    natSizes: distinct(topologies.map((one) => natSize ?? measuredNatSize(one) ?? defaults.natSize)),
    cacheDir: fileURLToPath(new URL("../../.egress-bench/prices", import.meta.url)),
    now: new Date(),
  });
}

/** In order, so that one set has one cache. */
function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

function compareWithBaseline(
  { tolerancePercent }: ReportArguments,
  baseline: string,
  { report: made }: WrittenReport,
  { directory }: ReportIo,
) {
  const read = readFiles([baseline], directory);
  const rows = judge(compare(read.inputs), made.comparison, tolerancePercent);
  const nothing =
    rows.length === 0
      ? [`${baseline}: no case and topology in common with the results, so nothing was compared`]
      : [];
  return { rows, problems: [...read.problems, ...nothing] };
}

function print(
  written: WrittenReport,
  problems: readonly string[],
  gate: readonly GateRow[] | null,
  args: ReportArguments,
  { stdout, stderr }: ReportIo,
): void {
  for (const problem of problems) {
    stderr.write(`npm run report: ${problem}\n`);
  }
  stdout.write(`Report: ${written.html}, ${written.markdown}, ${written.csv}\n`);
  if (gate === null) {
    return;
  }
  const worse = gate.filter(({ verdict }) => verdict === "worse");
  for (const { topology, caseId, metric, before, after, worsePercent } of worse) {
    const by = worsePercent === null ? "" : ` (${worsePercent.toFixed(1)} % worse)`;
    stdout.write(`Worse: ${topology} ${caseId} ${metric}: ${before} -> ${after}${by}\n`);
  }
  stdout.write(
    `Baseline: ${gate.length} figures compared, ${worse.length} worse by more than ${args.tolerancePercent} %.\n`,
  );
  const unjudged = gate.filter(({ verdict }) => verdict === "not judged").length;
  const sentences = [
    powerSentence(gate, fewestRepetitions(written.report.comparison)),
    unjudged === 0
      ? null
      : `${unjudged} of them are not judged: they need repetitions, at least 2 of both or 3 of one.`,
  ];
  for (const sentence of sentences.filter((one) => one !== null)) {
    stdout.write(`${sentence}\n`);
  }
}

/** Of the figures that have any: what the comparison's power rests on. */
function fewestRepetitions({ rows }: WrittenReport["report"]["comparison"]): number {
  const counts = rows.flatMap(({ cells }) =>
    cells.flatMap(({ estimates }) => Object.values(estimates).map(({ n }) => n)),
  );
  return Math.min(...counts);
}
