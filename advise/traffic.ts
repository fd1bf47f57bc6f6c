/** Traffic as flow logs show it, with units. Missing is null. */

/** Lines that could not be used, of one reason. */
export interface BadLines {
  readonly reason: string;
  readonly count: number;
  /** Whether there may be more than were counted. */
  readonly atLeast: boolean;
  /** The first of them, as they stand in the file. */
  readonly examples: readonly string[];
}

/** Facts of the reading. */
export interface LogCounts {
  readonly files: number;
  /** As the files lie on disk. */
  readonly bytes: number;
  /** Lines or tuples, bad ones included. */
  readonly lines: number;
  /** Intervals without traffic. */
  readonly noData: number;
  /** Intervals of which the cloud lost records: their traffic is not in the log. */
  readonly skipData: number;
  readonly bad: readonly BadLines[];
  readonly unusable: readonly { readonly file: string; readonly reason: string }[];
  /** Files that end in the middle; used up to there. */
  readonly cut: readonly string[];
}

/** Bytes each way, seen from the private side. */
export interface Volume {
  readonly outBytes: number;
  readonly inBytes: number;
}

/** A rate of one window of time, with what the log's interval allows for. */
export interface BoundedRate {
  /** Lower bound: records that lie wholly in one window. */
  readonly least: number;
  /** With each record's bytes spread evenly over its time. */
  readonly estimate: number;
  /** Upper bound: all records that touch one window. Null: nothing bounds it, as in a bill. */
  readonly most: number | null;
}

interface Destination extends Volume {
  readonly address: string;
  /** The block it is counted in. */
  readonly prefix: string;
  readonly service: string | null;
  readonly region: string | null;
}

/** Bytes with one service of a cloud in one region. */
export interface ServiceVolume extends Volume {
  /** Null: no service of a cloud that is known. */
  readonly service: string | null;
  readonly region: string | null;
  readonly addresses: number;
}

/** A count of which only bounds are known. */
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
  /** Mappings that a NAT made: one a flow, and one more after each silence as long as its idle time-out. */
  readonly opened: number;
  /** Private addresses that opened any. */
  readonly clients: number;
  /** At once, to all destinations. */
  readonly concurrent: Bounds;
  /** New ones of the busiest minute, a second. A client that uses a port again within an interval hides some. */
  readonly openedPerSecond: number;
  /** The destination with the most flows at once. Null: there were none. */
  readonly busiest: (FlowEnd & { readonly concurrent: Bounds; readonly openedPerSecond: number }) | null;
  /** Most flows of one client to one destination. */
  readonly perClient: Bounds;
  readonly silences: Silences;
}

/** Times in which a flow sent nothing and then went on. */
interface Silences {
  /** Null: no flow was seen in two intervals. */
  readonly longestSeconds: number | null;
  /** Flows with a silence at least as long. */
  readonly over: readonly { readonly seconds: number; readonly flows: number }[];
  readonly longest: readonly (FlowEnd & { readonly client: string; readonly seconds: number })[];
}

/** Why an interface counts as a NAT's. */
export type NatReason = "given" | "resource" | "packet addresses" | "direction" | "volumes" | "counted";

/** An interface that is a NAT's, and how that is known. */
export interface NatInterface {
  readonly name: string;
  readonly reason: NatReason;
}

/** Zones in which NATs stand. */
export interface NatZones {
  /** Gateways that are paid for: one for each zone of each NAT. */
  readonly gateways: number;
  /** Their zones, or subnets where the log names no zones. */
  readonly zones: readonly string[];
  /** Whether these are zones (`az-id`) rather than subnets. */
  readonly named: boolean;
  /** Networks that they stand in: one NAT serves one. */
  readonly vpcs: number;
  /** Share of the traffic whose client is in another zone than its NAT. Null: the log does not tell clients' zones. */
  readonly crossingShare: number | null;
  /** The same if all used one NAT, in the zone with most traffic. */
  readonly crossingShareOfOne: number | null;
}

/** Traffic that a NAT does not carry, or that cannot be distinguished. */
export interface OtherTraffic {
  readonly insideBytes: number;
  readonly ipv6Bytes: number;
  readonly localBytes: number;
  readonly publicBytes: number;
  /** Bytes of flows that an outside host opened. */
  readonly inboundBytes: number;
  /** Bytes that went past every NAT, by AWS's `traffic-path`. */
  readonly bypassed: readonly { readonly path: number; readonly bytes: number }[];
  /** Bytes of other interfaces that no NAT in the log carried. 0: all were, or no interface is known to be a NAT's. */
  readonly unseenBytes: number;
  readonly rejectedRecords: number;
  readonly invalidAddressRecords: number;
}

/** Figures beside volumes that a NAT gateway's own counters or its bill give. Null: they lack the figure. */
export interface GatewayCounters {
  /** At once, to all destinations, at their highest. */
  readonly connections: number | null;
  /** New connections a second in the busiest period. */
  readonly newConnectionsPerSecond: number | null;
  /** Connections that found no port; on Azure those that failed, for whatever reason. */
  readonly portErrors: number | null;
  /** `one`: only what was sent or only what was received. `none`: both together. */
  readonly directions: "both" | "one" | "none";
  /** The amount that a bill's lines charge. */
  readonly charged: { readonly amount: number; readonly currency: string | null } | null;
  /** Names of unused data in the files. */
  readonly skipped: readonly string[];
}

/** All that advice is made of. */
export interface Traffic {
  readonly cloud: "aws" | "azure";
  /** The kind of input. */
  readonly source: "flow logs" | "metrics" | "bill";
  /** Null: flow logs were read. */
  readonly counters: GatewayCounters | null;
  /** Where the log says so. */
  readonly region: string | null;
  readonly logs: LogCounts;
  /** Records that were there more than once. Null: the format does not tell. */
  readonly duplicateRecords: number | null;
  readonly from: string;
  readonly to: string;
  /** Hours that the log covers: from first to last, without the gaps. Intervals without traffic are covered. */
  readonly hours: number;
  /** Times without a record, in order: what went on there is not known. */
  readonly gaps: readonly { readonly from: string; readonly to: string }[];
  /** The longest time that one record covers, but for one in a hundred. */
  readonly intervalSeconds: number;
  readonly nats: readonly NatInterface[];
  /** Null: the files do not tell. */
  readonly zones: NatZones | null;
  readonly total: Volume & { readonly outPackets: number; readonly inPackets: number };
  readonly other: OtherTraffic;
  /** Bits per second, each way and together, of the busiest minute. */
  readonly peak: {
    readonly out: BoundedRate;
    readonly in: BoundedRate;
    readonly both: BoundedRate;
    readonly at: string;
  } | null;
  /** Each hour with traffic, from its first second. */
  readonly byHour: readonly (Volume & { readonly hour: string })[];
  /** The largest ones. */
  readonly destinations: readonly Destination[];
  readonly destinationCount: number;
  readonly prefixes: readonly (Volume & { readonly prefix: string; readonly addresses: number })[];
  readonly services: readonly ServiceVolume[];
  /** Null: the log's format has no ports. */
  readonly flows: Flows | null;
}
