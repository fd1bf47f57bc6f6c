import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import type { Properties } from "./shared/envelopes.ts";

/**
 * Collects what a command writes.
 *
 * @returns gives the outputs `stdout` and `stderr`, each without one newline at its end. It throws in the real plugin's words
 * when the command failed, with both streams in the order of arrival, and for output that is not UTF-8.
 */
export function captureOutput(
  streams: Readonly<Record<"stdout" | "stderr", Readable>>,
): (command: string, failure: string | undefined) => Properties {
  const both: Buffer[] = [];
  const collected = Object.entries(streams).map(([name, stream]) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      both.push(chunk);
    });
    return [name, chunks] as const;
  });
  return (command, failure) => {
    if (failure !== undefined) {
      throw new Error(`${failure}: running ${JSON.stringify(command)}:\n${Buffer.concat(both)}`);
    }
    return Object.fromEntries(collected.map(([name, chunks]) => [name, outputText(name, chunks)]));
  };
}

function outputText(name: string, chunks: readonly Buffer[]): string {
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new Error(`${name}: string field contains invalid UTF-8`);
  return bytes.toString("utf8").replace(/\n$/, "");
}
