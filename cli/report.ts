/**
 * `npm run report`: one report of any number of results, and the regression gate.
 *
 * @module
 */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  compare,
  type GateRow,
  judge,
  type PricedCloud,
  priceDefaults,
  priceSnapshots,
  type ReadInputs,
} from "../report/index.ts";
import { type LoadedPrices, loadLivePrices } from "./prices/load.ts";
import { parseReportArguments, type ReportArguments, usage } from "./report-arguments.ts";
import { type WriteOptions, type WrittenReport, writeReportOf } from "./report-files.ts";
import { merge, readFiles, readStacks, resultsFilesIn } from "./report-inputs.ts";
import { UsageError } from "./usage-error.ts";

const EXIT = { ok: 0, unusable: 1, usage: 2, worse: 3 } as const;

async function main(): Promise<number> {
  const args = parseReportArguments(process.argv.slice(2));
  if (args.help) {
    process.stdout.write(usage);
    return EXIT.ok;
  }
  const read = merge([readFiles(filesOf(args)), await readStacks(args.stacks)]);
  const written = writeReportOf(read, args.out, await writeOptions(args, read));
  const gate = args.baseline === undefined ? null : compareWithBaseline(args, args.baseline, written);
  const problems = [...written.report.problems, ...(gate?.problems ?? [])];
  if (args.json) {
    const { html, markdown, csv } = written;
    process.stdout.write(
      `${JSON.stringify({ html, markdown, csv, problems, gate: gate?.rows ?? null }, null, 2)}\n`,
    );
  } else {
    print(written, problems, gate?.rows ?? null, args);
  }
  if (gate?.rows.some(({ verdict }) => verdict === "worse")) {
    return EXIT.worse;
  }
  const unusable = read.inputs.length === 0 || read.problems.length > 0 || (gate?.problems.length ?? 0) > 0;
  return unusable ? EXIT.unusable : EXIT.ok;
}

function filesOf({ files, stacks, baseline }: ReportArguments): readonly string[] {
  if (files.length > 0 || stacks.length > 0) {
    return files;
  }
  // A baseline that lies among the results is not one of them.
  return resultsFilesIn("out").filter(
    (file) => baseline === undefined || resolve(file) !== resolve(baseline),
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
  const clouds = new Set(
    read.inputs.map(({ results }) => (results.cloud === "local" ? priceLocalAs : results.cloud)),
  );
  const loaded = await Promise.all([...clouds].map((cloud) => livePrices(cloud, args)));
  return {
    ...own,
    prices: { ...priceSnapshots, ...Object.fromEntries(loaded.map(({ book }) => [book.cloud, book])) },
    priceProblems: loaded.flatMap(({ problems }) => problems),
  };
}

function livePrices(cloud: PricedCloud, { region, natSize }: ReportArguments): Promise<LoadedPrices> {
  return loadLivePrices({
    cloud,
    region: region ?? priceDefaults[cloud].region,
    natSize: natSize ?? priceDefaults[cloud].natSize,
    cacheDir: fileURLToPath(new URL("../.egress-bench/prices", import.meta.url)),
    now: new Date(),
    environment: process.env,
  });
}

function compareWithBaseline(
  { tolerancePercent }: ReportArguments,
  baseline: string,
  { report }: WrittenReport,
) {
  const read = readFiles([baseline]);
  const rows = judge(compare(read.inputs), report.comparison, tolerancePercent);
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
): void {
  for (const problem of problems) {
    process.stderr.write(`npm run report: ${problem}\n`);
  }
  process.stdout.write(`Report: ${written.html}, ${written.markdown}, ${written.csv}\n`);
  if (gate === null) {
    return;
  }
  const worse = gate.filter(({ verdict }) => verdict === "worse");
  for (const { topology, caseId, metric, before, after, worsePercent } of worse) {
    const by = worsePercent === null ? "" : ` (${worsePercent.toFixed(1)} % worse)`;
    process.stdout.write(`Worse: ${topology} ${caseId} ${metric}: ${before} -> ${after}${by}\n`);
  }
  process.stdout.write(
    `Baseline: ${gate.length} figures compared, ${worse.length} worse by more than ${args.tolerancePercent} %.\n`,
  );
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`npm run report: ${(error as Error).message}\n`);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.unusable;
}
