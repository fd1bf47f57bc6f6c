/**
 * TCP and UDP ports that a benchmark server listens on. The one place that knows them: plans build commands
 * from it, clouds build firewall rules from it.
 *
 * They lie so that all of TCP's are one range, and all of UDP's, with none between them that is not ours: AWS counts
 * each range for each source address, and has room for 60.
 *
 * @module
 */
export const ports = {
  /** Accepts and closes, for the connect probe. TCP. */
  connect: 5199,
  /** The host agent's own: tells a caller the source address it saw, and starts and stops sampling. TCP. */
  agent: 5200,
  /** iperf3's control and data port, which is its default. TCP and UDP. */
  iperf3: 5201,
  /** sockperf server. TCP and UDP. */
  sockperf: 5202,
  /** NAT responder. TCP and UDP. */
  nat: 5203,
  /** NAT responder's second port, which tells how a NAT maps and filters. UDP. */
  natOther: 5204,
} as const;

/**
 * ntttcp's first data ports. Each stream has a port of its own; the port before the first is TCP's, where sender and
 * receiver agree on a test.
 */
export const ntttcpPorts = { tcp: 5135, udp: 5205, streams: 64 } as const;

/** Both ends included. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}
export type PortRanges = Readonly<Record<"tcp" | "udp", readonly PortRange[]>>;

/** Ports of ntttcp's receivers. */
const ntttcpRanges: PortRanges = {
  tcp: [streamsFrom(ntttcpPorts.tcp, 1), single(ntttcpPorts.udp - 1)],
  udp: [streamsFrom(ntttcpPorts.udp, 0)],
};

/** Ports of a client that its server connects to: the agent's, and those of tools whose sender connects. */
export const receiverPorts: PortRanges = {
  tcp: merged([single(ports.agent), ...ntttcpRanges.tcp]),
  udp: merged(ntttcpRanges.udp),
};

/** Ports of a server that its clients connect to. */
export const testPorts: PortRanges = {
  tcp: merged([
    ...[ports.connect, ports.agent, ports.iperf3, ports.sockperf, ports.nat].map(single),
    ...ntttcpRanges.tcp,
  ]),
  udp: merged([
    ...[ports.iperf3, ports.sockperf, ports.nat, ports.natOther].map(single),
    ...ntttcpRanges.udp,
  ]),
};

/** @param before Ports before the first stream's. */
function streamsFrom(first: number, before: number): PortRange {
  return { first: first - before, last: first + ntttcpPorts.streams - 1 };
}

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
