/**
 * Texts made smaller for machines that unpack them.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { gzipSync } from "fflate";
import { deflate } from "./deflate.ts";

/**
 * A text in gzip. The same text gives the same bytes on every machine, or a stack would change when another one deploys:
 * zlib's bytes depend on its release and the processor, those of a pinned fflate do not.
 */
export function gzip(text: string): Buffer {
  return Buffer.from(gzipSync(Buffer.from(text), { level: 9, mtime: 0 }));
}

/** The same in base64. */
export function gzipBase64(text: string): string {
  return gzip(text).toString("base64");
}

/** Bytes before and after the deflated text in a gzip file that names nothing (RFC 1952). */
const [HEAD, TAIL] = [10, 8];
const packed = new Map<string, string>();

/**
 * As {@link gzipBase64} where that has room in `most` bytes, so that what was deployed stays as it is; else with a deflate that
 * tries harder, some 5 % smaller.
 */
export function smallGzipBase64(text: string, most: number): string {
  const quick = gzipBase64(text);
  const bytes = Buffer.from(quick, "base64");
  if (bytes.length <= most) return quick;
  const known = packed.get(text);
  if (known !== undefined) return known;
  const parts = [bytes.subarray(0, HEAD), deflate(Buffer.from(text)), bytes.subarray(-TAIL)];
  const small = Buffer.concat(parts).toString("base64");
  packed.set(text, small);
  return small;
}
