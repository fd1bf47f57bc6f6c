/** The figures of packets at the places of a path. */
import type { FigureEntry } from "./figure.ts";
import { perSecond, whole } from "./formats.ts";

type Place = "sender" | "nat" | "receiver";

const packetRate = (place: Place, words: string, path = `packetRates.${place}`) =>
  ({
    path,
    unit: "1/s",
    better: "higher",
    label: `Packets a second, ${words}`,
    format: perSecond,
  }) as const satisfies FigureEntry;

const packetDrops = (place: Place, words: string, path = `packetRates.${place}`) =>
  ({
    path: `${path}Drops`,
    unit: "1",
    better: "lower",
    label: `Packets dropped, ${words}`,
    format: whole,
    hasRatio: false,
    // Small packet counts are not normally distributed, and are often equal by chance.
    byRanks: true,
    leastChange: 1,
  }) as const satisfies FigureEntry;

/** One end of one direction of a test of both at once. */
const directed = (direction: "egress" | "ingress", place: "sender" | "receiver") =>
  [place, `${direction}, ${place}`, `packetRates.bothWays.${direction}.${place}`] as const;

/** Figures of packets by id, part of the registry. */
export const packetEntries = {
  packetsSent: packetRate("sender", "sender"),
  packetsSentDropped: packetDrops("sender", "sender"),
  packetsForwarded: packetRate("nat", "NAT instance"),
  packetsForwardedDropped: packetDrops("nat", "NAT instance"),
  packetsReceived: packetRate("receiver", "receiver"),
  packetsReceivedDropped: packetDrops("receiver", "receiver"),
  packetsEgressSent: packetRate(...directed("egress", "sender")),
  packetsEgressSentDropped: packetDrops(...directed("egress", "sender")),
  packetsEgressReceived: packetRate(...directed("egress", "receiver")),
  packetsEgressReceivedDropped: packetDrops(...directed("egress", "receiver")),
  packetsIngressSent: packetRate(...directed("ingress", "sender")),
  packetsIngressSentDropped: packetDrops(...directed("ingress", "sender")),
  packetsIngressReceived: packetRate(...directed("ingress", "receiver")),
  packetsIngressReceivedDropped: packetDrops(...directed("ingress", "receiver")),
} as const satisfies Readonly<Record<string, FigureEntry>>;
