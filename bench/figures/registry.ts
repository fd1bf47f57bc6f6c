/**
 * Every measured figure, once. The order is the order of tables. The first measured figure leads a summary and decides
 * the number of repetitions.
 */
import { formatBitRate, formatMicroseconds, formatPercent } from "../plan/quantities.ts";
import type { Latency } from "../results/measurement.ts";
import { failoverEntries } from "./failover.ts";
import type { FigureEntry } from "./figure.ts";
import { milliseconds, perSecond, whole } from "./formats.ts";
import { FOUND_NONE, partialDropRate, searchedGoals } from "./searched-goals.ts";

/** Where a path's packets are counted. */
type Place = "sender" | "nat" | "receiver";

const rate = { unit: "bit/s", better: "higher", format: formatBitRate } as const;
const frequency = { unit: "1/s", better: "higher", format: perSecond } as const;
const failures = { unit: "1", better: "lower", format: whole } as const;

const packetRate = (place: Place, words: string, path = `packetRates.${place}`) =>
  ({
    ...frequency,
    path,
    label: `Packets a second, ${words}`,
  }) as const satisfies FigureEntry;

const packetDrops = (place: Place, words: string, path = `packetRates.${place}`) =>
  ({
    ...failures,
    path: `${path}Drops`,
    label: `Packets dropped, ${words}`,
    hasRatio: false,
    // Small packet counts are not normally distributed, and are often equal by chance.
    byRanks: true,
    leastChange: 1,
  }) as const satisfies FigureEntry;

/** One end of one direction of a test of both at once. */
const directed = (direction: "egress" | "ingress", place: "sender" | "receiver") =>
  [place, `${direction}, ${place}`, `packetRates.bothWays.${direction}.${place}`] as const;

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

const seconds = (value: number) => `${whole(value)} s`;
const isNot0 = (words: string) => (text: string, value: number | null) => (value ? `${text} ${words}` : "");

const packetCount = { unit: "1", better: null, format: whole, use: "counted", overPairs: "sum" } as const;

const latency = (key: keyof Latency & string, name: string) =>
  ({
    path: `latencyUs.${key}`,
    unit: "us",
    better: "lower",
    label: `Latency ${name}`,
    shortName: name,
    format: formatMicroseconds,
    beside: ["round-trips", "connections", "requests"],
  }) as const satisfies FigureEntry;

const loss = {
  unit: "%",
  better: "lower",
  shortName: "loss",
  format: formatPercent,
  alsoAnswers: ["round-trips"],
  inSummary: (text: string) => `${text} lost`,
  // A ratio of two tiny losses says nothing.
  hasRatio: false,
  leastChange: 0.01,
} as const;

/** All figures by id. To add one, write an entry here and have its tool's parser write the value at `path`. */
export const entries = {
  noDropRate: {
    ...rate,
    path: "search.found",
    // A search for streams finds no rate; a search that found nothing did not find a rate of 0.
    read: ({ search }) => (search !== null && search.goal !== "peak" ? search.found : null),
    label: "Rate held within the loss bound",
    absentMeans: FOUND_NONE,
    applies: ({ search }) => search !== null && search.goal !== "peak",
    isSearched: true,
    rankedColumns: Number.POSITIVE_INFINITY,
    answers: ["throughput"],
    decidesRepetitions: true,
  },
  partialDropRate: {
    ...rate,
    path: "search.pdr.found",
    // Only from a search for both rates; the entry above has the rate of a single search.
    read: partialDropRate,
    label: "Rate held within the looser bound",
    shortName: "PDR",
    absentMeans: FOUND_NONE,
    applies: (measurement) => partialDropRate(measurement) !== undefined,
    beside: ["throughput"],
  },
  ...searchedGoals,
  peakStreams: {
    path: "search.found",
    read: ({ search }) => (search?.goal === "peak" ? search.found : null),
    unit: "1",
    better: null,
    label: "Streams that carry most",
    format: whole,
    use: "counted",
    applies: ({ search }) => search?.goal === "peak",
    alsoAnswers: ["throughput"],
  },
  latencyMean: { ...latency("mean", "mean"), decidesRepetitions: true },
  latencyP50: {
    ...latency("p50", "p50"),
    heading: ", p50",
    beside: [],
    answers: ["round-trips", "connections", "requests"],
    rankedColumns: 1,
    inSummary: (text) => `p50 ${text}`,
  },
  latencyP90: { ...latency("p90", "p90"), use: "kept" },
  latencyP99: { ...latency("p99", "p99"), inSummary: (text) => `p99 ${text}` },
  latencyP999: latency("p999", "p99.9"),
  latencyMin: { ...latency("min", "least"), use: "kept", beside: [] },
  latencyMax: { ...latency("max", "most"), use: "kept", beside: [] },
  throughput: {
    ...rate,
    path: "bitsPerSecond",
    label: "Throughput",
    overPairs: "rate",
    // TCP egress and ingress.
    rankedColumns: 2,
    answers: ["throughput"],
    decidesRepetitions: true,
  },
  egressOfBoth: {
    ...rate,
    path: "bothWays.egressBitsPerSecond",
    label: "Throughput of egress, both directions at once",
    shortName: "egress",
    beside: ["throughput"],
    inSummary: (text) => `egress ${text}`,
  },
  ingressOfBoth: {
    ...rate,
    path: "bothWays.ingressBitsPerSecond",
    label: "Throughput of ingress, both directions at once",
    shortName: "ingress",
    beside: ["throughput"],
    inSummary: (text) => `ingress ${text}`,
  },
  probeLoss: {
    ...loss,
    path: "probeLoss.lostPercent",
    label: "Loss of the probe's packets",
    beside: ["round-trips"],
  },
  loss: {
    ...loss,
    path: "lostPercent",
    label: "Loss",
    overPairs: "loss",
    isOfLoad: true,
    beside: ["throughput", "round-trips"],
    // TCP cannot lose the messages that sockperf counts.
    applies: ({ packets, lostPercent, latencyUs }) =>
      lostPercent !== null || (packets !== null && latencyUs === null),
  },
  connectionsPerSecond: {
    ...frequency,
    path: "connections.perSecond",
    label: "Connections a second",
    shortName: "opened",
    beside: ["connections"],
  },
  connectionsFailed: {
    ...failures,
    path: "connections.failed",
    label: "Connections that failed",
    use: "kept",
    beside: ["connections"],
    alsoAnswers: ["connections"],
    inSummary: isNot0("failed"),
  },
  connectionsNotSent: {
    path: "connections.notSent",
    unit: "1",
    better: null,
    label: "Connections that were due and not tried",
    format: whole,
    use: "counted",
    beside: ["connections"],
    inSummary: isNot0("not sent"),
  },
  requestsPerSecond: {
    ...frequency,
    path: "requests.perSecond",
    label: "Requests answered a second",
    shortName: "answered",
    beside: ["requests"],
    inSummary: (text) => `${text} answered`,
  },
  requestsFailed: {
    ...failures,
    path: "requests.failed",
    label: "Requests that failed",
    beside: ["requests"],
    alsoAnswers: ["requests"],
    hasRatio: false,
    byRanks: true,
    leastChange: 1,
    inSummary: isNot0("failed"),
  },
  requestsNotSent: {
    path: "requests.notSent",
    unit: "1",
    better: null,
    label: "Requests that were due and not begun",
    format: whole,
    use: "counted",
    beside: ["requests"],
    inSummary: isNot0("not sent"),
  },
  newConnections: {
    ...frequency,
    path: "natLimits.connectionRate.perSecond",
    label: "New connections a second, at most",
    heading: ": connections a second",
    answers: ["nat-limits"],
    decidesRepetitions: true,
  },
  concurrentFlows: {
    path: "natLimits.concurrentFlows.opened",
    unit: "1",
    better: "higher",
    label: "Flows at once",
    heading: ": flows at once",
    format: whole,
    answers: ["nat-limits"],
    decidesRepetitions: true,
  },
  idleTimeout: {
    path: "natLimits.idleTimeout.survivedSeconds",
    unit: "s",
    better: "higher",
    label: "Longest silence survived",
    heading: ": longest silence survived",
    format: seconds,
    answers: ["nat-limits"],
    byRanks: true,
    decidesRepetitions: true,
  },
  ...failoverEntries,
  packetsPerSecond: {
    ...frequency,
    path: "packetsPerSecond",
    label: "Packets a second",
    use: "kept",
    overPairs: "rate",
  },
  ...packetEntries,
  jitter: {
    path: "jitterMs",
    unit: "ms",
    better: "lower",
    label: "Jitter",
    format: milliseconds,
    use: "kept",
    overPairs: "mean",
  },
  retransmits: {
    ...packetCount,
    path: "retransmits",
    better: "lower",
    label: "TCP segments sent again",
    use: "kept",
  },
  sentRate: { ...rate, path: "sentBitsPerSecond", label: "Sent", use: "counted", overPairs: "rate" },
  bytes: { ...packetCount, path: "bytes", unit: "byte", label: "Bytes" },
  packets: { ...packetCount, path: "packets", label: "Packets" },
  lostPackets: { ...packetCount, path: "lostPackets", label: "Packets lost" },
  toolLostPackets: { ...packetCount, path: "toolLostPackets", label: "Packets lost by the tool's own count" },
  outOfOrderPackets: { ...packetCount, path: "outOfOrderPackets", label: "Packets out of order" },
  tcpRtt: {
    path: "tcpRttUs",
    unit: "us",
    better: "lower",
    label: "TCP's round trip",
    format: formatMicroseconds,
    use: "counted",
    overPairs: "mean",
  },
} as const satisfies Readonly<Record<string, FigureEntry>>;
