/** The process's stdout and stderr. Writing never ends a command, and never controls its terminal or a CI system. */
import { closeSync, fstatSync, openSync, writeFileSync } from "node:fs";
import type { WriteStream } from "node:tty";
import { plainOutput } from "../../bench/plain-text.ts";
import { reasonOf } from "../../components/shared/files.ts";
import type { ProgressStream } from "./progress-board.ts";

/** Most lines of a lost stderr that are printed to the terminal at exit. */
const KEPT_LINES = 20;

/** A stream that accepts every text and remembers what it lost. */
class Output implements ProgressStream {
  readonly #stream: WriteStream & { readonly fd: number };
  /** Why a file or a disk lost text; null: nothing lost. */
  lost: string | null = null;
  /** The last lines that were lost to a file. */
  toFile: readonly string[] = [];
  /** The last lines that were lost to a pipe. */
  toPipe: readonly string[] = [];

  constructor(stream: WriteStream & { readonly fd: number }) {
    this.#stream = stream;
    // Each write gets its own error.
    stream.on("error", () => {});
  }

  get isTTY(): boolean {
    return this.#stream.isTTY;
  }

  get columns(): number {
    return this.#stream.columns;
  }

  get rows(): number {
    return this.#stream.rows;
  }

  write(text: string): void {
    this.writeExactly(plainOutput(text));
  }

  writeExactly(text: string): void {
    const fail = (error: Error | null | undefined) => error && this.#lose(text, error);
    if (this.isTTY || !isWrittenAtOnce(this.#stream.fd)) {
      this.#stream.write(text, fail);
      return;
    }
    try {
      // Node's stream for files does not notice when a full disk takes only the beginning of a text.
      writeFileSync(this.#stream.fd, text);
    } catch (error) {
      fail(error as Error);
    }
  }

  #lose(text: string, error: NodeJS.ErrnoException): void {
    const added = (lines: readonly string[]) => [...lines, ...text.trimEnd().split("\n")].slice(-KEPT_LINES);
    if (error.code === "EPIPE") {
      this.toPipe = added(this.toPipe);
    } else if (!this.isTTY) {
      this.lost ??= reasonOf(error);
      this.toFile = added(this.toFile);
    }
  }
}

/** Whether a stream leads to a file or a device. */
function isWrittenAtOnce(fd: number): boolean {
  try {
    const found = fstatSync(fd);
    return found.isFile() || found.isCharacterDevice();
  } catch {
    return false;
  }
}

/**
 * This process's streams and directory. A reader that ends first, such as `head`, and a closed terminal are no failure of the
 * command. Text lost by a file or a disk turns exit status 0 into 1, and is reported where possible.
 *
 * @param mustBeRead Whether stderr's last lines are also shown on the terminal if a pipe loses them.
 */
export function processOutput(mustBeRead = false) {
  const [stdout, stderr] = [new Output(process.stdout), new Output(process.stderr)];
  process.on("exit", () => {
    const problems = Object.entries({ stdout, stderr }).flatMap(([name, { lost }]) =>
      lost === null ? [] : [`${name} was lost: ${lost}`],
    );
    if (problems.length > 0) {
      process.exitCode ||= 1;
    }
    const unread = [...stderr.toFile, ...(mustBeRead ? stderr.toPipe : [])];
    if (unread.length > 0) {
      tell("/dev/tty", [...unread, ...problems]);
    } else if (problems.length > 0) {
      tell(process.stderr.fd, problems);
    }
  });
  return { stdout, stderr, directory: process.cwd() };
}

function tell(where: string | number, lines: readonly string[]): void {
  try {
    const fd = typeof where === "string" ? openSync(where, "w") : where;
    writeFileSync(fd, lines.map((line) => `${line}\n`).join(""));
    if (fd !== where) {
      closeSync(fd);
    }
  } catch {
    // No terminal.
  }
}
