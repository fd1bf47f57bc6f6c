/** The command `npm run advise`, separate from the process it runs in. */
import { type Advice, advise } from "../../advise/advice.ts";
import { FormatError } from "../../advise/fields.ts";
import { maskTraffic } from "../../advise/mask.ts";
import type { Traffic } from "../../advise/traffic.ts";
import type { AdviceOptions } from "../../advise/types.ts";
import { plainText } from "../../bench/index.ts";
import { said } from "../../bench/said.ts";
import { candidates } from "../../bench/topologies/limits.ts";
import { priceDefaults } from "../../report/index.ts";
import { type Database, openDatabase } from "../database.ts";
import { checkCloud, checkRegions, checkSizes } from "../known-names.ts";
import { readFiles } from "../report/inputs.ts";
import { booksOf, type GivenPrices, readPrices } from "../report/prices/file.ts";
import { type LiveOptions, loadLivePrices } from "../report/prices/load.ts";
import type { ProgressStream } from "../terminal/progress-board.ts";
import { usageOf } from "../usage.ts";
import { UsageError } from "../usage-error.ts";
import { readReduced } from "./aggregates.ts";
import { analyse } from "./analyse.ts";
import { type AdviseArguments, parseAdviseArguments } from "./arguments.ts";
import { readCounters } from "./counters.ts";
import { findFiles, type LogFile } from "./files.ts";
import { loadRanges } from "./inputs.ts";
import { adviceJson, assertNewStack, type Written, writeAdvice, writeStack } from "./output.ts";
import { AdviceProgress } from "./progress.ts";
import { readLogs } from "./read.ts";
import { reductionText } from "./reduce.ts";

const EXIT = { ok: 0, unusable: 1, usage: 2, interrupted: 130 } as const;

/** The process that the command runs in. */
export interface AdviseIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressStream;
  /** Base directory of relative paths. */
  readonly directory: string;
  /** Directory of the stack files. */
  readonly stackFiles: string;
  readonly signal: AbortSignal;
  readonly now: Date;
  /** @default the clouds' own price services */
  readonly live?: LiveOptions;
}

/** @returns the exit status */
export async function adviseCommand(argv: readonly string[], io: AdviseIo): Promise<number> {
  try {
    return await run(parseAdviseArguments(argv), io);
  } catch (error) {
    if (io.signal.aborted) {
      io.stderr.write("npm run advise: interrupted; nothing was written\n");
      return EXIT.interrupted;
    }
    io.stderr.write(`npm run advise: ${(error as Error).message}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.unusable;
  }
}

async function run(args: AdviseArguments, io: AdviseIo): Promise<number> {
  if (args.help) {
    io.stdout.write(usageOf("advise"));
    return EXIT.ok;
  }
  if (args.sql !== undefined) {
    io.stdout.write(reductionText(args, args.sql, io.directory));
    return EXIT.ok;
  }
  const prices = readPrices(args.prices, io.directory, args.natTerm);
  checkNames(args, prices);
  // Results are read before the logs, which may take an hour.
  const results = resultsOf(args, io);
  const newStack = args.writeStack === undefined ? null : assertNewStack(args.writeStack, io.stackFiles);
  const { traffic, rangesFrom } = await trafficOf(args, io);
  const make = await maker(args, io, { ranges: rangesFrom, prices, results }, traffic);
  const advice = make(traffic);
  const masked = make(maskTraffic(traffic));
  const written = writeAdvice({ advice, masked, mask: args.mask }, args.out, io.directory);
  const stack = newStack === null ? null : writeStack(advice, newStack, io.stackFiles);
  if (args.json) {
    io.stdout.write(adviceJson(args.mask === true ? masked : advice));
  } else {
    print(args.mask === true ? masked : advice, written, stack, io);
  }
  return traffic.logs.unusable.length > 0 ? EXIT.unusable : EXIT.ok;
}

/** Checks regions and sizes, unless live prices are used: then the price services know better. @throws {UsageError} */
function checkNames({ region, natSize }: AdviseArguments, { live, own }: GivenPrices): void {
  if (!live) {
    checkRegions([{ option: "--region", names: region === undefined ? [] : [region] }], own);
    checkSizes([{ option: "--nat-size", names: natSize === undefined ? [] : [natSize] }], own);
  }
}

async function trafficOf(
  args: AdviseArguments,
  io: AdviseIo,
): Promise<{ traffic: Traffic; rangesFrom: string }> {
  const found = await findFiles(args.paths, io.directory, args.read);
  const progress = new AdviceProgress(io.stderr, found.files, () => performance.now() / 1000);
  const database = await openDatabase();
  const interrupt = () => database.interrupt();
  io.signal.addEventListener("abort", interrupt);
  try {
    const read = await readers[args.read](args, io, database, found.files, progress);
    if (found.skipped.length > 0) {
      io.stderr.write(`${plainText(skippedText(found.skipped))}\n`);
    }
    for (const duplicate of found.duplicates) {
      io.stderr.write(`${duplicate}\n`);
    }
    return read;
  } finally {
    progress.stop();
    io.signal.removeEventListener("abort", interrupt);
    database.close();
  }
}

type Reader = (
  args: AdviseArguments,
  io: AdviseIo,
  database: Database,
  files: readonly LogFile[],
  progress: AdviceProgress,
) => Promise<{ traffic: Traffic; rangesFrom: string }>;

const readers: Readonly<Record<AdviseArguments["read"], Reader>> = {
  "--flow-logs": readFlows,
  "--metrics": async (_args, io, database, files) => ({
    traffic: await readCounters(database, files, io.signal),
    rangesFrom: "none",
  }),
  "--aggregates": async (args, io, database, files) => {
    const ranges = loadRanges(args.ranges, "aws", io.directory);
    return { traffic: await readReduced(database, files, ranges), rangesFrom: ranges.source };
  },
};

async function readFlows(...[args, io, database, files, progress]: Parameters<Reader>) {
  const read = await readLogs(database, files, {
    fields: args.fields,
    progress: (file, bytes) => progress.file(file, bytes),
    signal: io.signal,
  });
  const ranges = loadRanges(args.ranges, read.cloud, io.directory);
  const traffic = await analyse(database, read, {
    ranges,
    nats: args.nats,
    progress: (step) => {
      io.signal.throwIfAborted();
      progress.step(step);
    },
  });
  return { traffic, rangesFrom: ranges.source };
}

/** Most entries that are named; further ones are counted. */
const NAMED = 5;

function skippedText(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${names.length} skipped, not a readable file or directory, or a broken link: ${names.slice(0, NAMED).join(", ")}${more}`;
}

/** Results of egress-bench. @throws {FormatError} naming the file */
function resultsOf(args: AdviseArguments, io: AdviseIo): Sources["results"] {
  const { inputs, problems } = readFiles(args.results, io.directory);
  if (problems.length > 0) {
    throw new FormatError(`--results: ${problems.join("; ")}`);
  }
  return inputs.map((input) => input.results);
}

/** The inputs of advice besides traffic. */
interface Sources {
  readonly ranges: string;
  readonly prices: GivenPrices;
  readonly results: AdviceOptions["results"];
}

/** A function from traffic to advice, used for plain and masked traffic alike. @throws {UsageError} */
async function maker(
  args: AdviseArguments,
  io: AdviseIo,
  { ranges, prices, results }: Sources,
  traffic: Traffic,
) {
  const { cloud } = traffic;
  const own: readonly string[] = candidates[cloud];
  if (!own.includes(args.now)) {
    throw new UsageError(`--now: expected ${own.join(", ")} for ${cloud}; got "${args.now}"`);
  }
  if (prices.own.length > 0 && prices.own.every((book) => book.cloud !== cloud)) {
    throw new UsageError(`--prices: expected a price list of ${cloud}; got one of ${prices.own[0]?.cloud}`);
  }
  if (!prices.live) {
    checkCloud(cloud, args.region, args.natSize);
  }
  const options: AdviceOptions = {
    now: args.now,
    ...regionOf(args, traffic),
    book: booksOf(prices)[cloud],
    results,
    natSize: args.natSize,
    ranges,
    madeAt: io.now.toISOString(),
  };
  const priced = prices.live ? await withLivePrices(options, traffic, io) : options;
  return (seen: Traffic): Advice => advise(seen, priced);
}

function regionOf(
  { region }: AdviseArguments,
  traffic: Traffic,
): Pick<AdviceOptions, "region" | "regionFrom"> {
  return region !== undefined
    ? { region, regionFrom: "option" }
    : traffic.region !== null
      ? { region: traffic.region, regionFrom: "log" }
      : { region: priceDefaults[traffic.cloud].region, regionFrom: "assumed" };
}

/** The same with live prices, for the machines in the advice at the shipped prices. */
async function withLivePrices(
  options: AdviceOptions,
  traffic: Traffic,
  io: AdviseIo,
): Promise<AdviceOptions> {
  const { region, options: ways } = advise(traffic, options);
  const natSizes = ways.flatMap(({ need }) => need.size ?? []);
  const { book, problems } = await loadLivePrices(
    { cloud: traffic.cloud, regions: [region], natSizes },
    io.live,
  );
  for (const problem of problems) {
    io.stderr.write(`npm run advise: ${problem}\n`);
  }
  return { ...options, book, priceProblems: problems };
}

function print(
  advice: Advice,
  written: Written,
  stack: readonly string[] | null,
  { stdout }: AdviseIo,
): void {
  const { recommendation, warnings, notes } = advice;
  const lines = said(
    recommendation.sentence,
    ...warnings.map((warning) => `  Warning: ${warning}`),
    ...recommendation.reasons.map((reason) => `  - ${reason}`),
    recommendation.worthMeasuring !== null &&
      `  - ${recommendation.worthMeasuring.name} might be cheaper: measure it (--write-stack NAME).`,
    ...notes.map((note) => `  Note: ${note}`),
    `Advice: ${Object.values(written).join(", ")}`,
    stack !== null && `Stack: ${stack.join(", ")}`,
  );
  stdout.write(`${lines.map(plainText).join("\n")}\n`);
}
