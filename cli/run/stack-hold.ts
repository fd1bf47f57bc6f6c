/** Locks a stack of this checkout for one command. */
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { linkNew } from "../../components/shared/files.ts";
import { processIdentity } from "./processes.ts";
import { jsonIn } from "./result-files.ts";

/** A stack that another command uses. Nothing was changed. */
export class StackBusyError extends Error {
  override readonly name = "StackBusyError";
}

interface Holder {
  readonly pid: number;
  readonly identity: string;
  /** Command line as typed. */
  readonly command: string;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * Locks a stack until the returned function is called or the process ends in any way. That function never throws: a
 * record that cannot be removed belongs to an ended process.
 *
 * @param file The record, in an existing directory.
 * @throws {StackBusyError} naming the holder's command and process
 */
export function holdStack(file: string, stack: string, command: string): () => void {
  const { pid } = process;
  const own: Holder = { pid, identity: `${processIdentity(pid)}`, command, since: new Date().toISOString() };
  const temporary = `${file}.${pid}`;
  try {
    writeFileSync(temporary, JSON.stringify(own));
    while (!linkNew(temporary, file)) {
      const other = jsonIn(file) as Holder | undefined;
      if (other !== undefined && processIdentity(other.pid) === other.identity) {
        throw new StackBusyError(
          `stack ${stack}: \`${other.command}\` (process ${other.pid}) has been at work on it since ${other.since}; wait until it ends, or end it with Ctrl-C or \`kill -INT ${other.pid}\``,
        );
      }
      discard(file, JSON.stringify(other), `${temporary}.stale`);
    }
  } finally {
    removeIfPossible(temporary);
  }
  return () => removeIfPossible(file);
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true, recursive: true });
  } catch {
    // E.g. a file system that became read-only.
  }
}

/** Removes the record of a process that is gone, unless another has just replaced it. */
function discard(file: string, expected: string | undefined, aside: string): void {
  try {
    renameSync(file, aside);
  } catch {
    return; // Another process was quicker.
  }
  const found = jsonIn(aside);
  if (found !== undefined && JSON.stringify(found) !== expected) {
    linkNew(aside, file);
  }
  removeIfPossible(aside);
}
