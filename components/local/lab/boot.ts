/** Boots a forwarding host, and later tells whether the settings of that boot are still in force. */
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import { inForceScript } from "../../nat-instance/drift.ts";
import { runInHost } from "./enter.ts";
import { findHost } from "./living-hosts.ts";

/** Runs a script as root on the host, as a cloud does with user data. */
export interface BootSpec {
  readonly lab: string;
  readonly host: string;
  /** The script in gzip and base64. */
  readonly script: string;
  /** Distinguishes one boot from the next. */
  readonly boot: string;
}

/** File inside a host: its last boot, and a digest of the settings that the boot put in force. */
const BOOT_FILE = "/run/egress-bench-boot";

/** Digest of the forwarding state: a NAT instance's own, and a router's part of it. */
const digest = `${inForceScript()}
{ cat /proc/sys/net/ipv4/ip_forward; in_force; } | sha256sum | cut -c 1-64`;

/** Runs a host's boot script, and records which boot it was. */
export function bootHost({ lab, host, script, boot }: BootSpec): void {
  runInHost(lab, host, gunzipSync(Buffer.from(script, "base64")).toString());
  runInHost(
    lab,
    host,
    `{ echo '${boot}'; ${digest}
} > ${BOOT_FILE}`,
  );
}

/** The boot whose settings are still in force. @returns undefined where they are not, or the host does not run. */
export function bootInForce(lab: string, host: string): string | undefined {
  if (findHost(lab, host) === undefined) {
    return undefined;
  }
  const said = runInHost(lab, host, `cat ${BOOT_FILE} 2>/dev/null; ${digest}`);
  const [boot, then, now] = said.trim().split(/\s+/);
  return now !== undefined && then === now ? boot : undefined;
}
