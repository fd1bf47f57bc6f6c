/**
 * What cloud-init does on an instance.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { constants, gzipSync } from "node:zlib";
import { invalid } from "../shared/arguments.ts";
import { type CloudConfigArgs, cloudConfig, MOST_BYTES } from "../shared/cloud-init.ts";

/**
 * @param compressed Whether it goes as {@link compressedUserData}. @default as it is
 * @throws {pulumi.InputPropertyError} for more than EC2 takes.
 */
export function userData(compressed: boolean | undefined, config: CloudConfigArgs): string {
  const text = cloudConfig({ ...config, compact: compressed });
  const bytes = compressed ? Buffer.from(compressedUserData(text), "base64").length : Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    throw invalid(
      config.extraScript === undefined ? "nat" : "extraScript",
      `the user data would have ${bytes} bytes, and EC2 takes ${MOST_BYTES}; let a short script fetch the rest, or name fewer addresses and blocks`,
    );
  }
  return text;
}

/** Of gzip's header: which operating system wrote it. */
const SYSTEM_BYTE = 9;
const UNKNOWN_SYSTEM = 255;

/**
 * gzip, which cloud-init unpacks, in base64. The same text gives the same bytes on every machine, or a machine would be
 * replaced when another one deploys: without matches, whose search differs between processors and releases of zlib, and in
 * one block, which holds 32 KiB.
 */
export function compressedUserData(text: string): string {
  const packed = gzipSync(text, { level: 9, memLevel: 9, strategy: constants.Z_HUFFMAN_ONLY });
  packed[SYSTEM_BYTE] = UNKNOWN_SYSTEM;
  return packed.toString("base64");
}
