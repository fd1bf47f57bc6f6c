/** Names of the history's files within their store. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Results } from "../../bench/index.ts";

/** Paths of runs within a store; other files there are not ours. */
export const RUN_FILE = /^(\d{4}-\d{2}|undated)[\\/][0-9a-f]{16}-\d{8}-[0-9a-f]{16}\.parquet$/;

const digest = (text: string, length: number) =>
  createHash("sha256").update(text).digest("hex").slice(0, length);

/** Path of a run's file: its month, identity, number of rows, and a digest of them. Equal content has the same name. */
export function runFile({ cloud, stack, runId, startedAt }: Results, rows: number, lines: string): string {
  const run = digest(JSON.stringify([cloud, stack, runId]), 16);
  const name = `${run}-${String(rows).padStart(8, "0")}-${digest(lines, 16)}.parquet`;
  return join((startedAt ?? "undated").slice(0, 7), name);
}
