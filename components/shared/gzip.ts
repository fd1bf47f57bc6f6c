/** Texts made smaller for machines that unpack them. */
import { Buffer } from "node:buffer";
import { gzipSync, strToU8, zipSync } from "fflate";

/**
 * A text in gzip, in base64. The same text gives the same bytes on every machine, or a stack would change when another one deploys:
 * zlib's bytes depend on its release and the processor, those of a pinned fflate do not.
 */
export function gzipBase64(text: string): string {
  return Buffer.from(gzipSync(Buffer.from(text), { level: 9, mtime: 0 })).toString("base64");
}

/** Texts by name in a zip file, likewise the same everywhere. */
export function zip(texts: Readonly<Record<string, string>>): Buffer {
  const files = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, strToU8(text)]));
  // A zip file has its times in no time zone, as fflate reads them of a date.
  return Buffer.from(zipSync(files, { level: 9, mtime: new Date(1980, 0, 1) }));
}
