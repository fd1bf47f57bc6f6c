/** The figures of a NAT instance that was made to fail. */
import { formatPercent } from "../plan/quantities.ts";
import type { FigureEntry } from "./figure.ts";
import { milliseconds, whole } from "./formats.ts";

// The median of two counts may lie between them.
const flows = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 1 });

const survivors = (protocol: "tcp" | "udp") =>
  ({
    path: `failover.flows.${protocol}.survived`,
    unit: "1",
    better: "higher",
    label: `${protocol.toUpperCase()} flows that survived`,
    format: flows,
    centre: "median",
    hasRatio: false,
    countsSurvivors: true,
  }) as const satisfies FigureEntry;

const opened = (path: "flows.tcp" | "flows.udp" | `kinds.${string}`, label: string) =>
  ({
    path: `failover.${path}.opened`,
    unit: "1",
    better: null,
    label,
    format: whole,
    centre: "median",
    use: "kept",
  }) as const satisfies FigureEntry;

const kindSurvivors = (kind: "sending" | "receiving" | "idle", words: string) =>
  ({
    path: `failover.kinds.${kind}.survived`,
    unit: "1",
    better: "higher",
    label: `TCP connections that survived, ${words}`,
    format: flows,
    centre: "median",
    hasRatio: false,
    countsSurvivors: true,
  }) as const satisfies FigureEntry;

const NEVER = "never recovered";
const NEVER_PATH = "failover.neverRecovered";
const ESTABLISHED_PATH = "failover.outages.established.ms";

/** An outage's least length, where it lasted to the end of the case. */
const lastedOver = (kind: "new" | "established") =>
  (({ failover }) =>
    failover === null
      ? ""
      : `over ${milliseconds(failover.outages[kind].ms)}`) satisfies FigureEntry["absentDetail"];

export const failoverEntries = {
  failoverNeverRecovered: {
    path: NEVER_PATH,
    // Traffic of either kind may stay away.
    read: ({ failover }) =>
      failover === null ? null : Number(!(failover.outages.new.ended && failover.outages.established.ended)),
    unit: "1",
    better: "lower",
    label: "Share of failures that traffic never recovered from",
    shortName: NEVER,
    format: (share) => formatPercent(100 * share),
    byRanks: true,
    hasRatio: false,
    countsFailures: true,
    beside: ["failover"],
  },
  failoverOutage: {
    path: "failover.outages.new.ms",
    // An outage that lasts to the end of the case has no length.
    read: ({ failover }) => (failover?.outages.new.ended ? failover.outages.new.ms : null),
    unit: "ms",
    better: "lower",
    label: "Outage when the NAT instance fails",
    heading: ": outage",
    format: milliseconds,
    centre: "median",
    absentMeans: NEVER,
    absentBy: "failoverNeverRecovered",
    absentDetail: lastedOver("new"),
    answers: ["failover"],
    decidesRepetitions: ({ failover }) => failover?.outages.new.ms,
  },
  failoverEstablished: {
    path: ESTABLISHED_PATH,
    read: ({ failover }) => (failover?.outages.established.ended ? failover.outages.established.ms : null),
    unit: "ms",
    better: "lower",
    label: "Outage of an established flow",
    format: milliseconds,
    centre: "median",
    absentMeans: NEVER,
    absentBy: "failoverNeverRecovered",
    absentDetail: lastedOver("established"),
  },
  failoverTcpSurvived: survivors("tcp"),
  failoverUdpSurvived: survivors("udp"),
  failoverTcpOpened: opened("flows.tcp", "TCP flows that were opened"),
  failoverUdpOpened: opened("flows.udp", "UDP flows that were opened"),
  failoverSendingSurvived: kindSurvivors("sending", "only the client sends"),
  failoverReceivingSurvived: kindSurvivors("receiving", "only the server sends"),
  failoverIdleSurvived: kindSurvivors("idle", "idle"),
  failoverSendingOpened: opened("kinds.sending", "TCP connections that were opened, only the client sends"),
  failoverReceivingOpened: opened(
    "kinds.receiving",
    "TCP connections that were opened, only the server sends",
  ),
  failoverIdleOpened: opened("kinds.idle", "TCP connections that were opened, idle"),
  failoverOverAfter: {
    path: "failover.missed.new.overAfterMs",
    unit: "ms",
    better: "lower",
    label: "Time until no new connection fails any more",
    format: milliseconds,
    use: "kept",
  },
  failoverMissedTotal: {
    path: "failover.missed.new.totalMs",
    unit: "ms",
    better: "lower",
    label: "All outages of new connections together",
    format: milliseconds,
    use: "kept",
  },
  failoverStreamsFailed: {
    path: "failover.streams.failed",
    unit: "1",
    better: "lower",
    label: "Steady UDP flows that missed something",
    format: whole,
    use: "kept",
  },
  failoverTcpStall: {
    path: "failover.flows.tcp.stallMs.max",
    unit: "ms",
    better: "lower",
    label: "Longest stall of a TCP flow that survived",
    format: milliseconds,
    centre: "median",
    use: "kept",
  },
  failoverReadyAgain: {
    path: "failover.readyAgainMs",
    unit: "ms",
    better: "lower",
    label: "Time until all NAT instances are ready again",
    format: milliseconds,
    centre: "median",
    use: "kept",
  },
} as const satisfies Readonly<Record<string, FigureEntry>>;
