/**
 * cloud-init's work on an instance.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { invalid } from "../shared/arguments.ts";
import { type CloudConfigArgs, cloudConfig, MOST_BYTES } from "../shared/cloud-init.ts";
import { smallGzipBase64 } from "../shared/gzip.ts";

/**
 * @param compressed Whether it goes as {@link packed}, which cloud-init unpacks. @default as it is
 * @throws {pulumi.InputPropertyError} for more than EC2 takes.
 */
export function userData(compressed: boolean | undefined, config: CloudConfigArgs): string {
  const text = cloudConfig(config);
  const bytes = compressed ? Buffer.from(packed(text), "base64").length : Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    throw invalid(
      config.extraScript === undefined ? "nat" : "extraScript",
      `the user data would have ${bytes} bytes${compressed ? ", compressed," : ""} and EC2 takes ${MOST_BYTES}; let a short script fetch the rest, or name fewer addresses and blocks`,
    );
  }
  return text;
}

/** gzip in base64, as small as EC2 asks for. */
export function packed(text: string): string {
  return smallGzipBase64(text, MOST_BYTES);
}

/** As a launch template takes it. */
export function inBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
