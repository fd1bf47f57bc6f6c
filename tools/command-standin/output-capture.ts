import { isUtf8 } from "node:buffer";
import type { Operation } from "./operations.ts";
import type { Properties } from "./shared/envelopes.ts";

/** The longest line that the real plugin can log; a longer one stops its reader, and the resource never ends. */
const MAX_LOG_LINE_BYTES = 64 * 1024;

/** Collects what a command writes, and passes it to the engine line by line as `logging` says. */
export interface OutputCapture {
  stdout(chunk: Buffer): void;
  stderr(chunk: Buffer): void;
  /** Both streams in the order of arrival, for the text of a failure. */
  combined(): string;
  /**
   * Ends the log and gives the outputs `stdout` and `stderr`, each without one newline at its end.
   *
   * @throws Error on output that is not UTF-8, and on a logged line over 64 KiB
   */
  finish(): Promise<Properties>;
}

/** Keeps a command's output, and shows its lines as they come. */
export function captureOutput(operation: Operation, logging: unknown): OutputCapture {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const both: Buffer[] = [];
  const lines = lineSplitter((line) => operation.logStatus(line));
  const logged = {
    stdout: logging === undefined || logging === "stdout" || logging === "stdoutAndStderr",
    stderr: logging === undefined || logging === "stderr" || logging === "stdoutAndStderr",
  };
  const sink = (chunks: Buffer[], isLogged: boolean) => (chunk: Buffer) => {
    chunks.push(chunk);
    both.push(chunk);
    if (isLogged) lines.write(chunk);
  };
  return {
    stdout: sink(stdout, logged.stdout),
    stderr: sink(stderr, logged.stderr),
    combined: () => Buffer.concat(both).toString("utf8"),
    async finish() {
      lines.end();
      await operation.logged();
      if (lines.longestBytes() >= MAX_LOG_LINE_BYTES) {
        throw new Error(
          `a line of ${lines.longestBytes()} bytes was to be logged: the command plugin hangs on lines ` +
            `over ${MAX_LOG_LINE_BYTES} bytes; set \`logging: "none"\``,
        );
      }
      return { stdout: outputText("stdout", stdout), stderr: outputText("stderr", stderr) };
    },
  };
}

function outputText(name: string, chunks: readonly Buffer[]): string {
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new Error(`${name}: string field contains invalid UTF-8`);
  return bytes.toString("utf8").replace(/\n$/, "");
}

interface LineSplitter {
  write(chunk: Buffer): void;
  end(): void;
  longestBytes(): number;
}

function lineSplitter(emit: (line: string) => void): LineSplitter {
  let pending: Buffer[] = [];
  let longest = 0;
  const flush = () => {
    const line = Buffer.concat(pending);
    pending = [];
    longest = Math.max(longest, line.length);
    if (line.length < MAX_LOG_LINE_BYTES) emit(line.toString("utf8").replace(/\r$/, ""));
  };
  return {
    write(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
        pending.push(chunk.subarray(start, end));
        flush();
        start = end + 1;
      }
      if (start < chunk.length) pending.push(chunk.subarray(start));
    },
    end() {
      if (pending.length > 0) flush();
    },
    longestBytes: () => longest,
  };
}
