/** Files that cannot be used, and why. */
import { FormatError } from "../../advise/fields.ts";
import type { LogCounts } from "../../advise/traffic.ts";
import { reasonOf as wordsOf } from "../../components/shared/files.ts";

/** The errors of zlib and of the query engine for bytes after the end of a gzip file. */
const afterGzip = /incorrect header check|Input is not a GZIP stream/;
const AFTER_GZIP =
  "bytes that are no gzip follow its gzip data; what is before them is read from the output of gzip -dc";

/** Why a file could not be used. @throws the error itself where it is not about the file */
export function reasonOf(error: unknown): string {
  if (["EACCES", "EPERM", "ENOENT", "EIO"].includes((error as NodeJS.ErrnoException)?.code ?? "")) {
    return wordsOf(error);
  }
  if (!(error instanceof FormatError) && !isEngineRefusal(error)) {
    throw error;
  }
  const { message } = error as Error;
  return afterGzip.test(message) ? AFTER_GZIP : (message.split("\n")[0]?.slice(0, 300) ?? "");
}

/** The error where no file could be used, with each file's reason. */
export function noneUsable(unusable: LogCounts["unusable"]): FormatError {
  return new FormatError(
    `no file could be used:${unusable.map(({ file, reason }) => `\n  ${file}: ${reason}`).join("")}`,
  );
}

/** An error of the engine about a file's content rather than about us. */
function isEngineRefusal(error: unknown): boolean {
  return error instanceof Error && /^(Invalid Input|IO|Invalid|Conversion) Error/.test(error.message);
}
