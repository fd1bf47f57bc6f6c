/**
 * The history's files: one Parquet file per stored run, never changed. Two stores are merged by copying their files together, in
 * git or a bucket.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { plainText, type Results } from "../../bench/index.ts";
import { assertRegular, linkNew, makeTemporary, reasonOf } from "../../components/shared/files.ts";
import { HISTORY_VERSION, rowsOf } from "../../packages/history/src/rows.ts";
import type { RunFigure } from "../../packages/history/src/series.ts";
import {
  numberedRuns,
  runTables,
  type sharedTexts,
  textsOf,
  versionSql,
  writeSql,
} from "../../packages/history/src/sql.ts";
import { type Database, MOST_MEMORY_MB, openDatabase, type Row } from "../database.ts";
import { makeDirectory } from "../terminal/result-files.ts";
import { UsageError } from "../usage-error.ts";
import { isBucket, openBucket, RUN_FILE, runFile } from "./bucket.ts";

export interface Stored {
  readonly file: string;
  readonly rows: number;
  readonly isNew: boolean;
}

/** `2 runs stored in history/, 1 was there already`. */
export function storedLine(stored: readonly Stored[], directory: string): string {
  const fresh = stored.filter(({ isNew }) => isNew).length;
  const empty = stored.filter(({ rows }) => rows === 0).length;
  const known = stored.length - fresh - empty;
  return [
    `${fresh} ${fresh === 1 ? "run" : "runs"} stored in ${directory}`,
    ...(known === 0 ? [] : [`${known} ${known === 1 ? "was" : "were"} there already`]),
    ...(empty === 0 ? [] : [`${empty} measured nothing`]),
  ].join(", ");
}

/**
 * Stores runs. A run that is already stored is skipped; one that has more rows than before gets another file, and
 * readers use each measurement once.
 *
 * @param store A directory, or `s3://BUCKET/PREFIX`.
 * @param commit The measured commit. @default GITHUB_SHA, which CI sets
 * @throws when the store or a file cannot be written
 */
export async function storeRuns(
  runs: readonly Results[],
  store: string,
  commit: string | null = process.env.GITHUB_SHA ?? null,
): Promise<Stored[]> {
  if (!isBucket(store)) {
    return await storeIn(store, runs, commit);
  }
  const bucket = await openBucket(store);
  try {
    const stored = await storeIn(bucket.mirror, runs, commit);
    const whole = stored.filter(({ rows }) => rows > 0);
    const isNew = await bucket.push(whole.map(({ file }) => relative(bucket.mirror, file)));
    return stored.map((one) => ({ ...one, isNew: isNew[whole.indexOf(one)] ?? false }));
  } finally {
    bucket.close();
  }
}

async function storeIn(
  directory: string,
  runs: readonly Results[],
  commit: string | null,
): Promise<Stored[]> {
  const database = await openDatabase();
  try {
    const stored: Stored[] = [];
    for (const results of runs) {
      stored.push(
        await storeRun(results, directory, commit, database).catch((error: Error) => {
          throw new Error(`--store: ${directory} could not be written: ${reasonOf(error)}`);
        }),
      );
    }
    return stored;
  } finally {
    database.close();
  }
}

async function storeRun(
  results: Results,
  directory: string,
  commit: string | null,
  database: Database,
): Promise<Stored> {
  const rows = rowsOf(results, commit);
  const lines = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const file = join(directory, runFile(results, rows.length, lines));
  makeDirectory(dirname(file));
  if (rows.length === 0 || readdirSync(dirname(file)).includes(basename(file))) {
    return { file, rows: rows.length, isNew: false };
  }
  const work = makeTemporary("egress-bench-history-");
  // Next to the file, so that the final link stays on one file system.
  const part = `${file}.${basename(work)}.part`;
  try {
    writeFileSync(join(work, "rows"), lines);
    await database.run(writeSql(join(work, "rows"), part));
    return { file, rows: rows.length, isNew: linkNew(part, file) };
  } finally {
    rmSync(part, { force: true });
    rmSync(work, { recursive: true, force: true });
  }
}

/** Names of the runs' files. @throws for pipes and the like, on which reading would hang */
function filesOf(directory: string): string[] {
  const found = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) =>
    RUN_FILE.test(name),
  );
  for (const name of found) {
    refuseWith(join(directory, name), () => assertRegular(join(directory, name)));
  }
  return found;
}

function refuseWith<T>(file: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new Error(`--store: ${file}: ${reasonOf(error)}; restore it, or remove it`);
  }
}

/**
 * Every figure of every stored run.
 *
 * @param store A directory, or `s3://BUCKET/PREFIX`.
 * @throws where the store does not exist or is empty, and for files of another version
 */
export async function readRuns(store: string): Promise<RunFigure[]> {
  if (!isBucket(store)) {
    if (!existsSync(store)) {
      throw new Error(`--store: there is no directory ${store}; npm run report -- --store ${store} makes it`);
    }
    return await readIn(store, store);
  }
  const bucket = await openBucket(store);
  try {
    await bucket.pull();
    return await readIn(bucket.mirror, store);
  } finally {
    bucket.close();
  }
}

async function readIn(directory: string, store: string): Promise<RunFigure[]> {
  const names = refuseWith(directory, () => filesOf(directory));
  if (names.length === 0) {
    throw new Error(`${store} holds no runs; store some first: npm run report -- --store ${store}`);
  }
  const database = await openDatabase(MOST_MEMORY_MB);
  try {
    // The engine reads `*` and `[` in a directory's name as patterns, and `key=value` as a column.
    const root = database.literalPath(resolve(directory));
    const files = names.map((name) => join(root, name));
    const [found] = await answerOf(files, names, (some) => database.rows(versionSql(some)));
    const version = Number(found?.newest);
    if (version > HISTORY_VERSION) {
      throw new Error(
        `${store}: expected rows of version ${HISTORY_VERSION}; got version ${version}, of a later release: update egress-bench`,
      );
    }
    return await answerOf(files, names, (some) => figuresOf(database, some));
  } finally {
    database.close();
  }
}

async function figuresOf(database: Database, files: readonly string[]): Promise<RunFigure[]> {
  for (const statement of runTables(files)) {
    await database.run(statement);
  }
  const texts = async (table: keyof typeof sharedTexts) =>
    (await database.rows(textsOf(table))).map(withPlainTexts);
  const [ofSeries, facts, ofRun] = [await texts("series"), await texts("circumstances"), await texts("run")];
  const { series = [], circumstances = [], run = [], ...numbers } = await database.columns(numberedRuns);
  const { n = [], absent = [], pilot = [], mean = [], median = [], stddev = [] } = numbers;
  return series.map(
    (number, row) =>
      ({
        ...{ ...ofSeries[Number(number)], ...facts[Number(circumstances[row])], ...ofRun[Number(run[row])] },
        ...{ n: n[row], absent: absent[row], pilot: pilot[row] },
        ...{ mean: mean[row], median: median[row], stddev: stddev[row] },
      }) as unknown as RunFigure,
  );
}

/** Makes texts plain: anybody who shares a store may have written its files. */
function withPlainTexts(row: Row): Row {
  const plain = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "string" ? plainText(value) : value,
  ]);
  return Object.fromEntries(plain);
}

const lack =
  /^(?:Out of Memory|FATAL) Error: .*|^(?:IO|TransactionContext) Error: .*(?:no space left|too large|denied|not permitted|input\/output|too many open|quota).*/i;

/** @throws where an error is about the system, such as room or a permission, rather than a file's content */
function refuseLack(error: unknown): void {
  const [reason] = lack.exec((error as Error).message) ?? [];
  if (reason !== undefined) throw new Error(`the runs cannot be read now: ${reason}`);
}

/** The result of a query over all files. @throws naming a file that is no run, or what is lacking */
async function answerOf<T>(
  files: readonly string[],
  names: readonly string[],
  ask: (files: readonly string[]) => Promise<T>,
): Promise<T> {
  try {
    return await ask(files);
  } catch (error) {
    refuseLack(error);
    for (const [index, file] of files.entries()) {
      await ask([file]).catch((own) => {
        refuseLack(own);
        throw new Error(`${names[index]} is not a stored run; restore it from a copy, or remove it`);
      });
    }
    throw error;
  }
}

/** A store as named: a bucket's address unchanged, a directory relative to the person's. */
export function storeAt(store: string, from: string): string {
  return isBucket(store) ? store : resolve(from, store);
}

/**
 * Makes sure, before anything is measured, that runs can be stored. A bucket is only listed: missing write permission
 * shows when a run is stored.
 *
 * @param store A directory, or `s3://BUCKET/PREFIX`.
 * @throws {UsageError} naming `--store` and the reason
 */
export async function assertStore(store: string): Promise<void> {
  if (isBucket(store)) {
    (await openBucket(store)).close();
  } else {
    assertDirectory(store);
  }
}

function assertDirectory(directory: string): void {
  try {
    makeDirectory(directory);
    rmSync(mkdtempSync(join(directory, ".egress-bench-")), { recursive: true });
  } catch (error) {
    throw new UsageError(`--store: ${directory} cannot be written: ${reasonOf(error)}; choose another place`);
  }
}
