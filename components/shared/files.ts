/** Files that a person names, directories for temporary ones, and names that only one process can give. */
import { constants } from "node:buffer";
import { linkSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getSystemErrorMap } from "node:util";

/**
 * The text of a file that a person names.
 *
 * @throws {Error} whose message is the reason alone, such as `no such file or directory`
 */
export function readNamedFile(file: string): string {
  try {
    assertRegular(file);
    // A file of the kernel's has no size, and reading one such as /proc/kmsg waits.
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

/** Refuses what is no file: reading a pipe waits, a device may never end, and writing would replace either. @throws {Error} */
export function assertRegular(file: string): void {
  const found = statSync(file);
  if (!found.isFile()) {
    throw new Error(
      found.isDirectory() ? "it is a directory" : "it is a pipe, a device or a socket, and no regular file",
    );
  }
}

/** The system's words for an error of its own, such as `permission denied`; the message of another error. */
export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException;
  return (errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]) ?? message;
}

/** A new directory for temporary files. @throws {Error} naming `TMPDIR` where the system gives no room there */
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

/** Gives a whole file a further name, which is there whole or not at all. @returns false: something has the name already */
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
