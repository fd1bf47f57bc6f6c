/** Reads a local backend's directory: a stack's locks, its state file, its free disk space. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { jsonIn } from "../terminal/result-files.ts";

/** A stack that somebody else is changing. Nothing was changed. */
export class StackBusyError extends Error {
  override readonly name = "StackBusyError";
}

/** Free space for an update: a large stack's state, its backup and its history. */
const UPDATE_BYTES = 64 * 2 ** 20;
/** Free space for a destroy, which only shrinks the state: Pulumi writes the state, backup and history, next to locks and a log. */
const DESTROY = { copiesOfState: 4, ownBytes: 2 ** 20 };

interface StackChange {
  readonly backendUrl: string | undefined;
  readonly project: string;
  readonly stack: string;
  readonly down: boolean;
}

/**
 * Makes sure that a state can be written: Pulumi truncates it on a full disk. A destroy needs space in proportion to this
 * stack's state; a stack without resources and a backend that is no directory need none.
 *
 * @param freeBytes Free bytes of a directory's disk.
 * @throws {Error} naming the directory, the free space and the remedy
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

/** Contents of a stack's state; `unknown`: unreadable, or the backend is no directory. */
type Contents = "no stack" | "no resources" | "resources" | "unknown";

/** Reads the contents of a stack's state without Pulumi. */
export function contentsOf(backendUrl: string | undefined, project: string, stack: string): Contents {
  const directory = directoryOf(backendUrl);
  // Pulumi makes the last part of its path with the first stack.
  if (directory === null || !existsSync(dirname(directory))) {
    return "unknown";
  }
  const file = stateFile(directory, project, stack);
  if (!existsSync(file)) {
    return existsSync(`${file}.gz`) ? "unknown" : "no stack";
  }
  const { checkpoint } = (jsonIn(file) ?? {}) as { readonly checkpoint?: Checkpoint };
  const has = (key: keyof Lists) => (checkpoint?.latest?.[key] ?? []).length > 0;
  return checkpoint === undefined
    ? "unknown"
    : has("resources") || has("pending_operations")
      ? "resources"
      : "no resources";
}

type Lists = Readonly<Partial<Record<"resources" | "pending_operations", readonly unknown[]>>>;
type Checkpoint = { readonly latest?: Lists | null };

function stateFile(directory: string, project: string, stack: string): string {
  return join(directory, "stacks", project, `${stack}.json`);
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}

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
 * Whether a stack has locks and all belong to processes that are gone: a killed engine leaves its own. Removed are incomplete
 * locks, e.g. from a full disk, with which Pulumi refuses to work, and those of a stack that is gone, which it cannot cancel.
 *
 * @throws {StackBusyError} for the lock of a living process, or of another machine
 */
export function hasDeadLock(backendUrl: string | undefined, project: string, stack: string): boolean {
  const directory = directoryOf(backendUrl);
  if (directory === null) {
    return false; // Pulumi's own message names the lock.
  }
  const locksDirectory = join(directory, "locks", "organization", project, stack);
  const removeAll = (files: readonly string[]) => files.forEach((file) => void rmSync(file, { force: true }));
  removeAll(filesIn(locksDirectory, ".tmp"));
  const files = filesIn(locksDirectory, ".json");
  const locks = files.flatMap((file) => (jsonIn(file) as EngineLock | undefined) ?? []);
  const live = locks.find((lock) => lock.hostname !== hostname() || isPulumi(lock.pid));
  if (live !== undefined) {
    const { pid, username, hostname: host, timestamp } = live;
    const stop = host === hostname() ? `wait until it ends, or end it with \`kill -INT ${pid}\`` : "wait";
    throw new StackBusyError(
      `stack ${stack}: pulumi (process ${pid} of ${username} on ${host}) has been using it since ${timestamp}; ${stop}`,
    );
  }
  const isGone = contentsOf(backendUrl, project, stack) === "no stack";
  // One that cannot be read may be another account's, at work.
  const isEmpty = (file: string) => statSync(file, { throwIfNoEntry: false })?.size === 0;
  removeAll(files.filter((file) => isEmpty(file) || (isGone && jsonIn(file) !== undefined)));
  return !isGone && locks.length > 0;
}

function isPulumi(pid: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "comm=", "-p", String(pid)], { encoding: "utf8" });
  return basename(stdout?.trim() ?? "").startsWith("pulumi");
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

export interface BrokenState {
  readonly file: string;
  /** Pulumi's backup of the previous step; null: none that can be read. */
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
  if (directory === null || !existsSync(file) || jsonIn(file) !== undefined) {
    return null;
  }
  return { file, backup: jsonIn(`${file}.bak`) !== undefined ? `${file}.bak` : null };
}

/** Moves the broken state aside, and its backup into its place. @returns its new path */
export function putAside({ file, backup }: BrokenState): string {
  const aside = `${file}.broken-${Date.now()}`;
  renameSync(file, aside);
  if (backup !== null) {
    renameSync(backup, file);
  }
  return aside;
}
