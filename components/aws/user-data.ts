import { Buffer } from "node:buffer";
import { invalid } from "../shared/arguments.ts";
import { type CloudConfigArgs, cloudConfig, MOST_BYTES } from "../shared/cloud-init.ts";
import { gzipBase64 } from "../shared/gzip.ts";

/** Options that take much of a NAT instance's user data, the longest first; the unit test measures them. */
const LONG_OPTIONS = "cloudWatch, nat64, metricsDirectory or upgradeWindow";

/**
 * User data, refused if too long.
 * @param compressed Whether it is sent in gzip, which cloud-init unpacks.
 * @default as it is
 * @throws {pulumi.InputPropertyError} for more than EC2 takes.
 */
export function userData(compressed: boolean | undefined, config: CloudConfigArgs): string {
  const text = cloudConfig(config);
  const bytes = compressed ? Buffer.from(gzipBase64(text), "base64").length : Buffer.byteLength(text);
  if (bytes > MOST_BYTES) {
    const ofScript = config.extraScript !== undefined;
    const shorter = ofScript ? "let a short script fetch the rest" : `leave out ${LONG_OPTIONS}`;
    throw invalid(
      ofScript ? "extraScript" : "nat",
      `the user data would have ${bytes} bytes${compressed ? ", compressed," : ""} and EC2 takes ${MOST_BYTES}; ${shorter}, or name fewer addresses and blocks`,
    );
  }
  return text;
}
