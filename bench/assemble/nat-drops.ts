/** How many packets a NAT instance did not pass on. */
import type { Case } from "../plan/plan.ts";
import type { HostUsage, NatDrops } from "../results/index.ts";
import { toolOf } from "../tools/index.ts";
import { isCounted, sumOf } from "./host-drops.ts";

/**
 * Packets into the NAT instances of a path against packets out of them, all interfaces and both directions together.
 * Their own few (logins, the agents' requests) are among them.
 *
 * Only for cases of UDP that is meant to pass: TCP's packets interfaces merge and split (GRO, GSO), so that in and out
 * need not agree. Null where no host has the role `nat`, and where one of them was not counted.
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
  // More out than in: their own.
  const lost = Math.max(0, receivedPackets - sentPackets);
  const lostPercent = receivedPackets > 0 ? (100 * lost) / receivedPackets : null;
  return { receivedPackets, sentPackets, lostPercent };
}
