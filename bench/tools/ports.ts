/**
 * TCP and UDP ports that a benchmark's hosts listen on: the host agent's own, and those that the tools name. Clouds
 * build firewall rules from it.
 *
 * They lie so that all of TCP's are one range, and all of UDP's, with none between them that is not ours: AWS counts
 * each range for each source address, and has room for 60. A new tool takes a port at an end of the range.
 */
import { tools } from "./index.ts";
import type { ToolPort } from "./tool.ts";

/** TCP. Tells a caller the source address that the agent saw, and starts and stops sampling. */
export const AGENT_PORT = 5200;

/** Both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}
/** Port ranges by protocol. */
export type PortRanges = Readonly<Record<"tcp" | "udp", readonly PortRange[]>>;

const agent: ToolPort = { first: AGENT_PORT, protocols: ["tcp"], onClient: true };
const all = [agent, ...Object.values(tools).flatMap((tool) => Object.values(tool.ports))];

/** Ports of a server that its clients connect to. */
export const testPorts: PortRanges = rangesOf(all);

/** Ports of a client that its server connects to: the agent's, and those of tools whose sender connects. */
export const receiverPorts: PortRanges = rangesOf(all.filter(({ onClient }) => onClient === true));

/** Ports of the tests' own connections, by which hosts find their source address. First and last of each range. */
export const dataPorts = pairsOf(
  rangesOf(Object.values(tools).flatMap((tool) => tool.dataPorts ?? Object.values(tool.ports))),
);

function pairsOf({ tcp, udp }: PortRanges) {
  const pairs = (ranges: readonly PortRange[]) => ranges.map(({ first, last }) => [first, last] as const);
  return { tcp: pairs(tcp), udp: pairs(udp) };
}

function rangesOf(ports: readonly ToolPort[]): PortRanges {
  const of = (protocol: "tcp" | "udp") =>
    merged(ports.filter(({ protocols }) => protocols.includes(protocol)));
  return { tcp: of("tcp"), udp: of("udp") };
}

/** In order, neighbours as one: clouds count their firewalls' rules. */
function merged(ports: readonly ToolPort[]): PortRange[] {
  const result: PortRange[] = [];
  for (const { first, last = first } of ports.toSorted((a, b) => a.first - b.first)) {
    const before = result.at(-1);
    if (before !== undefined && before.last + 1 >= first) {
      result[result.length - 1] = { first: before.first, last: Math.max(before.last, last) };
    } else {
      result.push({ first, last });
    }
  }
  return result;
}
