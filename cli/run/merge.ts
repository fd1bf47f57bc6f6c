/** Reads cells' results from files, and merges those of several shards. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Results, resultsSchema } from "../../bench/results/index.ts";
import { counted } from "../../report/text/format.ts";
import type { ProgressBoard } from "../terminal/progress-board.ts";
import { jsonIn, writeResults } from "../terminal/result-files.ts";
import { UsageError } from "../usage-error.ts";
import type { MatrixPlan } from "./plan-cells.ts";

/** Whole results of a cell; null: missing or unreadable. */
export function readCell(file: string, name: string): Results | null {
  const { data: read } = resultsSchema.safeParse(jsonIn(file));
  return read?.stack === name && read.matrixCell !== null ? read : null;
}

/**
 * Copies whole results of the matrix's cells from shards' directories and their subdirectories into one. If a cell has several,
 * the latest is used.
 *
 * @throws {UsageError} for a missing directory
 */
export function mergeInto(
  directories: readonly string[],
  out: string,
  plan: MatrixPlan,
  board: ProgressBoard,
): void {
  const latest = new Map<string, Results>();
  const names = new Set(plan.all.map(({ name }) => name));
  for (const file of directories.flatMap(filesIn)) {
    const name = file.replace(/^.*[\\/]/, "").replace(/\.json$/, "");
    const results = names.has(name) ? readCell(file, name) : null;
    const other = latest.get(name);
    if (results !== null && (other === undefined || (results.startedAt ?? "") > (other.startedAt ?? ""))) {
      latest.set(name, results);
    }
  }
  for (const [name, results] of latest) {
    writeResults(results, join(out, `${name}.json`), true);
  }
  board.line(`Merged: ${counted(latest.size, "cell")} from ${directories.join(", ")}`);
}

function filesIn(directory: string): string[] {
  if (!existsSync(directory)) {
    throw new UsageError(`--merge: there is no directory ${directory}`);
  }
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(directory, name));
}
