/** Facts that only a local backend's directory holds: a stack's locks, its state file, its room on disk. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { basename, join } from "node:path";
import { programOf } from "./processes.ts";
import { StackBusyError } from "./stack-hold.ts";

/** Room for an update: a large stack's state takes some of it, the state's backup and history as much again. */
const UPDATE_BYTES = 64 * 2 ** 20;
/** A destroy only shrinks the state: Pulumi writes that, its backup and its history, beside locks and a log. */
const DESTROY = { copiesOfState: 4, ownBytes: 2 ** 20 };

/** A stack that is about to change. */
interface StackChange {
  readonly backendUrl: string | undefined;
  readonly project: string;
  readonly stack: string;
  /** Whether it destroys and no more. */
  readonly down: boolean;
}

/**
 * Makes sure that a state can be written: Pulumi cuts it short where the disk is full. A destroy asks for the room that this
 * stack's state needs; a stack without resources and a backend that is no directory ask for none.
 *
 * @param freeBytes Bytes free where a directory is.
 * @throws {Error} naming the directory, what is free and what to do
 */
export function assertRoom(
  { backendUrl, project, stack, down }: StackChange,
  freeBytes: (directory: string) => number = freeBytesOf,
): void {
  const directory = directoryOf(backendUrl);
  const contents = contentsOf(backendUrl, project, stack);
  if (directory === null || !existsSync(directory) || (down && contents.startsWith("no "))) {
    return;
  }
  const state = statSync(stateFile(directory, project, stack), { throwIfNoEntry: false })?.size ?? 0;
  const needed = down ? DESTROY.copiesOfState * state + DESTROY.ownBytes : UPDATE_BYTES;
  const free = freeBytes(directory);
  if (free < needed) {
    const [wanted, got] = [Math.ceil(needed / 2 ** 20), Math.floor(free / 2 ** 20)];
    throw new Error(
      `${directory}: expected ${wanted} MB free for the state, got ${got} MB: Pulumi would cut it short; make room and try again, nothing was changed`,
    );
  }
}

/** Contents of a stack's state; `unknown`: it cannot be read, or the backend is no directory. */
type Contents = "no stack" | "no resources" | "resources" | "unknown";

/** Contents of a stack's state, without Pulumi. */
export function contentsOf(backendUrl: string | undefined, project: string, stack: string): Contents {
  const directory = directoryOf(backendUrl);
  if (directory === null || !existsSync(directory)) {
    return "unknown";
  }
  const file = stateFile(directory, project, stack);
  if (!existsSync(file)) {
    return existsSync(`${file}.gz`) ? "unknown" : "no stack";
  }
  try {
    const latest = JSON.parse(readFileSync(file, "utf8")).checkpoint.latest;
    const has = (key: string) => (latest?.[key] ?? []).length > 0;
    return has("resources") || has("pending_operations") ? "resources" : "no resources";
  } catch {
    return "unknown";
  }
}

function stateFile(directory: string, project: string, stack: string): string {
  return join(directory, "stacks", project, `${stack}.json`);
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

/** A lock as Pulumi writes it. */
interface EngineLock {
  readonly pid: number;
  readonly username: string;
  readonly hostname: string;
  readonly timestamp: string;
}

/** Directory of a backend's state; null: the backend is no directory. */
function directoryOf(backendUrl: string | undefined): string | null {
  const path = /^file:\/\/([^?]*)/.exec(backendUrl ?? "")?.[1];
  return path === undefined ? null : join(path.replace(/^~/, homedir()), ".pulumi");
}

/**
 * Whether a stack has locks, all of processes that are gone: a killed engine leaves its own. Locks that Pulumi could not write
 * whole, as on a full disk, are removed: it does nothing more to a stack that has one.
 *
 * @throws {StackBusyError} where one is of a process that lives, or of another machine
 */
export function hasDeadLock(backendUrl: string | undefined, project: string, stack: string): boolean {
  const directory = directoryOf(backendUrl);
  if (directory === null) {
    return false; // Pulumi's own message names the lock.
  }
  const locksDirectory = join(directory, "locks", "organization", project, stack);
  for (const unfinished of filesIn(locksDirectory, ".tmp")) {
    rmSync(unfinished, { force: true });
  }
  const files = filesIn(locksDirectory, ".json");
  const locks = files.flatMap(readLock);
  const live = locks.find((lock) => lock.hostname !== hostname() || isPulumi(lock.pid));
  if (live !== undefined) {
    const { pid, username, hostname: host, timestamp } = live;
    const stop = host === hostname() ? `wait until it ends, or end it with \`kill -INT ${pid}\`` : "wait";
    throw new StackBusyError(
      `stack ${stack}: pulumi (process ${pid} of ${username} on ${host}) has been at work on it since ${timestamp}; ${stop}`,
    );
  }
  return files.length > 0;
}

function filesIn(directory: string, suffix: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(suffix))
      .map((name) => join(directory, name));
  } catch {
    return [];
  }
}

function readLock(file: string): EngineLock[] {
  try {
    return [JSON.parse(readFileSync(file, "utf8"))];
  } catch {
    return []; // Gone by now, or left half-written.
  }
}

function isPulumi(pid: number): boolean {
  const program = programOf(pid);
  return program !== null && basename(program).startsWith("pulumi");
}

/** A state that cannot be read. */
export interface BrokenState {
  readonly file: string;
  /** Pulumi's copy of the step before; null: none that can be read. */
  readonly backup: string | null;
}

/** @returns null: the state can be read, or is not in a directory */
export function brokenState(
  backendUrl: string | undefined,
  project: string,
  stack: string,
): BrokenState | null {
  const directory = directoryOf(backendUrl);
  const file = stateFile(directory ?? "", project, stack);
  if (directory === null || !existsSync(file) || isJson(file)) {
    return null;
  }
  return { file, backup: isJson(`${file}.bak`) ? `${file}.bak` : null };
}

/** Puts it aside, and its backup in its place where there is one. @returns where it is now */
export function putAside({ file, backup }: BrokenState): string {
  const aside = `${file}.broken-${Date.now()}`;
  renameSync(file, aside);
  if (backup !== null) {
    renameSync(backup, file);
  }
  return aside;
}

function isJson(file: string): boolean {
  try {
    JSON.parse(readFileSync(file, "utf8"));
    return true;
  } catch {
    return false;
  }
}
