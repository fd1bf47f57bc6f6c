/** Files of a run's results: whole ones, and next to them a broken run's partial ones. */
import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Results } from "../../bench/index.ts";
import { assertRegular, lastingTemporary, reasonOf } from "../../components/shared/files.ts";
import { UsageError } from "../usage-error.ts";

/** Set by the commands, which write results themselves to the given place. */
export const OWN_RESULTS = "EGRESS_BENCH_WRITES_RESULTS";

/** Suffix of partial results of a broken run. */
export const PARTIAL = ".partial.json";

/** File of a broken run's partial results, next to the whole results. */
function partialFile(file: string): string {
  return file.replace(/(\.json)?$/, PARTIAL);
}

/**
 * Makes a directory and those above it. Node's own `recursive` tries without end where a file system such as /proc
 * denies that a path exists.
 */
export function makeDirectory(directory: string): void {
  if (!isThere(directory)) {
    if (dirname(directory) !== directory) {
      makeDirectory(dirname(directory));
    }
    mkdirSync(directory);
  }
}

/** Whether a path exists. @throws {Error} where that cannot be known, such as for links in a circle */
const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** The content of a JSON file; undefined: missing, unreadable or not JSON. */
export function jsonIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Makes sure, before anything is measured, that a file can be written. @throws {UsageError} naming `--out` and the reason */
export function assertWritable(file: string): void {
  const isNew = !existsSync(file);
  try {
    prepare(file);
    closeSync(openSync(file, "a"));
    if (isNew) {
      rmSync(file);
    }
  } catch (error) {
    throw new UsageError(whyUnwritable(file, error));
  }
}

/**
 * Writes a file below the directory of `--out`; if it cannot be written completely, the old one stays.
 *
 * @param shown Path in messages. @default `file`
 * @param mode For a confidential file. @default the old file's
 * @throws {Error} naming `--out`, the file and the reason
 */
export function writeOut(file: string, text: string, shown = file, mode?: number): void {
  try {
    prepare(file);
    if (existsSync(file)) {
      accessSync(file, constants.W_OK);
    }
    replace(file, text, mode);
  } catch (error) {
    throw new Error(whyUnwritable(shown, error));
  }
}

/**
 * Replaces a file atomically: a full disk or a kill leaves the old one. A link's target is
 * replaced, not the link.
 *
 * @returns the file that was written
 */
export function replace(file: string, text: string | Uint8Array, mode?: number): string {
  const isNew = !existsSync(file);
  const target = isNew ? file : realpathSync(file);
  // A random name, so that no existing file or link is touched.
  const beside = `${target}.${randomBytes(3).toString("hex")}.new`;
  try {
    writeFileSync(beside, text, {
      flag: "wx",
      mode: mode ?? (isNew ? undefined : statSync(target).mode & 0o777),
    });
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
  return target;
}

/** Creates the directory of a file. @throws {Error} where something other than a file is in its place */
function prepare(file: string): void {
  if (isThere(file)) {
    assertRegular(file);
  }
  makeDirectory(dirname(file));
}

function whyUnwritable(file: string, error: unknown): string {
  return `--out: ${file} cannot be written: ${reasonOf(error)}; choose another place`;
}

/**
 * Writes results atomically: a kill leaves the old ones or the new ones.
 *
 * @param isWhole Whether the run finished; only then earlier results are replaced.
 * @returns the file that was written
 */
export function writeResults(results: Results, file: string, isWhole: boolean): string {
  const target = isWhole ? file : partialFile(file);
  prepare(target);
  const written = replace(target, `${JSON.stringify(results, undefined, 2)}\n`);
  if (isWhole) {
    rmSync(partialFile(file), { force: true });
  }
  return written;
}

/**
 * Writes results to their file, else to a new temporary directory.
 *
 * @returns the file that was written, null if no disk takes it, and the errors
 */
export function writeSomewhere(
  results: Results,
  file: string,
  isWhole: boolean,
): { readonly file: string | null; readonly problems: readonly string[] } {
  try {
    return { file: writeResults(results, file, isWhole), problems: [] };
  } catch (error) {
    const problem = `${file} could not be written: ${reasonOf(error)}`;
    try {
      const elsewhere = join(lastingTemporary(), basename(file));
      return {
        file: writeResults(results, elsewhere, isWhole),
        problems: [`${problem}; the results are in ${elsewhere}: move them to where they are kept`],
      };
    } catch {
      return {
        file: null,
        problems: [`${problem}; the stack's state alone has the results: make room, then use --resume`],
      };
    }
  }
}
