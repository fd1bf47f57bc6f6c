/** Locks a stack of this checkout for one command. */

import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { linkNew } from "../../components/shared/files.ts";
import { jsonIn } from "../terminal/result-files.ts";

/** A stack that another command uses. Nothing was changed. */
export class StackBusyError extends Error {
  override readonly name = "StackBusyError";
}

interface Holder {
  readonly pid: number;
  readonly identity: string;
  /** Command line as typed. */
  readonly command: string;
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
          `stack ${stack}: \`${other.command}\` (process ${other.pid}) has been using it since ${other.since}; wait until it ends, or end it with Ctrl-C or \`kill -INT ${other.pid}\``,
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

/** A process's identity, unique until the next boot; null: no such process. */
export function processIdentity(pid: number): string | null {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Fields after the name, which may contain anything: the state, and as 20th the start in ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // An ended process stays listed until its parent collects its status.
    return fields[0] === "Z" || fields[0] === "X" ? null : `${boot} ${fields[19]}`;
  } catch {
    return ask(pid, "lstart");
  }
}

/** Whether a process is an engine's. */
export function isPulumi(pid: number): boolean {
  return basename(ask(pid, "comm") ?? "").startsWith("pulumi");
}

function ask(pid: number, field: string): string | null {
  const { stdout } = spawnSync("ps", ["-o", `${field}=`, "-p", String(pid)], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  return stdout?.trim() || null;
}
