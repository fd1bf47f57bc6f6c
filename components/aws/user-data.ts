/**
 * What cloud-init does on an instance.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { invalid } from "../shared/arguments.ts";
import { type CloudConfigArgs, cloudConfig, MOST_BYTES } from "../shared/cloud-init.ts";
import { deflate } from "./deflate.ts";

/**
 * @param compressed Whether it goes as {@link compressedUserData}. @default as it is
 * @throws {pulumi.InputPropertyError} for more than EC2 takes.
 */
export function userData(compressed: boolean | undefined, config: CloudConfigArgs): string {
  const text = cloudConfig(config);
  const bytes = compressed ? Buffer.from(compressedUserData(text), "base64").length : Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    throw invalid(
      config.extraScript === undefined ? "nat" : "extraScript",
      `the user data would have ${bytes} bytes, and EC2 takes ${MOST_BYTES}; let a short script fetch the rest, or name fewer addresses and blocks`,
    );
  }
  return text;
}

/** gzip's magic number, deflate, no name and no time, an unknown operating system. */
const HEADER = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/** A checksum and the length. */
const TRAILER_BYTES = 8;

/**
 * gzip, which cloud-init unpacks, in base64. The same text gives the same bytes on every machine, or a machine would be
 * replaced when another one deploys.
 */
export function compressedUserData(text: string): string {
  const trailer = gzipSync(text).subarray(-TRAILER_BYTES);
  return Buffer.concat([Buffer.from(HEADER), deflate(Buffer.from(text)), trailer]).toString("base64");
}
