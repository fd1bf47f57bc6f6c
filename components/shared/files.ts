/** Reads files that a person names, makes temporary directories, and creates names exclusively. */
import { constants } from "node:buffer";
import { linkSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
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
export function makeTemporary(prefix: string): string {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (error) {
    throw new Error(
      `expected room for temporary files in ${tmpdir()}: ${reasonOf(error)}; name a directory that can be written in TMPDIR`,
      { cause: error },
    );
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
