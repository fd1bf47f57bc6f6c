/** Where a run's results go: whole ones to their file, what a broken run has measured beside it. */
import { randomBytes } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Results } from "../../bench/index.ts";
import { assertRegular, makeTemporary, reasonOf } from "../../components/shared/files.ts";
import { UsageError } from "../usage-error.ts";

/** Set for the program by the commands, which write results themselves, where a person says. */
export const OWN_RESULTS = "EGRESS_BENCH_WRITES_RESULTS";

/** How names of files end that hold what a broken run has measured. */
export const PARTIAL = ".partial.json";

/** File of what a broken run has measured, beside that of whole results. */
function partialFile(file: string): string {
  return file.replace(/(\.json)?$/, PARTIAL);
}

/**
 * Makes a directory and those above it. Node's own `recursive` tries without end where a file system such as /proc
 * denies that a path exists.
 */
export function makeDirectory(directory: string): void {
  if (!existsSync(directory)) {
    if (dirname(directory) !== directory) {
      makeDirectory(dirname(directory));
    }
    mkdirSync(directory);
  }
}

/** Makes sure, before anything is measured, that it can be written. @throws {UsageError} naming `--out` and why not */
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
 * Writes a file below the directory that `--out` names; where it cannot be written whole, the old one stays.
 *
 * @param shown Path as a person knows it. @default `file`
 * @param mode Of a file that holds what is its owner's business. @default that of the old file
 * @throws {Error} naming `--out`, the file and why not
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
 * Replaces a file in one piece: a full disk and a command that is killed leave the old one. The file behind a link is
 * replaced, and not the link.
 *
 * @returns the file that was written
 */
function replace(file: string, text: string, mode?: number): string {
  const isNew = !existsSync(file);
  const target = isNew ? file : realpathSync(file);
  // A name that nobody has: neither a file of somebody's own nor a link that somebody left is touched.
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

/** Makes the directory of a file to be written. @throws {Error} where something else than a file is in its place */
function prepare(file: string): void {
  if (existsSync(file)) {
    assertRegular(file);
  }
  makeDirectory(dirname(file));
}

function whyUnwritable(file: string, error: unknown): string {
  return `--out: ${file} cannot be written: ${reasonOf(error)}; choose another place`;
}

/**
 * Writes results, in one piece: a command that is killed leaves the old ones or the new ones.
 *
 * @param isWhole Whether the run came to its end; only then earlier results are replaced.
 * @returns the file that was written
 */
export function writeResults(results: Results, file: string, isWhole: boolean): string {
  const target = isWhole ? file : partialFile(file);
  makeDirectory(dirname(target));
  const written = replace(target, `${JSON.stringify(results, undefined, 2)}\n`);
  if (isWhole) {
    rmSync(partialFile(file), { force: true });
  }
  return written;
}

/**
 * Writes results to their file, else to a new directory for temporary files.
 *
 * @returns the file that was written, null where no disk takes them, and what went wrong
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
      const elsewhere = join(makeTemporary("egress-bench-"), basename(file));
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
