/**
 * The lab's program on the operator's machine: `main.ts <operation>`, one JSON document on stdin, one on stdout.
 * Run as root by the components of `components/local/`.
 */
import { text } from "node:stream/consumers";
import { type BootSpec, bootHost, bootInForce } from "./boot.ts";
import type { HostUpSpec } from "./host-up.ts";
import { endHost, type HostSpec } from "./hosts.ts";
import { type LinkSpec, makeLink } from "./links.ts";
import { findHost, livingHosts } from "./living-hosts.ts";

const operations: Record<string, (spec: never) => unknown> = {
  "host-up": async (spec: HostUpSpec) => (await import("./host-up.ts")).hostUp(spec),
  /** Ends a host unless a newer one has replaced it; a missing host is no error. */
  "host-down": async ({ lab, host, generation }: HostSpec) => {
    const living = findHost(lab, host);
    if (living?.generation === generation) {
      await endHost(living);
    }
  },
  /** Ends the rest of a lab, even when no state knows it any more. */
  "lab-down": async ({ lab }: { lab: string }) => {
    const left = livingHosts().filter((living) => living.lab === lab);
    await Promise.all(left.map(endHost));
    return { ended: left.map((living) => living.host) };
  },
  link: (spec: LinkSpec) => makeLink(spec),
  boot: (spec: BootSpec) => bootHost(spec),
  /** For a program without root: the boot in force. */
  booted: ({ lab, host }: BootSpec) => ({ boot: bootInForce(lab, host) }),
  /** For a program without root: the running hosts. */
  hosts: livingHosts,
};

async function main(name = "", spec?: string): Promise<void> {
  const operation = operations[name];
  if (operation === undefined) {
    process.stderr.write(
      `lab: unknown operation "${name}"; there are: ${Object.keys(operations).join(", ")}\n`,
    );
    process.exitCode = 2;
    return;
  }
  try {
    const result = await operation(JSON.parse(spec ?? (await text(process.stdin))) as never);
    process.stdout.write(JSON.stringify(result ?? {}));
  } catch (error) {
    process.stderr.write(`lab: ${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

// Not awaited, because the package's code is CommonJS.
void main(...process.argv.slice(2));
