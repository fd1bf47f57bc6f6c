/** Texts made smaller for machines that unpack them. */
import { Buffer } from "node:buffer";
import { gzipSync } from "fflate";

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
