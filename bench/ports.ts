/**
 * TCP and UDP ports that a benchmark server listens on. The one place that knows them: plans build commands
 * from it, clouds build firewall rules from it.
 *
 * @module
 */
export const ports = {
  /** The host agent's own: tells a caller the source address it saw, and starts and stops sampling. TCP. */
  agent: 5200,
  /** iperf3's control and data port. TCP and UDP. */
  iperf3: 5201,
  /** Accepts and closes, for the connect probe. TCP. */
  connect: 5203,
  /** NAT responder. TCP and UDP. */
  nat: 5204,
  /** NAT responder's second port, which tells how a NAT maps and filters. UDP. */
  natOther: 5205,
  /** sockperf server. TCP and UDP. */
  sockperf: 11111,
} as const;

/**
 * ntttcp's first data ports. Each stream has a port of its own; the port before the first is TCP's, where sender and
 * receiver agree on a test. 5001 is ntttcp's default, and the ranges are laid so that each is one rule of a firewall.
 */
export const ntttcpPorts = { tcp: 5001, udp: 5066, streams: 64 } as const;

/** Both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}
export type PortRanges = Readonly<Record<"tcp" | "udp", readonly PortRange[]>>;

/** Ports of ntttcp's receivers. */
export const ntttcpRanges = {
  tcp: { first: ntttcpPorts.tcp - 1, last: ntttcpPorts.udp - 1 },
  udp: { first: ntttcpPorts.udp, last: ntttcpPorts.udp + ntttcpPorts.streams - 1 },
} as const;

/** Ports of a client that its server connects to: the agent's, and those of tools whose sender connects. */
export const receiverPorts: PortRanges = {
  tcp: merged([single(ports.agent), ntttcpRanges.tcp]),
  udp: merged([ntttcpRanges.udp]),
};

/** Ports of a server that its clients connect to. */
export const testPorts: PortRanges = {
  tcp: merged([
    ...[ports.agent, ports.iperf3, ports.connect, ports.nat, ports.sockperf].map(single),
    ntttcpRanges.tcp,
  ]),
  udp: merged([...[ports.iperf3, ports.nat, ports.natOther, ports.sockperf].map(single), ntttcpRanges.udp]),
};

function single(port: number): PortRange {
  return { first: port, last: port };
}

/** In order, neighbours as one: clouds count their firewalls' rules. */
function merged(ranges: readonly PortRange[]): PortRange[] {
  const result: PortRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = result.at(-1);
    if (before !== undefined && before.last + 1 >= range.first) {
      result[result.length - 1] = { first: before.first, last: Math.max(before.last, range.last) };
    } else {
      result.push(range);
    }
  }
  return result;
}
