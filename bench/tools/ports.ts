/**
 * TCP and UDP ports that a benchmark's hosts listen on: the host agent's own, and the tools'. Clouds build firewall rules
 * from them.
 *
 * The ports of each protocol form one range without foreign ports, since AWS counts each range for each source address, and
 * allows 60. Give a new tool a port at an end of the range.
 */
import { tools } from "./index.ts";
import type { ToolPort } from "./tool.ts";

/** TCP. The agent reports the source address that it saw to its caller, and starts and stops sampling. */
export const AGENT_PORT = 5200;

/** Both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}
export type PortRanges = Readonly<Record<"tcp" | "udp", readonly PortRange[]>>;

const agent: ToolPort = { first: AGENT_PORT, protocols: ["tcp"], onClient: true };
const all = [agent, ...Object.values(tools).flatMap((tool) => Object.values(tool.ports))];

/** Ports of a server that its clients connect to. */
export const testPorts: PortRanges = rangesOf(all);

/** Ports of a client that its server connects to: the agent's, and those of tools with a connecting sender. */
export const receiverPorts: PortRanges = rangesOf(all.filter(({ onClient }) => onClient === true));

/** First and last port of each range of the tests' own connections, by which hosts find their source address. */
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

/** Sorted, with neighbours merged: clouds limit the number of firewall rules. */
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
