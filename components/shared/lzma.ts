import { Buffer } from "node:buffer";
import lzma from "lzma";

/** The lowest mode that reaches the smallest output of a script; higher ones only take longer. */
const MODE = 7;
const known = new Map<string, string>();

/** A text in an `.lzma` file, in base64. The same text gives the same bytes, since the compressor's version is pinned. */
export function lzmaBase64(text: string): string {
  // Bytes, not text: the library encodes text as Java's modified UTF-8, which differs for some characters.
  const found = known.get(text) ?? Buffer.from(lzma.compress(Buffer.from(text), MODE)).toString("base64");
  known.set(text, found);
  return found;
}
