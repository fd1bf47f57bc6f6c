/** Where the datagrams of a case were lost. */
import type { Case } from "../plan/plan.ts";
import type { CaseResult, HostUsage, LossPlace, Measurement, NatDrops, Role } from "../results/index.ts";
import { directionOf, toolOf } from "../tools/index.ts";
import { isCounted, receiveDropsOf, sendDropsOf, sumOf, totalOf } from "./host-drops.ts";

interface Facts {
  readonly hosts: readonly HostUsage[];
  readonly measurement: Measurement | null;
  readonly natDrops: NatDrops | null;
  /** All hosts run on one machine, whose CPUs have common queues. */
  readonly sharedCpus: boolean;
}

/**
 * Losses by place: those that a host counted, from the receiver's socket backwards, then those of the path. The path's are what no
 * host can have dropped, known only where all hosts were counted throughout, and at most what the kernels count as lost.
 * Datagrams without a place are unknown. Null where nothing was lost, or the receiver's host was not counted.
 */
export function lossPlacesOf(benchCase: Case, facts: Facts): LossPlace[] | null {
  const { hosts, measurement, natDrops, sharedCpus } = facts;
  const { lostPackets, packets } = measurement ?? {};
  const direction = directionOf(benchCase);
  const [sender, receiver] = endsOf(direction);
  const counted = hosts.filter(({ role }) => role === receiver).map(({ network }) => network);
  const known = counted.length > 0 && counted.every((network) => network?.udp != null);
  if (!lostPackets || !packets || !known || !toolOf(benchCase).passesNatAsUdp?.(benchCase)) {
    return null;
  }
  const total = (count: (network: NonNullable<HostUsage["network"]>) => number, role: Role) =>
    hosts.reduce((sum, host) => sum + (host.role === role && host.network ? count(host.network) : 0), 0);
  const softnet = sharedCpus ? 0 : total((network) => network.softnetDrops ?? 0, receiver);
  const fragments = fragmentsOf(benchCase);
  const atSender = sendDropsOfTest(benchCase, packets, {
    drops: total(sendDropsOf, sender),
    sent: total((network) => sumOf(network, "sentPackets"), sender),
  });
  const hasFragments = counted.some(hidesFiltered);
  const kept = natDrops === null ? 0 : natDrops.receivedPackets - natDrops.sentPackets;
  const atNat = kept > NAT_OWN_PACKETS ? kept : 0;
  const counts: LossCount[] = [
    ["receiver-socket", total((network) => network.udp?.receiveBufferErrors ?? 0, receiver)],
    ["receiver-host", total(receiveDropsOf, receiver) + softnet],
    // The NAT instance counts packets: of a fragmented datagram it dropped between one and all.
    ["nat", hasFragments ? Math.ceil(atNat / fragments) : atNat],
    ["sender", atSender.least],
  ];
  const atHosts = counts.reduce((sum, [, count]) => sum + count, 0) + atSender.most - atSender.least;
  const sentMore =
    total((network) => sumOf(network, "sentPackets"), sender) -
    total((network) => sumOf(network, "receivedPackets"), receiver);
  const areAllCounted =
    !hasFragments &&
    // Otherwise they reached the receiver's interface and were dropped there uncounted, e.g. by a device's rules.
    sentMore >= lostPackets / 2 &&
    (natDrops !== null || hosts.every(({ role }) => role !== "nat")) &&
    hosts
      .filter(({ role }) => role === sender || role === receiver)
      .every(({ network }) => isCounted(network) && network.udp !== null && network.queueDrops !== null);
  // The hosts' counts may include their other datagrams, e.g. echoes, so they prove no loss on the path.
  const all = lostBetweenHosts(direction, hosts);
  const proved: LossCount = [
    "path",
    areAllCounted ? Math.max(0, Math.min(lostPackets, all ?? lostPackets) - atHosts) : 0,
  ];
  // Hosts' counts include a warm-up and all trials of a search, so loss outside the test itself may be at any place.
  const isPart = benchCase.omitSeconds > 0 || toolOf(benchCase).hasTrials === true;
  const outside = isPart ? Math.max(0, (all ?? Number.POSITIVE_INFINITY) - lostPackets) : 0;
  return [...inTest(counts, lostPackets, outside), proved]
    .filter(([, count]) => count > 0)
    .map(([place, own]) => ({ place, packets: own, percent: (100 * own) / packets }));
}

/** Packets that a NAT instance may receive for itself during a test, e.g. answers to its own queries. */
const NAT_OWN_PACKETS = 3;
/** Other programs' packets that may be counted as the test's, e.g. its control connection's. */
const FEW_OTHERS = { packets: 50, share: 0.02 };
/** UDP's payload in a whole fragment of an Ethernet frame without options. */
const FRAGMENT_BYTES = 1480;

/**
 * Packets of the test that its sender's queues dropped. The queues drop other programs' packets too, so the test lost
 * at least the drops that exceed all packets of others.
 */
function sendDropsOfTest(benchCase: Case, packets: number, { drops, sent }: { drops: number; sent: number }) {
  const { durationSeconds, omitSeconds } = benchCase;
  const own = packets * fragmentsOf(benchCase) * (1 + omitSeconds / durationSeconds);
  const others = Math.max(0, sent + drops - own);
  const isTests = others <= FEW_OTHERS.packets + FEW_OTHERS.share * own;
  return { least: isTests ? drops : Math.max(0, Math.round(drops - others)), most: drops };
}

/** Packets per datagram on an Ethernet without jumbo frames. */
function fragmentsOf(benchCase: Case): number {
  const bytes = "datagramBytes" in benchCase ? (benchCase.datagramBytes ?? 0) : 0;
  return Math.max(1, Math.ceil(bytes / FRAGMENT_BYTES));
}

/** Whether a host received fragments: the number that its firewall dropped is then unknown, up to all that were lost. */
function hidesFiltered(network: HostUsage["network"]): boolean {
  return network?.udp?.ofTestPorts === true && network.udp.filteredDatagrams === undefined;
}

type LossCount = readonly [place: LossPlace["place"], packets: number];

/** The datagrams that each place lost in the test itself: in this order, each at most what the places before left over. */
function inTest(counts: readonly LossCount[], lost: number, outside: number): LossCount[] {
  let left = lost + outside;
  return counts.map(([place, count]) => {
    const own = Math.min(left, count);
    left -= own;
    return [place, Math.max(0, own - outside)];
  });
}

/** Percent of the datagrams that were lost at a place; 0 where none was known to be. */
export function lossAt(places: readonly LossPlace[] | null, place: LossPlace["place"]): number {
  return places?.find((one) => one.place === place)?.percent ?? 0;
}

/**
 * Datagrams that the sending hosts sent and no program on the receiving hosts got: lost on the way, or dropped at a full
 * socket buffer. Counted from just before to just after the test, so none is still on its way. They include the few other
 * datagrams of the sender's host. Null: not all hosts counted.
 */
export function lostBetweenHosts(direction: Direction, hosts: readonly HostUsage[]): number | null {
  const [from] = endsOf(direction);
  // Datagrams that found a full queue on the sender do not count as sent.
  const sent = totalOf(hosts, from, ({ udp }) =>
    udp?.sentDatagrams === undefined ? null : udp.sentDatagrams + udp.sendBufferErrors,
  );
  const arrived = arrivedBetweenHosts(direction, hosts);
  return sent === null || arrived === null ? null : Math.max(0, sent - arrived);
}

/** Datagrams that came to the receiving hosts and found room in a socket. Null: not all hosts counted, or not the test's `alone`. */
export function arrivedBetweenHosts(direction: Direction, hosts: readonly HostUsage[], alone = false) {
  const [, to] = endsOf(direction);
  return totalOf(hosts, to, ({ udp }) =>
    udp?.arrivedDatagrams === undefined || (alone && !udp.ofTestPorts)
      ? null
      : udp.arrivedDatagrams - udp.receiveBufferErrors,
  );
}

/** Notes on the loss of UDP cases: one line names the hosts that also count other programs' datagrams. */
export function lossNotes(cases: readonly CaseResult[]): string[] {
  const measured = cases.filter(({ measurement }) => measurement?.lostPackets != null);
  const unsure = measured.flatMap(({ hosts }) => hosts.filter(receivesOthers)).map(({ host }) => host);
  const names = [...new Set(unsure)].sort().join(", ");
  return names === ""
    ? []
    : [
        `${names}: without root, other programs' datagrams are counted too: they may hide UDP loss at the end of a test.`,
      ];
}

/** Whether a host received the test's datagrams and also counted other programs'. */
function receivesOthers({ role, network }: HostUsage): boolean {
  const { ofTestPorts, arrivedDatagrams = 0, sentDatagrams = 0 } = network?.udp ?? {};
  return ["client", "server"].includes(role) && ofTestPorts === false && arrivedDatagrams > sentDatagrams;
}

type Direction = "egress" | "ingress";

function endsOf(direction: Direction): readonly [from: Role, to: Role] {
  return direction === "ingress" ? ["server", "client"] : ["client", "server"];
}
