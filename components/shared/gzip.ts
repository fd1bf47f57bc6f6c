/** Compressed texts for machines that unpack them. */
import { Buffer } from "node:buffer";
import { gzipSync, strToU8, zipSync } from "fflate";
import { Deflate, Z_BLOCK, Z_FILTERED, Z_FINISH } from "pako";

/**
 * A text in gzip, in base64. The same text gives the same bytes on every machine, so that a stack does not change when
 * another one deploys: zlib's bytes depend on its release and the processor, a pinned fflate's do not.
 */
export function gzipBase64(text: string): string {
  return Buffer.from(gzipSync(Buffer.from(text), { level: 9, mtime: 0 })).toString("base64");
}

/** Base64 of something compressed. */
const PACKED = /([\w+/]{500,}=*)/;

/**
 * A text in gzip, in base64: {@link gzipBase64}, or, if that is too long, with long repeats only, and a block of its own for
 * base64 of compressed data. There short repeats are chance, and other letters are frequent than elsewhere.
 */
export function gzipWithin(text: string, most: number): string {
  const usual = gzipBase64(text);
  if (Buffer.from(usual, "base64").length <= most) return usual;
  const packer = new Deflate({ gzip: true, level: 9, memLevel: 9, strategy: Z_FILTERED });
  for (const part of text.split(PACKED)) packer.push(Buffer.from(part), Z_BLOCK);
  packer.push(new Uint8Array(), Z_FINISH);
  return Buffer.from(packer.result).toString("base64");
}

/** Texts by name in a zip file, the same bytes on every machine. */
export function zip(texts: Readonly<Record<string, string>>): Buffer {
  const files = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, strToU8(text)]));
  // A zip file's times have no time zone; fflate reads them from a date.
  return Buffer.from(zipSync(files, { level: 9, mtime: new Date(1980, 0, 1) }));
}
