/**
 * What cloud-init does on an instance.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { invalid } from "../shared/arguments.ts";
import { type CloudConfigArgs, cloudConfig, MOST_BYTES } from "../shared/cloud-init.ts";

/** @throws {pulumi.InputPropertyError} for more than EC2 takes. */
export function userData(config: CloudConfigArgs): string {
  const text = cloudConfig(config);
  const bytes = Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    throw invalid(
      config.extraScript === undefined ? "nat" : "extraScript",
      `the user data would have ${bytes} bytes, and EC2 takes ${MOST_BYTES}; let a short script fetch the rest, or name fewer addresses and blocks`,
    );
  }
  return text;
}
