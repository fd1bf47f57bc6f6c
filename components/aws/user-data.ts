import { Buffer } from "node:buffer";
import { invalid } from "../shared/arguments.ts";
import { type CloudConfigArgs, cloudConfig, MOST_BYTES, smallCloudConfig } from "../shared/cloud-init.ts";
import { gzipWithin } from "../shared/gzip.ts";

/**
 * @param compressed Whether it goes as {@link inGzip}, which cloud-init unpacks. @default as it is
 * @throws {pulumi.InputPropertyError} for more than EC2 takes.
 */
export function userData(compressed: boolean | undefined, config: CloudConfigArgs): string {
  const text = compressed ? smallCloudConfig(config) : cloudConfig(config);
  const bytes = compressed ? Buffer.from(inGzip(text), "base64").length : Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    throw invalid(
      config.extraScript === undefined ? "nat" : "extraScript",
      `the user data would have ${bytes} bytes${compressed ? ", compressed," : ""} and EC2 takes ${MOST_BYTES}; let a short script fetch the rest, or name fewer addresses and blocks`,
    );
  }
  return text;
}

/** As small as an instance takes it, in base64. */
export function inGzip(text: string): string {
  return gzipWithin(text, MOST_BYTES);
}

/** As a launch template takes it. */
export function inBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
