/** Reads files that a person names, makes temporary directories, and creates names exclusively. */
import { constants } from "node:buffer";
import { linkSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { getSystemErrorMap } from "node:util";

/**
 * Text of a file that a person names.
 * @throws {Error} whose message is only the reason, such as `no such file or directory`
 */
export function readNamedFile(file: string): string {
  try {
    assertRegular(file);
    // Kernel files have no size, and reading one such as /proc/kmsg would wait.
    const { size } = statSync(file);
    if (size > constants.MAX_STRING_LENGTH) {
      const megabytes = (bytes: number) => Math.floor(bytes / 1e6);
      throw new Error(
        `it has ${megabytes(size)} MB, and no more than ${megabytes(constants.MAX_STRING_LENGTH)} MB are read`,
      );
    }
    return size === 0 ? "" : readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
}

/**
 * Refuses anything but a regular file: reading a pipe waits, a device may never end, and writing would replace either.
 * @throws {Error}
 */
export function assertRegular(file: string): void {
  const found = statSync(file);
  if (!found.isFile()) {
    throw new Error(
      found.isDirectory() ? "it is a directory" : "it is a pipe, a device or a socket, and no regular file",
    );
  }
}

/** The system's text for its own error, such as `permission denied`; any other error's message. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? message;
}

/** A new temporary directory. @throws {Error} naming `TMPDIR` where the system gives no room */
export function makeTemporary(prefix: string, at = tmpdir()): string {
  try {
    return mkdtempSync(join(at, prefix));
  } catch (error) {
    throw new Error(
      `expected room for temporary files in ${at}: ${reasonOf(error)}; name a directory that can be written in TMPDIR`,
      { cause: error },
    );
  }
}

/** A temporary directory that this process deletes at its end; the next process removes one that a killed process left. */
export function ownTemporary(purpose: string): string {
  // With the host name: containers may share a temporary directory, and their process numbers overlap.
  const prefix = `egress-bench-${purpose}-${hostname()}-`;
  const directory = makeTemporary(`${prefix}${process.pid}-`);
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? /^\d+(?=-\w+$)/.exec(name.slice(prefix.length))?.[0] : undefined;
    if (pid !== undefined) removeOf(Number(pid), join(tmpdir(), name));
  }
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

let outer: string | undefined;

/** Gives this process and its children a `TMPDIR` of their own: Pulumi, its hosts and DuckDB leave files where they are killed. */
export function separateTemporary(): void {
  const before = tmpdir();
  try {
    process.env.TMPDIR = ownTemporary("run");
    outer = before;
  } catch {
    // A command that needs room says so.
  }
}

/** A new temporary directory that stays. @throws {Error} naming `TMPDIR` where the system gives no room */
export function lastingTemporary(): string {
  return makeTemporary("egress-bench-", outer);
}

/** Removes this user's directory of a process that has ended. */
function removeOf(pid: number, directory: string): void {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const found = lstatSync(directory, { throwIfNoEntry: false });
    const isOwn = found?.isDirectory() && found.uid === process.getuid?.();
    if (isOwn && (error as NodeJS.ErrnoException).code === "ESRCH") {
      rmSync(directory, { recursive: true, force: true });
    }
  }
}

/** Gives a whole file a further name, atomically. @returns false if the name is taken */
export function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      return false;
    }
    throw error;
  }
}
