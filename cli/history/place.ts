/** Checks the store before there is anything to store. */
import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { reasonOf } from "../../components/shared/files.ts";
import { makeDirectory } from "../run/result-files.ts";
import { UsageError } from "../usage-error.ts";
import { isBucket, openBucket } from "./bucket.ts";

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
