/** Made-up counts of a host, and the loss of a test of UDP. */
import { type HostUsage, hostUsageSchema, type Role } from "../../../bench/results/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { usageOf } from "./fixture.ts";

interface Counts {
  readonly socket?: number | null;
  readonly received?: number;
  readonly sent?: number;
  readonly softnet?: number;
  /** Datagrams that found a full queue on the sender, and all drops of its queues. */
  readonly queued?: number;
  readonly queueDrops?: number;
  /** Packets that its interface sent and received, of the test and others. */
  readonly sentPackets?: number;
  readonly receivedPackets?: number;
}

export function host(
  role: Role,
  {
    socket = 0,
    received = 0,
    sent = 0,
    softnet = 0,
    queued = 0,
    queueDrops = 0,
    sentPackets = 500_000,
    receivedPackets = 400_000,
  }: Counts = {},
): HostUsage {
  const counts = { receivedPackets, sentPackets, receivedBytes: 1e9, sentBytes: 1e9 };
  const parts = { userPercent: 1, systemPercent: 1, softirqPercent: 1, stealPercent: 0 };
  return usageOf(role, [{ ...counts, receiveDrops: received, sendDrops: sent }], {
    cpu: { busyPercent: 20, ...parts, series: [] },
    network: {
      udp: socket === null ? null : { receiveBufferErrors: socket, sendBufferErrors: queued },
      softnetDrops: softnet,
      queueDrops,
    },
  });
}

/** A host with such counts of datagrams; others are 0. */
export function counted(role: Role, datagrams: object): HostUsage {
  const one = host(role);
  const none = { receiveBufferErrors: 0, sendBufferErrors: 0, sentDatagrams: 0, arrivedDatagrams: 0 };
  return hostUsageSchema.parse({ ...one, network: { ...one.network, udp: { ...none, ...datagrams } } });
}

export const lost = (lostPackets: number, packets = 500_000) => ({
  ...nothingMeasured,
  packets,
  lostPackets,
  lostPercent: (100 * lostPackets) / packets,
});
