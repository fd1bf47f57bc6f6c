/** Boots a forwarding host, and tells later whether what that put in force still is. */
import { Buffer } from "node:buffer";
import { gunzipSync } from "node:zlib";
import { inForceScript } from "../../nat-instance/drift.ts";
import { runInHost } from "./enter.ts";
import { findHost } from "./living-hosts.ts";

/** Runs a script as root on the host, as a cloud does with user data. */
export interface BootSpec {
  readonly lab: string;
  readonly host: string;
  /** In gzip and base64. */
  readonly script: string;
  /** Tells one boot from the next. */
  readonly boot: string;
}

/** Inside a host: its last boot, and a digest of what that put in force. */
const BOOT_FILE = "/run/egress-bench-boot";

/** State of forwarding: a NAT instance's own, and a router's part of it. */
const digest = `${inForceScript()}
{ cat /proc/sys/net/ipv4/ip_forward; in_force; } | sha256sum | cut -c 1-64`;

/** Runs a host's script as its boot would, and notes which boot it was. */
export function bootHost({ lab, host, script, boot }: BootSpec): { readonly output: string } {
  const output = runInHost(lab, host, gunzipSync(Buffer.from(script, "base64")).toString());
  runInHost(
    lab,
    host,
    `{ echo '${boot}'; ${digest}
} > ${BOOT_FILE}`,
  );
  return { output };
}

/** The boot whose work is still in force. @returns undefined where it is not, or the host does not run. */
export function bootInForce(lab: string, host: string): string | undefined {
  if (findHost(lab, host) === undefined) {
    return undefined;
  }
  const said = runInHost(lab, host, `cat ${BOOT_FILE} 2>/dev/null; ${digest}`);
  const [boot, then, now] = said.trim().split(/\s+/);
  return now !== undefined && then === now ? boot : undefined;
}
