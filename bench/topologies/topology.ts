/** The record of a topology for prices, reports, stacks and docs; components build the topology itself. */
import type { CloudName } from "./clouds.ts";

/** Kind of a bill's line. */
export type ChargeKind = "service" | "data" | "address" | "disk" | "egress";

/** Unit of a charge: an hour of existence, a month, a GB in either direction, or a GB sent to the internet. */
export type ChargeUnit = "hour" | "month" | "gb" | "gb-sent";

export interface ChargeRule {
  readonly kind: ChargeKind;
  /** Name in price books. `vm-hour` is followed by the NAT instance's size. */
  readonly meter: string;
  readonly per: ChargeUnit;
  /** Quantity; `addresses`: the number of the topology's public addresses. */
  readonly count: number | "addresses";
  /** Clouds that charge for it. @default every cloud that has the topology */
  readonly clouds?: readonly CloudName[];
}

/** Prices by a service's kind. */
export interface ServiceKinds {
  /** The option that chooses it: a SKU, a tier. */
  readonly option: string;
  /** The default kind, with the plain meters. */
  readonly usual: string;
  /** Meters that others have of their own. */
  readonly meters: readonly string[];
}

/** A public address more, at one end, where an option has a value. */
export interface OptionalAddress {
  readonly at: "client" | "server";
  readonly option: string;
  readonly value: unknown;
}

/** One way from a client to a server. */
export interface Topology {
  /** Title in tables: `NAT gateway`. */
  readonly title: string;
  /** Clouds that have it; each has a component of the topology, a line in its registry and a stack file. */
  readonly clouds: readonly [CloudName, ...CloudName[]];
  /** The server's address that clients reach. `public`: packets leave and enter as internet traffic. */
  readonly serverSide: "public" | "private";
  /** Whether its clients have no public address, so that SSH goes through a jump host. */
  readonly jumpHost: boolean;
  /** Whether its server cannot be shared with other topologies, as its network allows one gateway of a kind. */
  readonly ownServer: boolean;
  /** Whether its clients are in the server's own network. */
  readonly besideServer: boolean;
  /** The translator: a Linux machine that is observed and priced by its size, a managed gateway, or none. */
  readonly nat: "instance" | "gateway" | null;
  /** Whether other topologies of a run are shown as ratios to this one. */
  readonly baseline: boolean;
  /** Most hours for building and taking down together. */
  readonly buildHours: number;
  /** All its charges. Clients, servers and jump hosts are not included. */
  readonly charges: readonly ChargeRule[];
  /** Nobody knows its public addresses before a server sees them. @default they are known */
  readonly unknownAddress?: true;
  /** @default its price is one, whatever its kind */
  readonly kinds?: ServiceKinds;
  /** @default none */
  readonly moreAddresses?: readonly OptionalAddress[];
}
