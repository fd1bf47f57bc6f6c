/**
 * What cloud-init does on an instance.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { gzipSync } from "fflate";
import { invalid } from "../shared/arguments.ts";
import { type CloudConfigArgs, cloudConfig, MOST_BYTES } from "../shared/cloud-init.ts";

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

/**
 * gzip, which cloud-init unpacks, in base64. The same text gives the same bytes on every machine, or a machine would be
 * replaced when another one deploys: zlib's bytes depend on its release and the processor, those of a pinned fflate do not.
 */
export function compressedUserData(text: string): string {
  return Buffer.from(gzipSync(Buffer.from(text), { level: 9, mtime: 0 })).toString("base64");
}
