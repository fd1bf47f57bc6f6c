/** Texts made smaller for machines that unpack them. */
import { Buffer } from "node:buffer";
import { gzipSync, strToU8, zipSync } from "fflate";
import { gzip, Z_FILTERED } from "pako";

/**
 * A text in gzip, in base64. The same text gives the same bytes on every machine, or a stack would change when another one deploys:
 * zlib's bytes depend on its release and the processor, those of a pinned fflate do not.
 */
export function gzipBase64(text: string): string {
  return Buffer.from(gzipSync(Buffer.from(text), { level: 9, mtime: 0 })).toString("base64");
}

/**
 * A text in gzip, in base64: {@link gzipBase64}, or, where that has more bytes than there may be, in one block and by long
 * repeats alone. The short ones in base64 of what is compressed already are chance, and cost a hundredth.
 */
export function gzipWithin(text: string, most: number): string {
  const usual = gzipBase64(text);
  const bytes = Buffer.from(usual, "base64").length;
  return bytes <= most
    ? usual
    : Buffer.from(gzip(Buffer.from(text), { level: 9, memLevel: 9, strategy: Z_FILTERED })).toString(
        "base64",
      );
}

/** Texts by name in a zip file, likewise the same everywhere. */
export function zip(texts: Readonly<Record<string, string>>): Buffer {
  const files = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, strToU8(text)]));
  // A zip file has its times in no time zone, as fflate reads them of a date.
  return Buffer.from(zipSync(files, { level: 9, mtime: new Date(1980, 0, 1) }));
}
