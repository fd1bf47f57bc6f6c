import type { Measurement } from "../../results/measurement.ts";

/** A measurement with nothing measured, for tools to fill in what they have. */
export const nothingMeasured: Measurement = {
  bitsPerSecond: null,
  sentBitsPerSecond: null,
  bytes: null,
  durationSeconds: null,
  packetsPerSecond: null,
  packets: null,
  lostPackets: null,
  lostPercent: null,
  toolLostPackets: null,
  countedBy: null,
  outOfOrderPackets: null,
  jitterMs: null,
  retransmits: null,
  tcpRttUs: null,
  latencyUs: null,
  lossByDirection: null,
  connections: null,
  search: null,
  natLimits: null,
  failover: null,
  outages: null,
  streams: [],
  series: [],
};
