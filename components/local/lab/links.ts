/**
 * Joins two lab hosts by a veth pair made inside their namespaces, never in the machine's own.
 *
 * @module
 */
import { initProcess } from "./hosts.ts";
import { run } from "./machine.ts";
import { type LinkShape, shapingCommands } from "./shaping.ts";

export interface LinkEnd {
  readonly host: string;
  readonly interface: string;
  /** With prefix length; a /32 makes an unnumbered point-to-point link. */
  readonly address?: string;
  /** Bridge of the host that the end becomes a port of, instead of having an address. */
  readonly bridge?: string;
  readonly routes?: readonly { readonly to: string; readonly via?: string }[];
}

export interface LinkSpec {
  readonly stack: string;
  readonly ends: readonly [LinkEnd, LinkEnd];
  readonly shape: LinkShape;
}

/** Makes the link anew, whatever was there of it. */
export function makeLink(spec: LinkSpec): void {
  const [first, second] = spec.ends.map((end) => ({ ...end, pid: initProcess(spec.stack, end.host) })) as [
    LinkEnd & { pid: number },
    LinkEnd & { pid: number },
  ];
  for (const end of [first, second]) {
    if (interfaces(end.pid).includes(end.interface)) {
      inNetwork(end.pid, ["ip", "link", "delete", end.interface]);
    }
  }
  const peer = ["peer", "name", second.interface, "netns", String(second.pid)];
  inNetwork(first.pid, ["ip", "link", "add", first.interface, "type", "veth", ...peer]);
  for (const end of [first, second]) {
    if (end.address !== undefined) {
      inNetwork(end.pid, ["ip", "address", "add", end.address, "dev", end.interface]);
    }
    const master = end.bridge === undefined ? [] : ["master", end.bridge];
    inNetwork(end.pid, ["ip", "link", "set", end.interface, ...master, "up"]);
  }
  for (const end of [first, second]) {
    for (const route of end.routes ?? []) {
      const via = route.via === undefined ? [] : ["via", route.via, "onlink"];
      inNetwork(end.pid, ["ip", "route", "replace", route.to, ...via, "dev", end.interface]);
    }
    for (const command of shapingCommands(end.interface, spec.shape)) {
      inNetwork(end.pid, command);
    }
  }
}

function interfaces(pid: number): string[] {
  const links = JSON.parse(inNetwork(pid, ["ip", "-json", "link", "show"])) as { ifname: string }[];
  return links.map((link) => link.ifname);
}

function inNetwork(pid: number, command: readonly string[]): string {
  try {
    return run("nsenter", ["--target", String(pid), "--net", ...command]);
  } catch (error) {
    if (command.includes("netem") && /qdisc|netem/.test((error as Error).message)) {
      throw new Error(
        `This kernel has no netem (module sch_netem), so a link cannot have a delay. Leave \`delayMs\` out of \`egress-bench:local\`, or load the module. ${(error as Error).message}`,
      );
    }
    throw error;
  }
}
