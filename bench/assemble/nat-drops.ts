/** Packets that a NAT instance did not pass on. */
import type { Case } from "../plan/plan.ts";
import type { HostUsage, NatDrops } from "../results/index.ts";
import { toolOf } from "../tools/index.ts";
import { isCounted, sumOf } from "./host-drops.ts";

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
