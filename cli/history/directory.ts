/** The directory of the stored runs, checked before there is anything to store. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../components/shared/files.ts";
import { makeDirectory } from "../run/result-files.ts";
import { UsageError } from "../usage-error.ts";

/**
 * Makes sure, before anything is measured or made, that runs can be kept in a directory.
 *
 * @throws {UsageError} naming `--store` and why not
 */
export function assertStore(directory: string): void {
  try {
    makeDirectory(directory);
    rmSync(mkdtempSync(join(directory, ".egress-bench-")), { recursive: true });
  } catch (error) {
    throw new UsageError(`--store: ${directory} cannot be written: ${reasonOf(error)}; choose another place`);
  }
}
