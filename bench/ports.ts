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
