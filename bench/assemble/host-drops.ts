/** Packets that hosts counted and dropped, by their kernels' counters. */
import type { Case } from "../plan/plan.ts";
import type { HostUsage, NatDrops, Role } from "../results/index.ts";
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

/** Sum of a count over the hosts of a role. Null: there is no such host, or one of them did not count. */
export function totalOf(
  hosts: readonly HostUsage[],
  role: Role,
  count: (network: Network) => number | null | undefined,
): number | null {
  const counts = hosts.filter((host) => host.role === role).map(({ network }) => network && count(network));
  return counts.length > 0 && counts.every((one) => one != null)
    ? counts.reduce((sum, one) => sum + one, 0)
    : null;
}

/** {@link totalOf} of hosts whose interfaces were all counted for all the time. */
export function countedTotal(...[hosts, role, count]: Parameters<typeof totalOf>): number | null {
  return totalOf(hosts, role, (network) => (isCounted(network) ? count(network) : null));
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
  const [receivedPackets, sentPackets] = (["receivedPackets", "sentPackets"] as const).map((side) =>
    countedTotal(hosts, "nat", (network) => sumOf(network, side)),
  );
  if (!toolOf(benchCase).passesNatAsUdp?.(benchCase) || receivedPackets == null || sentPackets == null) {
    return null;
  }
  // More out than in: the instances' own packets.
  const lost = Math.max(0, receivedPackets - sentPackets);
  const lostPercent = receivedPackets > 0 ? (100 * lost) / receivedPackets : null;
  return { receivedPackets, sentPackets, lostPercent };
}
