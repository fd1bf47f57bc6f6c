/** Packets that a host itself dropped, by its kernel's counters. */
import type { HostUsage } from "../results/index.ts";

type Network = NonNullable<HostUsage["network"]>;

/** Sum of a counter over a host's interfaces. */
export function sumOf(
  { interfaces }: Network,
  count: "sentPackets" | "receivedPackets" | "sendDrops" | "receiveDrops",
): number {
  return interfaces.reduce((sum, one) => sum + one[count], 0);
}

/** Whether all interfaces were counted for all the time. */
export function isCounted(network: Network | null | undefined): network is Network {
  return !!network?.interfaces.length && network.interfaces.every(({ restarted }) => restarted !== true);
}

/** Packets dropped by queues and interfaces instead of being sent. Sockets learn of only some of these drops. */
export function sendDropsOf(network: Network): number {
  return sumOf(network, "sendDrops") + Math.max(network.udp?.sendBufferErrors ?? 0, network.queueDrops ?? 0);
}

/** Packets dropped between interface and socket. */
export function receiveDropsOf(network: Network): number {
  return sumOf(network, "receiveDrops") + (network.udp?.filteredDatagrams ?? 0);
}
