/** Compressed texts for machines that unpack them. */
import { Buffer } from "node:buffer";
import { gzipSync, strToU8, zipSync } from "fflate";

/**
 * A text in gzip, in base64. The same text gives the same bytes on every machine, so that a stack does not change when
 * another one deploys: zlib's bytes depend on its release and the processor, a pinned fflate's do not.
 */
export function gzipBase64(text: string): string {
  return Buffer.from(gzipSync(Buffer.from(text), { level: 9, mtime: 0 })).toString("base64");
}

/** Texts by name in a zip file, the same bytes on every machine. */
export function zip(texts: Readonly<Record<string, string>>): Buffer {
  const files = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, strToU8(text)]));
  // A zip file's times have no time zone; fflate reads them from a date.
  return Buffer.from(zipSync(files, { level: 9, mtime: new Date(1980, 0, 1) }));
}
