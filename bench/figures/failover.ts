/** The figures of a NAT instance that was made to fail. */
import { formatPercent } from "../plan/quantities.ts";
import type { FigureEntry } from "./figure.ts";
import { milliseconds, whole } from "./formats.ts";

// The median of two counts may lie between them.
const flows = (value: number) => value.toLocaleString("en-US", { maximumFractionDigits: 1 });

type Held = "flows.tcp" | "flows.udp" | `kinds.${string}`;

const survivors = (path: Held, label: string) =>
  ({
    path: `failover.${path}.survived`,
    unit: "1",
    better: "higher",
    label,
    format: flows,
    centre: "median",
    hasRatio: false,
    countsSurvivors: true,
  }) as const satisfies FigureEntry;

const opened = (path: Held, label: string) =>
  ({
    path: `failover.${path}.opened`,
    unit: "1",
    better: null,
    label,
    format: whole,
    centre: "median",
    use: "kept",
  }) as const satisfies FigureEntry;

const time = { unit: "ms", better: "lower", format: milliseconds } as const;
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
    ...time,
    path: "failover.outages.new.ms",
    // An outage that lasts to the end of the case has no length.
    read: ({ failover }) => (failover?.outages.new.ended ? failover.outages.new.ms : null),
    label: "Outage when the NAT instance fails",
    heading: ": outage",
    centre: "median",
    absentMeans: NEVER,
    absentBy: "failoverNeverRecovered",
    absentDetail: lastedOver("new"),
    answers: ["failover"],
    decidesRepetitions: ({ failover }) => failover?.outages.new.ms,
  },
  failoverEstablished: {
    ...time,
    path: ESTABLISHED_PATH,
    read: ({ failover }) => (failover?.outages.established.ended ? failover.outages.established.ms : null),
    label: "Outage of an established flow",
    centre: "median",
    absentMeans: NEVER,
    absentBy: "failoverNeverRecovered",
    absentDetail: lastedOver("established"),
  },
  failoverTcpSurvived: survivors("flows.tcp", "TCP flows that survived"),
  failoverUdpSurvived: survivors("flows.udp", "UDP flows that survived"),
  failoverTcpOpened: opened("flows.tcp", "TCP flows that were opened"),
  failoverUdpOpened: opened("flows.udp", "UDP flows that were opened"),
  failoverSendingSurvived: survivors("kinds.sending", "TCP connections that survived, only the client sends"),
  failoverReceivingSurvived: survivors(
    "kinds.receiving",
    "TCP connections that survived, only the server sends",
  ),
  failoverIdleSurvived: survivors("kinds.idle", "TCP connections that survived, idle"),
  failoverSendingOpened: opened("kinds.sending", "TCP connections that were opened, only the client sends"),
  failoverReceivingOpened: opened(
    "kinds.receiving",
    "TCP connections that were opened, only the server sends",
  ),
  failoverIdleOpened: opened("kinds.idle", "TCP connections that were opened, idle"),
  failoverOverAfter: {
    ...time,
    path: "failover.missed.new.overAfterMs",
    label: "Time until no new connection fails any more",
    use: "kept",
  },
  failoverMissedTotal: {
    ...time,
    path: "failover.missed.new.totalMs",
    label: "All outages of new connections together",
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
    ...time,
    path: "failover.flows.tcp.stallMs.max",
    label: "Longest stall of a TCP flow that survived",
    centre: "median",
    use: "kept",
  },
  failoverReadyAgain: {
    ...time,
    path: "failover.readyAgainMs",
    label: "Time until all NAT instances are ready again",
    centre: "median",
    use: "kept",
  },
} as const satisfies Readonly<Record<string, FigureEntry>>;
