/**
 * Slow read-only fixtures shared by several test files: made by the first file that needs one. A global set-up of Vitest
 * gives the files of a run a common directory and removes it at the end.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    sharedDirectory: string;
  }
}

export default function setUp(project: TestProject): () => void {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-shared-"));
  project.provide("sharedDirectory", directory);
  return () => rmSync(directory, { recursive: true, force: true });
}

/**
 * @param make Fills the directory.
 * @returns the complete directory
 * @throws {Error} if it could not be made, in every file that asks
 */
export async function madeOnce(name: string, make: (directory: string) => Promise<void>): Promise<string> {
  const directory = join(inject("sharedDirectory"), name);
  const ended = `${directory}.ended`;
  if (isFirst(directory)) {
    const problem = await make(directory).then(() => "", String);
    writeFileSync(`${ended}.new`, problem);
    renameSync(`${ended}.new`, ended);
  }
  while (!existsSync(ended)) {
    await delay(200);
  }
  const problem = readFileSync(ended, "utf8");
  if (problem !== "") throw new Error(problem);
  return directory;
}

function isFirst(directory: string): boolean {
  try {
    mkdirSync(directory);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
