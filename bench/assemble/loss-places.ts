/** Where the datagrams of a case were lost. */
import type { Case } from "../plan/plan.ts";
import type { HostUsage, LossPlace, Measurement, NatDrops } from "../results/index.ts";
import { directionOf, toolOf } from "../tools/index.ts";
import { lostBetweenHosts } from "./lost-between-hosts.ts";

interface Facts {
  readonly hosts: readonly HostUsage[];
  readonly measurement: Measurement | null;
  readonly natDrops: NatDrops | null;
  /** All hosts run on one machine: the queues of its CPUs are everybody's. */
  readonly sharedCpus: boolean;
}

/**
 * Those that a host counted, from the receiver's socket backwards, and what no host did: the path's. Null where nothing
 * was lost, or the receiver's host was not counted.
 */
export function lossPlacesOf(benchCase: Case, facts: Facts): LossPlace[] | null {
  const { hosts, measurement, natDrops, sharedCpus } = facts;
  const { lostPackets, packets } = measurement ?? {};
  const direction = directionOf(benchCase);
  const [sender, receiver] = direction === "egress" ? ["client", "server"] : ["server", "client"];
  const counted = hosts.filter(({ role }) => role === receiver).map(({ network }) => network);
  const known = counted.length > 0 && counted.every((network) => network?.udp != null);
  if (!lostPackets || !packets || !known || !toolOf(benchCase).passesNatAsUdp(benchCase)) {
    return null;
  }
  const total = (count: (network: NonNullable<HostUsage["network"]>) => number, role: string) =>
    hosts.reduce((sum, host) => sum + (host.role === role && host.network ? count(host.network) : 0), 0);
  const drops = (side: "receiveDrops" | "sendDrops") => (network: NonNullable<HostUsage["network"]>) =>
    network.interfaces.reduce((sum, one) => sum + one[side], 0);
  const softnet = sharedCpus ? 0 : total((network) => network.softnetDrops ?? 0, receiver as string);
  const counts: [LossPlace["place"], number][] = [
    ["receiver-socket", total((network) => network.udp?.receiveBufferErrors ?? 0, receiver as string)],
    ["receiver-host", total(drops("receiveDrops"), receiver as string) + softnet],
    ["nat", natDrops === null ? 0 : Math.max(0, natDrops.receivedPackets - natDrops.sentPackets)],
    [
      "sender",
      // A queue that is full drops what the program believes sent, which is not a drop of the interface.
      total((network) => network.udp?.sendBufferErrors ?? 0, sender as string) +
        total(drops("sendDrops"), sender as string),
    ],
  ];
  // Sent minus received limits the sum over all places; without it, the number of lost datagrams does.
  // irtt without a load discards no warm-up. The host's counters hold the server's other UDP traffic beside its replies.
  const isEcho = benchCase.tool === "irtt" && benchCase.load == null;
  const all = isEcho ? null : lostBetweenHosts(direction, hosts);
  const places = all === null || all < lostPackets ? within(counts, lostPackets) : within(counts, all);
  return scaled(places, lostPackets).map(([place, own]) => ({
    place,
    packets: own,
    percent: (100 * own) / packets,
  }));
}

type Counts = readonly (readonly [LossPlace["place"], number])[];

/** Each place at most what is left of all, in this order; the path has the rest. */
function within(counts: Counts, all: number): Counts {
  let left = all;
  const given = counts.map(([place, count]) => {
    const own = Math.min(left, count);
    left -= own;
    return [place, own] as const;
  });
  return [...given, ["path", left]];
}

/** Hosts count the warm-up too: each place has its share of what was lost without it. */
function scaled(counts: Counts, lost: number): Counts {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts
    .map(([place, count]) => [place, Math.round((lost * count) / total)] as const)
    .filter(([, count]) => count > 0);
}

/** Percent of the datagrams that were lost at a place; 0 where none was known to be. */
export function lossAt(places: readonly LossPlace[] | null, place: LossPlace["place"]): number {
  return places?.find((one) => one.place === place)?.percent ?? 0;
}
