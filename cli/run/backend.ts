/**
 * Facts that only a local backend's directory holds: a stack's locks, its state file, its room on disk.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, renameSync, statfsSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { basename, join } from "node:path";
import { programOf } from "./processes.ts";
import { StackBusyError } from "./stack-hold.ts";

/** Bytes of room for a state: of a large stack it takes some, its backup and its history as many again. */
const LEAST_FREE_BYTES = 64 * 2 ** 20;

/**
 * Makes sure that a state can be written: Pulumi cuts it short where the disk is full. A backend that is no directory
 * looks after itself.
 *
 * @param freeBytes Bytes free where a directory is.
 * @throws {Error} naming the directory, what is free and what to do
 */
export function assertRoom(
  backendUrl: string | undefined,
  freeBytes: (directory: string) => number = freeBytesOf,
): void {
  const directory = directoryOf(backendUrl);
  if (directory === null || !existsSync(directory)) {
    return;
  }
  const free = freeBytes(directory);
  if (free < LEAST_FREE_BYTES) {
    const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
    throw new Error(
      `${directory}: expected ${megabytes(LEAST_FREE_BYTES)} free for the state, got ${megabytes(free)}: Pulumi would cut it short; make room and try again, nothing was changed`,
    );
  }
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
 * Whether a stack has locks, all of processes that are gone: a killed engine leaves its own.
 *
 * @throws {StackBusyError} where one is of a process that lives, or of another machine
 */
export function hasDeadLock(backendUrl: string | undefined, project: string, stack: string): boolean {
  const directory = directoryOf(backendUrl);
  if (directory === null) {
    return false; // Pulumi's own message names the lock.
  }
  const files = jsonFilesIn(join(directory, "locks", "organization", project, stack));
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

function jsonFilesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".json"))
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
  const file = join(directory ?? "", "stacks", project, `${stack}.json`);
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
