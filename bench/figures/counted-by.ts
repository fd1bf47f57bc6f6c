/**
 * Each published figure: the end that counts it, the confirmation by the same run, and its bound. A figure without a counter at the
 * end that knows it is null.
 */
import type { CaseResult, Measurement } from "../results/index.ts";
import { failoverEntries } from "./failover.ts";
import type { FigureId } from "./index.ts";
import { type entries, packetEntries } from "./registry.ts";
import { searchedGoals } from "./searched-goals.ts";

export interface Count {
  /** As a person would name it. */
  readonly tool: string;
  /** @default none */
  readonly figures?: readonly FigureId[];
  /** What it counts besides, by its field in a measurement or case. @default none */
  readonly fields?: readonly (keyof Measurement | keyof CaseResult)[];
  readonly end: string;
  /** The confirmation, or the reason why it is null or the case fails. */
  readonly confirmedBy: string;
  readonly bound: string;
}

const latencies = [
  ...(["latencyMean", "latencyP50", "latencyP90", "latencyP99", "latencyP999"] as const),
  ...(["latencyMin", "latencyMax"] as const),
];
const losses = ["loss", "lostPackets", "packets"] as const;
const ids = <T extends object>(all: T) => Object.keys(all) as (keyof T & keyof typeof entries)[];

/** Every count, by tool. */
export const counts: readonly Count[] = [
  {
    tool: "iperf3, TCP",
    figures: ["throughput", "egressOfBoth", "ingressOfBoth", "bytes"],
    end: "receiver",
    confirmedBy:
      "the sender's bytes: the sender's figure where the receiver has 0.1 % more, or lacks a stream",
    bound: "what was sent",
  },
  {
    tool: "iperf3, TCP",
    figures: ["retransmits", "tcpRtt"],
    end: "the sender's kernel",
    confirmedBy: "nothing; the round trip is null where the server sends",
    bound: "none",
  },
  {
    tool: "iperf3, UDP",
    figures: ["throughput", "packetsPerSecond", "bytes", "jitter"],
    end: "receiver",
    confirmedBy:
      "the sender's rate less the loss, by the receiver's time; each end begins and ends the test by its own clock. Bytes: what was sent less a known loss, or what the kernel handed over, read in time or not",
    bound: "what was sent, or what arrived where datagrams were doubled and the loss is unknown",
  },
  {
    tool: "iperf3, UDP",
    figures: [...losses, "toolLostPackets"],
    end: "receiver: gaps in the numbers; of egress in the server's own output",
    confirmedBy:
      "both kernels' counts of the test's ports; null where they are missing, or doubled datagrams may hide losses",
    bound:
      "what was sent; what comes behind a silence of 1 s, or later than 3 s after the test, counts as lost",
  },
  {
    tool: "iperf3, UDP",
    figures: ["outOfOrderPackets"],
    end: "receiver; of egress the server's own output",
    confirmedBy: "nothing: late and doubled datagrams are the same to it",
    bound: "what arrived",
  },
  {
    tool: "iperf3",
    fields: ["streams"],
    end: "receiver; segments sent again: the sender's kernel",
    confirmedBy: "their sum: UDP's are null where it is not what arrived, or the test's loss is unknown",
    bound: "the test's figures",
  },
  {
    tool: "iperf3",
    fields: ["series", "outages"],
    end: "client: what it sent, or what arrived; outages of UDP egress and slow TCP egress: the server's kernel",
    confirmedBy: "nothing; outages are null where a sample is missing, or pauses are as long",
    bound: "the test's time",
  },
  {
    tool: "iperf3, search",
    fields: ["lossPlaces", "natDrops"],
    end: "each host's kernel",
    confirmedBy: "the loss, which their sum never exceeds; null where the receiver's host was not counted",
    bound: "the loss",
  },
  {
    tool: "iperf3",
    figures: ["sentRate"],
    end: "sender",
    confirmedBy: "the packets of its kernel",
    bound: "the rate that was asked for",
  },
  {
    tool: "search",
    figures: ["noDropRate", "partialDropRate", ...ids(searchedGoals), "peakStreams"],
    end: "receiver, in each trial",
    confirmedBy:
      "97 % of the rate was sent, and no queue grew by more than 30 ms and 1 % of the trial; the loss as of iperf3, UDP, and the most that it can be where doubled datagrams may hide some",
    bound: "`maxBitrate`, `maxStreams`",
  },
  {
    tool: "iperf3, search",
    figures: ids(packetEntries),
    end: "each host's kernel",
    confirmedBy: "the other hosts' counts; null where a host does not answer or a counter went back",
    bound: "none",
  },
  {
    tool: "sockperf",
    figures: [...latencies, "packets", "lostPackets", "outOfOrderPackets"],
    end: "client",
    confirmedBy:
      "the time that it measured: a lost UDP datagram ends it early, and fails the case, as does a reply that came twice",
    bound: "the test's time",
  },
  {
    tool: "irtt",
    figures: [...latencies, ...losses, "probeLoss"],
    end: "client",
    confirmedBy: "round trips below 0 or over the test's time are left out, and fail the case from 1 % on",
    bound: "0 to the test's time",
  },
  {
    tool: "irtt",
    fields: ["lossByDirection"],
    end: "server: what came; client: the rest",
    confirmedBy: "both counts together: null where replies came twice or the counts contradict",
    bound: "the loss",
  },
  {
    tool: "connect",
    fields: ["outages"],
    figures: [
      ...latencies,
      ...(["connectionsPerSecond", "connectionsFailed", "connectionsNotSent"] as const),
    ],
    end: "client",
    confirmedBy:
      "its kernel: SYNs sent again, and the round trip of an answer that was heard late or repeated",
    bound: "the time-out of 3 s",
  },
  {
    tool: "http",
    figures: [...latencies, "requestsPerSecond", "requestsFailed", "requestsNotSent"],
    end: "client",
    confirmedBy:
      "each answer's status, length, and the server's own number of the connection; a request that the client sends again counts once",
    bound: "the time-out of 10 s",
  },
  {
    tool: "ntttcp",
    figures: ["throughput", "bytes", "sentRate", "retransmits", "tcpRtt"],
    end: "sender; of UDP only what was sent",
    confirmedBy: "its log and its document: two figures that differ fail the case",
    bound: "sent again: by the test's end, not what its queue sends later",
  },
  {
    tool: "nat",
    figures: ["newConnections", "concurrentFlows", "idleTimeout"],
    end: "client",
    confirmedBy: "the responder's answer on each flow",
    bound: "the probe's own bound, which the result names",
  },
  {
    tool: "failover",
    figures: ids(failoverEntries),
    end: "client, packet by packet",
    confirmedBy:
      "the server's answers on each flow, new ones as of connect; times are known to the interval of packets",
    bound: "the time watched",
  },
];
