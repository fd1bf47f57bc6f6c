/** Reads the files of one kind into traffic: flow logs, counters of a metric, or a reduced log. */

import { plainText } from "../../../bench/index.ts";
import { type Database, openDatabase } from "../../../cli/database.ts";
import { readJson } from "../../../cli/report/prices/file.ts";
import type { PricedCloud } from "../../../report/index.ts";
import { shippedRanges } from "../src/ranges/shipped.ts";
import { type Ranges, readRanges } from "../src/ranges.ts";
import type { Traffic } from "../src/traffic.ts";
import { typedTraffic } from "../src/usage/typed.ts";
import { readReduced } from "./aggregates.ts";
import { analyse } from "./analyse.ts";
import type { AdviseArguments, AdviseIo } from "./arguments.ts";
import { kindOf, kindOfOne } from "./file-kind.ts";
import { findFiles, type LogFile } from "./files.ts";
import { AdviceProgress } from "./progress.ts";
import { readLogs } from "./read.ts";
import { readUsage } from "./usage.ts";

interface ReadTraffic {
  /** One for each place: an account and region. */
  readonly traffics: readonly Traffic[];
  /** The address ranges by which services were told apart. */
  readonly rangesFrom: string;
}

export async function readTraffic(args: AdviseArguments, io: AdviseIo): Promise<ReadTraffic> {
  if (args.typed !== undefined) {
    return { traffics: [typedTraffic(args.typed, io.now)], rangesFrom: "none" };
  }
  const found = await findFiles(args.paths, io.directory, (path) => kindOfOne(path) !== null);
  const kind = kindOf(found.files);
  const read =
    kind === "usage"
      ? { traffics: await readUsage(found.files, args.periodSeconds, io.signal), rangesFrom: "none" }
      : kind === "aggregates"
        ? await readAggregates(args, io, found.files)
        : await readByEngine(args, io, found.files);
  if (found.skipped.length > 0) {
    io.stderr.write(`${plainText(skippedText(found.skipped))}\n`);
  }
  for (const duplicate of found.duplicates) {
    io.stderr.write(`${duplicate}\n`);
  }
  return read;
}

async function readAggregates(
  { ranges: file }: AdviseArguments,
  { directory }: AdviseIo,
  files: readonly LogFile[],
): Promise<ReadTraffic> {
  const ranges = loadRanges(file, "aws", directory);
  return { traffics: await readReduced(files, ranges), rangesFrom: ranges.source };
}

/** Flow logs need the database engine. */
async function readByEngine(
  args: AdviseArguments,
  io: AdviseIo,
  files: readonly LogFile[],
): Promise<ReadTraffic> {
  const progress = new AdviceProgress(io.stderr, files, () => performance.now() / 1000);
  const database = await openDatabase();
  const interrupt = () => database.interrupt();
  io.signal.addEventListener("abort", interrupt);
  try {
    return await readFlows(args, io, database, files, progress);
  } finally {
    progress.stop();
    io.signal.removeEventListener("abort", interrupt);
    database.close();
  }
}

async function readFlows(
  args: AdviseArguments,
  io: AdviseIo,
  database: Database,
  files: readonly LogFile[],
  progress: AdviceProgress,
): Promise<ReadTraffic> {
  const read = await readLogs(database, files, {
    fields: args.fields,
    progress: (file, bytes) => progress.file(file, bytes),
    signal: io.signal,
  });
  const ranges = loadRanges(args.ranges, read.cloud, io.directory);
  const traffics = await analyse(database, read, {
    ranges,
    nats: args.nats,
    progress: (step) => {
      io.signal.throwIfAborted();
      progress.step(step);
    },
  });
  return { traffics, rangesFrom: ranges.source };
}

/** Most entries that are named; further ones are counted. */
const NAMED = 5;

function skippedText(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
  return `${names.length} skipped, not a readable file or directory, or a broken link: ${names.slice(0, NAMED).join(", ")}${more}`;
}

/** Ranges from a file, or the shipped ones. @throws {UsageError} naming the file */
function loadRanges(file: string | undefined, cloud: PricedCloud, directory: string): Ranges {
  return file === undefined ? shippedRanges(cloud) : readRanges(readJson("--ranges", file, directory), file);
}
