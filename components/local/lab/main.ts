/**
 * The lab's program on the operator's machine: `main.ts <operation>`, one JSON document on stdin, one on stdout.
 * Run as root by the components of `components/local/`.
 */
import { text } from "node:stream/consumers";
import { type BootSpec, bootHost, bootInForce } from "./boot.ts";
import { endHost, type HostSpec, startHost } from "./hosts.ts";
import { type LinkSpec, makeLink } from "./links.ts";
import { findHost, livingHosts } from "./living-hosts.ts";

const operations: Record<string, (spec: never) => unknown> = {
  /** Makes a host, or repairs what is left of it. */
  "host-up": startHost,
  /** Ends a host unless a newer one has taken its place; a host that is gone is no error. */
  "host-down": async ({ lab, stack, host, generation }: HostSpec & { stack?: string }) => {
    // States of version 0.1 name the stack, as their hosts do.
    const living = findHost(lab ?? stack, host);
    if (living?.generation === generation) {
      await endHost(living);
    }
  },
  /** Ends whatever is left of a lab, also when no state tells of it any more. */
  "lab-down": async ({ lab }: { lab: string }) => {
    const left = livingHosts().filter((living) => living.lab === lab);
    await Promise.all(left.map(endHost));
    return { ended: left.map((living) => living.host) };
  },
  link: (spec: LinkSpec) => makeLink(spec),
  boot: (spec: BootSpec) => bootHost(spec),
  /** For a program that is not root. */
  booted: ({ lab, host }: BootSpec) => ({ boot: bootInForce(lab, host) }),
  /** The hosts that run, for a program that is not root. */
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

// Not awaited: the package's code is CommonJS.
void main(...process.argv.slice(2));
