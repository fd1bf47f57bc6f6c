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
  /** sockperf server. TCP and UDP. */
  sockperf: 11111,
} as const;

/**
 * ntttcp's first data ports. Each stream has a port of its own; the port before the first is TCP's, where sender and
 * receiver agree on a test. 5001 is ntttcp's default, and the ranges are laid so that each is one rule of a firewall.
 */
export const ntttcpPorts = { tcp: 5001, udp: 5066, streams: 64 } as const;

/** Ports of ntttcp's receivers, both ends included. */
export const ntttcpRanges = {
  tcp: { first: ntttcpPorts.tcp - 1, last: ntttcpPorts.udp - 1 },
  udp: { first: ntttcpPorts.udp, last: ntttcpPorts.udp + ntttcpPorts.streams - 1 },
} as const;
