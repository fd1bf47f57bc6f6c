/** Traffic from flow logs, with units. Null means missing. */
import type { PricedCloud } from "../../../bench/topologies/clouds.ts";

/** Unusable lines with one reason. */
export interface BadLines {
  readonly reason: string;
  readonly count: number;
  /** Whether the count is a lower bound. */
  readonly atLeast: boolean;
  /** The first of them, verbatim. */
  readonly examples: readonly string[];
}

/** Facts found while reading. */
export interface LogCounts {
  readonly files: number;
  /** Size of the files on disk. */
  readonly bytes: number;
  /** Lines or tuples, bad ones included. */
  readonly lines: number;
  /** Intervals without traffic. */
  readonly noData: number;
  /** Intervals for which the cloud lost records: their traffic is not in the log. */
  readonly skipData: number;
  readonly bad: readonly BadLines[];
  readonly unusable: readonly { readonly file: string; readonly reason: string }[];
  /** Truncated files, used up to their end. */
  readonly cut: readonly string[];
}

/** Bytes each way, seen from the private side. */
export interface Volume {
  readonly outBytes: number;
  readonly inBytes: number;
}

/** A rate in one window of time, with the uncertainty of the log's interval. */
export interface BoundedRate {
  /** Lower bound: records entirely within one window. */
  readonly least: number;
  /** Estimate, with each record's bytes spread evenly over its time. */
  readonly estimate: number;
  /** Upper bound: all records that touch one window. Null: no bound, as in a bill. */
  readonly most: number | null;
}

export interface Destination extends Volume {
  readonly address: string;
  /** The block in which it is counted. */
  readonly prefix: string;
  readonly service: string | null;
  readonly region: string | null;
}

/** Bytes with one service of a cloud in one region. */
interface ServiceVolume extends Volume {
  /** Null: no known service of a cloud. */
  readonly service: string | null;
  readonly region: string | null;
  readonly addresses: number;
}

interface Bounds {
  readonly low: number;
  readonly high: number;
}

interface FlowEnd {
  readonly address: string;
  readonly port: number;
  /** IANA number: 6 TCP, 17 UDP. */
  readonly protocol: number;
}

/** Flows that the private side opened. */
export interface Flows {
  /** Mappings that a NAT made: one per flow, and one more after each silence as long as its idle time-out. */
  readonly opened: number;
  /** Private addresses that opened flows. */
  readonly clients: number;
  /** Concurrent flows to all destinations. */
  readonly concurrent: Bounds;
  /** New flows per second in the busiest minute. A client that reuses a port within an interval hides some. */
  readonly openedPerSecond: number;
  /** The destination with the most concurrent flows. Null: no flows. */
  readonly busiest: (FlowEnd & { readonly concurrent: Bounds; readonly openedPerSecond: number }) | null;
  /** Most concurrent flows of one client to one destination. */
  readonly perClient: Bounds;
  readonly silences: Silences;
}

/** Periods in which a flow sent nothing and then continued. */
interface Silences {
  /** Null: no flow was seen in two intervals. */
  readonly longestSeconds: number | null;
  /** Number of flows with a silence of at least this length. */
  readonly over: readonly { readonly seconds: number; readonly flows: number }[];
  readonly longest: readonly (FlowEnd & { readonly client: string; readonly seconds: number })[];
}

export type NatReason = "given" | "resource" | "packet addresses" | "direction" | "volumes" | "counted";

interface NatInterface {
  readonly name: string;
  readonly reason: NatReason;
}

/** How much crosses zones between clients and NATs. */
interface Crossing {
  /** Share of the traffic whose client is in another zone than its NAT. Null: clients' zones are not known. */
  readonly crossingShare: number | null;
  /** The same share if all used one NAT, in the zone with most traffic. */
  readonly crossingShareOfOne: number | null;
}

export interface NatZones extends Crossing {
  /** Billed gateways: one for each zone of each NAT. */
  readonly gateways: number;
  /** Their zones, or subnets where the log names no zones. */
  readonly zones: readonly string[];
  /** Whether these are zones (`az-id`) rather than subnets. */
  readonly named: boolean;
}

/** Traffic that a NAT does not carry, or that cannot be attributed. */
export interface OtherTraffic {
  readonly insideBytes: number;
  readonly ipv6Bytes: number;
  readonly localBytes: number;
  readonly publicBytes: number;
  /** Bytes of flows that an outside host opened. */
  readonly inboundBytes: number;
  /** Bytes that bypassed every NAT, by AWS's `traffic-path`. */
  readonly bypassed: readonly { readonly path: number; readonly bytes: number }[];
  /** Bytes of other interfaces that no NAT in the log carried. 0: none, or no NAT is known. */
  readonly unseenBytes: number;
  readonly rejectedRecords: number;
  readonly invalidAddressRecords: number;
}

/** Figures besides volumes from a NAT gateway's own counters or its bill. Null: not included. */
export interface GatewayCounters {
  /** Most concurrent connections to all destinations. */
  readonly connections: number | null;
  /** New connections per second in the busiest period. */
  readonly newConnectionsPerSecond: number | null;
  /** Connections that found no port; on Azure all failed ones. */
  readonly portErrors: number | null;
  /** `one`: only sent or only received bytes. `none`: only their sum. */
  readonly directions: "both" | "one" | "none";
  /** All gateways of the files, also those that replaced one another. */
  readonly gateways: readonly string[];
  /** Gateways that carried nothing. */
  readonly idle: readonly string[];
  /** The most of them at one time. */
  readonly idleAtOneTime: number;
  /** Gateways times hours of a bill. */
  readonly gatewayHours: number | null;
  /**
   * Money of a bill's lines: the sum, what the gateway sent to the internet, and what is no usage; `listed` is what the bill says
   * that the rest costs at public prices, null where it does not say. Null: none, or several currencies.
   */
  readonly charged: {
    readonly amount: number;
    readonly currency: string | null;
    readonly listed: number | null;
    readonly egress: number;
    readonly causes: readonly {
      readonly cause: "usage" | "discount" | "credit" | "refund" | "unread" | "other";
      readonly amount: number;
    }[];
  } | null;
  /** Names of unused data in the files. */
  readonly skipped: readonly string[];
  /** Assumptions of reading, one sentence each. */
  readonly assumed: readonly string[];
  /** Whether hours and bytes were made of money at list prices. */
  readonly isDerived: boolean;
}

/** How fast traffic is. */
interface Rates {
  /** Bits per second in the busiest minute, by direction and together. */
  readonly peak: {
    readonly out: BoundedRate;
    readonly in: BoundedRate;
    readonly both: BoundedRate;
    readonly at: string;
  } | null;
  readonly byHour: readonly (Volume & { readonly hour: string })[];
  /**
   * Bytes of each gateway that is still there, the most first. `share`: the most that its rates are of all gateways', in the busiest
   * minute either way or together, or in the busiest hour. One, if the source does not tell gateways apart.
   */
  readonly byGateway: readonly { readonly name: string; readonly bytes: number; readonly share: number }[];
}

/** Traffic without what a region's free endpoints take. */
interface Rest extends Rates, Crossing {
  readonly region: string;
  readonly total: Traffic["total"];
  readonly flows: Flows | null;
}

/** The basis of advice. */
export interface Traffic extends Rates {
  readonly cloud: PricedCloud;
  readonly source: "flow logs" | "metrics" | "bill" | "typed";
  /** Null for flow logs. */
  readonly counters: GatewayCounters | null;
  /** The account or subscription. Null: the files do not name it. */
  readonly account: string | null;
  /** Null: the files do not name it. */
  readonly region: string | null;
  /** The VPC or virtual network. Null: the files do not name it. */
  readonly network: string | null;
  readonly logs: LogCounts;
  /** Duplicate records. Null: the format does not show them. */
  readonly duplicateRecords: number | null;
  readonly from: string;
  readonly to: string;
  /** Hours that the log covers: from first to last, without the gaps. Intervals without traffic count. */
  readonly hours: number;
  /** Periods without a record, in order; their traffic is not known. */
  readonly gaps: readonly { readonly from: string; readonly to: string }[];
  /** The longest time that one record covers, except for one record in a hundred. */
  readonly intervalSeconds: number;
  readonly nats: readonly NatInterface[];
  /** Null: the files do not show zones. */
  readonly zones: NatZones | null;
  readonly total: Volume & { readonly outPackets: number; readonly inPackets: number };
  readonly other: OtherTraffic;
  /** For each region whose free endpoints take anything. */
  readonly rest: readonly Rest[];
  /** The largest ones. */
  readonly destinations: readonly Destination[];
  readonly destinationCount: number;
  readonly prefixes: readonly (Volume & { readonly prefix: string; readonly addresses: number })[];
  readonly services: readonly ServiceVolume[];
  /** Null: the log's format has no ports. */
  readonly flows: Flows | null;
}
