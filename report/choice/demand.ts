/** What is asked of a way out, the machines to choose from, and the size that follows. */
import type { Capacity } from "../../bench/machines/index.ts";
import type { WayOut } from "../../bench/topologies/limits.ts";
import type { PublishedNatRate } from "../published/published.ts";

/** Peak quantities that decide sizes. Null: not known. */
export interface Demand {
  /** Concurrent flows to the busiest destination. */
  readonly flowsToOneDestination: number | null;
  /** Concurrent flows to all destinations. */
  readonly flows: number | null;
  /** Concurrent flows from one client to one destination. */
  readonly flowsOfOneClient: number | null;
  /** Private addresses that open flows. */
  readonly clients: number | null;
  /** Bits per second of the busiest minute, both directions together. */
  readonly peakBitsPerSecond: number;
  /** Bits per second of the busiest minute in its busier direction. */
  readonly peakOneWayBitsPerSecond: number | null;
  /** Bits per second of the busiest hour, both directions together; a month's mean if hours are not known. */
  readonly busyBitsPerSecond: number;
  /** The longest silence that a connection must survive. */
  readonly idleSeconds: number | null;
  /** New connections per second. @default not known */
  readonly newConnectionsPerSecond?: number | null;
  /** Packets per second of the busiest minute. @default not known */
  readonly packetsPerSecond?: number | null;
  /** Number of zones, for ways out that stand in one zone. */
  readonly zones: number;
}

/** A size of NAT machine. */
export interface NatMachine extends Capacity {
  readonly size: string;
  readonly vcpus: number;
  /** Published rate of this size as a NAT, by others. Null: none. */
  readonly published: PublishedNatRate | null;
  /** Connections that its memory can track. Null: no such limit is known. */
  readonly connections: number | null;
  /** Seconds after which its security group forgets a silent connection. */
  readonly trackedTcpSeconds: number | null;
  /** Hourly price by region, and the region of a replacement price. */
  readonly prices: Readonly<Record<string, { readonly anHour: number; readonly pricedIn: string | null }>>;
}

/** Needed ports, addresses and gateways. */
export interface Sizing<Way extends WayOut = WayOut> {
  readonly candidate: Way;
  /** Ports to the busiest destination; for a load balancer, to all clients together. Null: not in the log. */
  readonly ports: number | null;
  readonly addresses: number;
  readonly gateways: number;
  /** The machine's size, for a NAT instance. */
  readonly size: string | null;
  /** A size that carries the demand and is cheaper in other regions, but has no price in this one. Null: none. */
  readonly unpriced: string | null;
  /** Formula of the counts, with figures. */
  readonly formula: string;
  /** Why it cannot carry the traffic; null: it can. */
  readonly tooSmall: string | null;
}
