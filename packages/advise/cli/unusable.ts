/** Explains why files cannot be used. */

import { reasonOf as wordsOf } from "../../../components/shared/files.ts";
import { FormatError } from "../src/fields.ts";
import { harmlessReasons, type LineReason } from "../src/reduction/raw.ts";
import type { BadLines } from "../src/traffic.ts";
import type { LogFile } from "./files.ts";

/** Errors of zlib and of the query engine about bytes after the end of a gzip file. */
const afterGzip = /incorrect header check|Input is not a GZIP stream/;
const AFTER_GZIP =
  "bytes that are not gzip follow its gzip data; to have the data before them read, give the output of gzip -dc";

/** The reason why a file could not be used. @throws the error itself if it is not about the file */
function reasonOf(error: unknown): string {
  if (["EACCES", "EPERM", "ENOENT", "EIO"].includes((error as NodeJS.ErrnoException)?.code ?? "")) {
    return wordsOf(error);
  }
  if (!(error instanceof FormatError) && !isEngineRefusal(error)) {
    throw error;
  }
  const { message } = error as Error;
  if (afterGzip.test(message)) return AFTER_GZIP;
  return error instanceof FormatError ? message : (message.split("\n")[0]?.slice(0, 300) ?? "");
}

/** Lines of a log by reason, and whether none is a record or an interval without one. */
export function countedLines(found: readonly BadLines[]) {
  const of = (reason: LineReason) => found.find((one) => one.reason === reason)?.count ?? 0;
  const [noData, skipData] = [
    of("NODATA: no traffic in the interval"),
    of("SKIPDATA: the cloud skipped records"),
  ];
  return {
    isEmpty: of("ok") + noData + skipData === 0,
    lines: found.reduce((sum, { count }) => sum + count, 0),
    ...{ noData, skipData, bad: found.filter(({ reason }) => !harmlessReasons.has(reason)) },
  };
}

/** What each usable file yields, in order, and what was read. @throws {FormatError} where none can be used */
export async function fromUsable<T>(files: readonly LogFile[], read: (file: LogFile) => T | Promise<T>) {
  const unusable: { file: string; reason: string }[] = [];
  const values: T[] = [];
  let bytes = 0;
  for (const file of files) {
    try {
      values.push(await read(file));
      bytes += file.bytes;
    } catch (error) {
      unusable.push({ file: file.name, reason: reasonOf(error) });
    }
  }
  if (values.length === 0) {
    throw new FormatError(
      `no file could be used:${unusable.map(({ file, reason }) => `\n  ${file}: ${reason}`).join("")}`,
    );
  }
  return { values, read: { files: values.length, bytes, unusable } };
}

/** Whether an engine error is about a file's content rather than a bug of ours. */
function isEngineRefusal(error: unknown): boolean {
  return error instanceof Error && /^(Invalid Input|IO|Invalid|Conversion) Error/.test(error.message);
}
