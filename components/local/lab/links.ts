/**
 * Joins two lab hosts by a veth pair made inside their namespaces, never in the machine's own.
 *
 * @module
 */
import { PEER_NETWORK, runInNetwork } from "./enter.ts";
import { type LinkShape, shapingCommands } from "./shaping.ts";

/** One end of a link of the lab. */
export interface LinkEnd {
  readonly host: string;
  readonly interface: string;
  /** With prefix length; a /32 makes an unnumbered point-to-point link. */
  readonly address?: string;
  /** Bridge of the host that the end becomes a port of, instead of having an address. */
  readonly bridge?: string;
  readonly routes?: readonly { readonly to: string; readonly via?: string }[];
}

/** A link between two hosts of the lab, and its rate and delay. */
export interface LinkSpec {
  readonly lab: string;
  readonly ends: readonly [LinkEnd, LinkEnd];
  readonly shape: LinkShape;
}

/** Makes the link anew, whatever was there of it. */
export function makeLink({ lab, ends, shape }: LinkSpec): void {
  const [first, second] = ends;
  for (const end of ends) {
    if (interfaces(lab, end.host).includes(end.interface)) {
      inNetwork(lab, end.host, ["ip", "link", "delete", end.interface]);
    }
  }
  const peer = ["peer", "name", second.interface, "netns", PEER_NETWORK];
  inNetwork(lab, first.host, ["ip", "link", "add", first.interface, "type", "veth", ...peer], second.host);
  for (const end of ends) {
    if (end.address !== undefined) {
      inNetwork(lab, end.host, ["ip", "address", "add", end.address, "dev", end.interface]);
    }
    const master = end.bridge === undefined ? [] : ["master", end.bridge];
    inNetwork(lab, end.host, ["ip", "link", "set", end.interface, ...master, "up"]);
  }
  for (const end of ends) {
    for (const route of end.routes ?? []) {
      const via = route.via === undefined ? [] : ["via", route.via, "onlink"];
      inNetwork(lab, end.host, ["ip", "route", "replace", route.to, ...via, "dev", end.interface]);
    }
    for (const command of shapingCommands(end.interface, shape)) {
      inNetwork(lab, end.host, command);
    }
  }
}

function interfaces(lab: string, host: string): string[] {
  const links = JSON.parse(inNetwork(lab, host, ["ip", "-json", "link", "show"])) as { ifname: string }[];
  return links.map((link) => link.ifname);
}

function inNetwork(lab: string, host: string, command: readonly string[], peer?: string): string {
  try {
    return runInNetwork(lab, host, command, peer);
  } catch (error) {
    if (command.includes("netem") && /qdisc|netem/.test((error as Error).message)) {
      throw new Error(
        `This kernel has no netem (module sch_netem), so a link cannot have a delay. Leave \`delayMs\` out of \`egress-bench:local\`, or load the module. ${(error as Error).message}`,
      );
    }
    throw error;
  }
}
