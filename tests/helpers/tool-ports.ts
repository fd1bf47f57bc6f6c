/** The ports of a benchmark's hosts by name, as in deployed stacks' firewalls. */
export const ports = {
  connect: 5199,
  agent: 5200,
  iperf3: 5201,
  sockperf: 5202,
  nat: 5203,
  natOther: 5204,
  https: 5205,
} as const;
