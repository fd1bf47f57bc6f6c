/** Packets per second at each place of a case's path, as the kernels of its hosts count them. */
import type { Case } from "../plan/plan.ts";
import type { HostUsage, Measurement, NatDrops, Role, Search } from "../results/index.ts";
import type { PacketRates } from "../results/packet-rates.ts";
import { totalOfKnown } from "../statistics/sample.ts";
import { directionOf, toolOf } from "../tools/index.ts";
import { countedTotal, receiveDropsOf, sendDropsOf, sumOf } from "./host-drops.ts";

type EndRates = Pick<PacketRates, "sender" | "senderDrops" | "receiver" | "receiverDrops">;
type Network = NonNullable<HostUsage["network"]>;

/**
 * The measurement of a throughput case with its packets per second and drops at sender, NAT instances and receiver. Rates are
 * means over the whole run of the tool, warm-up included. A test of both directions has their sum and each by itself. A search
 * has its best trial's rates, counted by its agent, or else the last trial's datagrams at the found rate, as iperf3
 * counts them.
 */
export function withPacketRates(
  measurement: Measurement | null,
  benchCase: Case,
  hosts: readonly HostUsage[],
  natDrops: NatDrops | null,
): Measurement | null {
  const seconds = benchCase.durationSeconds + benchCase.omitSeconds;
  if (measurement === null || toolOf(benchCase).question !== "throughput") {
    return measurement;
  }
  if (measurement.search !== null) {
    const packetRates = measurement.packetRates ?? ratesOfSearch(measurement.search);
    return packetRates === null ? measurement : { ...measurement, packetRates };
  }
  const forwarded = countedTotal(hosts, "nat", (network) => sumOf(network, "receivedPackets"));
  const nat = {
    nat: forwarded === null ? null : forwarded / seconds,
    natDrops:
      natDrops === null
        ? countedTotal(hosts, "nat", (network) =>
            totalOfKnown([sumOf(network, "receiveDrops"), sendDropsIfCounted(network)]),
          )
        : Math.max(0, natDrops.receivedPackets - natDrops.sentPackets),
  };
  const egress = endRates(hosts, ["client", "server"], seconds);
  const ingress = endRates(hosts, ["server", "client"], seconds);
  if (!("bothWays" in benchCase && benchCase.bothWays)) {
    const own = directionOf(benchCase) === "egress" ? egress : ingress;
    return { ...measurement, packetRates: { ...own, ...nat } };
  }
  const both = (place: keyof EndRates) => totalOfKnown([egress[place], ingress[place]]);
  const packetRates: PacketRates = {
    ...{ sender: both("sender"), senderDrops: both("senderDrops") },
    ...{ receiver: both("receiver"), receiverDrops: both("receiverDrops") },
    ...nat,
    bothWays: { egress, ingress },
  };
  return { ...measurement, packetRates };
}

function endRates(hosts: readonly HostUsage[], [from, to]: readonly [Role, Role], seconds: number): EndRates {
  const rate = (role: Role, side: "sentPackets" | "receivedPackets") => {
    const packets = countedTotal(hosts, role, (network) => sumOf(network, side));
    return packets === null ? null : packets / seconds;
  };
  return {
    sender: rate(from, "sentPackets"),
    senderDrops: countedTotal(hosts, from, sendDropsIfCounted),
    receiver: rate(to, "receivedPackets"),
    receiverDrops: countedTotal(
      hosts,
      to,
      (network) => receiveDropsOf(network) + (network.udp?.receiveBufferErrors ?? 0),
    ),
  };
}

/** Null: nothing was found, or the search is for streams of TCP, whose packets iperf3 does not count. */
function ratesOfSearch({ found, trials }: Search): PacketRates | null {
  const best = trials.findLast((one) => one.passed && one.offeredBitsPerSecond === found);
  if (best?.packets == null || best.durationSeconds === null) {
    return null;
  }
  const { packets, lostPackets, durationSeconds } = best;
  return {
    ...{ sender: packets / durationSeconds, senderDrops: null },
    ...{ nat: null, natDrops: null },
    receiver: lostPackets === null ? null : (packets - lostPackets) / durationSeconds,
    receiverDrops: null,
  };
}

function sendDropsIfCounted(network: Network): number | null {
  return network.queueDrops === null ? null : sendDropsOf(network);
}
