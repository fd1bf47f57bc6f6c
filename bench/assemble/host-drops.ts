/** Packets that a host itself dropped, by its kernel's counters. */

import type { Case } from "../plan/plan.ts";
import type { HostUsage, NatDrops } from "../results/index.ts";
import { toolOf } from "../tools/index.ts";

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

/**
 * Packets into the NAT instances of a path minus packets out of them, all interfaces and both directions together.
 * The instances' few own packets (logins, the agents' requests) are included.
 *
 * Only for UDP that passes the NAT: interfaces merge and split TCP's packets (GRO, GSO), so in and out need not
 * agree. Null where no host has the role `nat`, and where one of them was not counted.
 */
export function natDropsOf(benchCase: Case, hosts: readonly HostUsage[]): NatDrops | null {
  const instances = hosts.filter(({ role }) => role === "nat").map(({ network }) => network);
  if (!toolOf(benchCase).passesNatAsUdp?.(benchCase) || instances.length === 0) {
    return null;
  }
  const counted = instances.filter(isCounted);
  if (counted.length < instances.length) {
    return null;
  }
  const [receivedPackets = 0, sentPackets = 0] = (["receivedPackets", "sentPackets"] as const).map((side) =>
    counted.reduce((sum, network) => sum + sumOf(network, side), 0),
  );
  // More out than in: the instances' own packets.
  const lost = Math.max(0, receivedPackets - sentPackets);
  const lostPercent = receivedPackets > 0 ? (100 * lost) / receivedPackets : null;
  return { receivedPackets, sentPackets, lostPercent };
}
