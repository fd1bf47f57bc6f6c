/** Connects two lab hosts by a veth pair made inside their namespaces, never in the machine's own. */
import { commandLine, quote } from "../../../bench/shell.ts";
import { PEER_NETWORK, runInNetwork } from "./enter.ts";
import { run } from "./machine.ts";
import { type LinkShape, shapingCommands } from "./shaping.ts";

export interface LinkEnd {
  readonly host: string;
  readonly interface: string;
  /** Address with prefix length; a /32 makes an unnumbered point-to-point link. */
  readonly address?: string;
  /** Bridge that the end becomes a port of, instead of having an address. */
  readonly bridge?: string;
  readonly routes?: readonly { readonly to: string; readonly via?: string }[];
}

export interface LinkSpec {
  readonly lab: string;
  readonly ends: readonly [LinkEnd, LinkEnd];
  readonly shape: LinkShape;
}

/**
 * Makes the link anew, removing remains of an earlier one. A host is entered as rarely as possible: that takes longer than
 * the commands.
 */
export function makeLink({ lab, ends, shape }: LinkSpec): void {
  const [first, second] = ends;
  tryShape(shape);
  const peer = ["peer", "name", second.interface, "netns", PEER_NETWORK];
  const add = commandLine(["ip", "link", "add", first.interface, "type", "veth", ...peer]);
  inNetwork(lab, second.host, [deletion(second)]);
  inNetwork(lab, first.host, [deletion(first), add, ...bringUp(first)], second.host);
  // Both ends must be up before a route leads there.
  inNetwork(lab, second.host, [...bringUp(second), ...routesAndShape(second, shape)]);
  inNetwork(lab, first.host, routesAndShape(first, shape));
}

function deletion(end: LinkEnd): string {
  const device = quote(end.interface);
  return `if ip link show dev ${device} >/dev/null 2>&1; then ip link delete ${device}; fi`;
}

function bringUp({ address, bridge, interface: device }: LinkEnd): string[] {
  const addresses = address === undefined ? [] : [["ip", "address", "add", address, "dev", device]];
  const master = bridge === undefined ? [] : ["master", bridge];
  return [...addresses, ["ip", "link", "set", device, ...master, "up"]].map(commandLine);
}

function routesAndShape({ routes = [], interface: device }: LinkEnd, shape: LinkShape): string[] {
  const replacements = routes.map(({ to, via }) => {
    const next = via === undefined ? [] : ["via", via, "onlink"];
    return ["ip", "route", "replace", to, ...next, "dev", device];
  });
  return [...replacements, ...shapingCommands(device, shape)].map(commandLine);
}

/**
 * Shapes an interface of a network that ends at once. A shape that the kernel refuses must fail before the earlier link is
 * deleted: Pulumi keeps that link's specification, and would not make it again once the setting is taken back.
 * @throws {Error} where the kernel refuses the shape
 */
function tryShape(shape: LinkShape): void {
  const commands = shapingCommands("lo", shape).map(commandLine);
  if (commands.length === 0) {
    return;
  }
  try {
    run("unshare", ["--net", "sh", "-exs"], { input: `${commands.join("\n")}\n` });
  } catch (error) {
    const { message } = error as Error;
    // The last line of the trace is the command that failed.
    if (/^\+ tc .* netem /.test(message.slice(message.lastIndexOf("+ ")))) {
      throw new Error(
        `This kernel has no netem (module sch_netem), so a link cannot have a delay. Leave \`delayMs\` out of \`egress-bench:local\`, or load the module. ${message}`,
      );
    }
    throw error;
  }
}

function inNetwork(lab: string, host: string, commands: readonly string[], peer?: string): void {
  if (commands.length > 0) {
    runInNetwork(lab, host, `${commands.join("\n")}\n`, peer);
  }
}
