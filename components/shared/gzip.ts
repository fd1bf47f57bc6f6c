/**
 * Texts made smaller for machines that unpack them.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { gzipSync } from "fflate";

/**
 * gzip in base64. The same text gives the same bytes on every machine, or a stack would change when another one deploys:
 * zlib's bytes depend on its release and the processor, those of a pinned fflate do not.
 */
export function gzipBase64(text: string): string {
  return Buffer.from(gzipSync(Buffer.from(text), { level: 9, mtime: 0 })).toString("base64");
}
