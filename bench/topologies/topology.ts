/** The record of a topology for prices, reports, stacks and docs; components build it. */
import type { CloudName } from "./clouds.ts";

/** Kind of a line of the bill. */
export type ChargeKind = "service" | "data" | "address" | "disk" | "egress";

/** Unit of a charge: an hour of existence, a month, a GB in either direction, or a GB sent to the internet. */
export type ChargeUnit = "hour" | "month" | "gb" | "gb-sent";

/** One thing that a topology is charged for. */
export interface ChargeRule {
  readonly kind: ChargeKind;
  /** As price books name it. `vm-hour` is followed by the NAT instance's size. */
  readonly meter: string;
  readonly per: ChargeUnit;
  /** How many of it; `addresses`: as many as the topology has public addresses. */
  readonly count: number | "addresses";
  /** Where it is charged. @default every cloud that has the topology */
  readonly clouds?: readonly CloudName[];
}

/** One way from a client to a server. */
export interface Topology {
  /** In words, for tables: `NAT gateway`. */
  readonly title: string;
  /** That have it; each has a component of the topology, a line in its registry and a stack file. */
  readonly clouds: readonly [CloudName, ...CloudName[]];
  /** The server's address that clients reach. `public`: traffic leaves and enters as the internet's. */
  readonly serverSide: "public" | "private";
  /** Whether its clients have no public address, so that they are logged in to through a jump host. */
  readonly jumpHost: boolean;
  /** Whether its server cannot be shared with other topologies, as its network holds one gateway of a kind. */
  readonly ownServer: boolean;
  /** Whether its clients are in the server's own network. */
  readonly besideServer: boolean;
  /** The translator: a Linux machine that is observed and priced by its size, a managed gateway, or neither. */
  readonly nat: "instance" | "gateway" | null;
  /** Whether other topologies of a run are shown as ratios to it. */
  readonly baseline: boolean;
  /** Hours that building and taking down may take together. */
  readonly buildHours: number;
  /** All that it is charged for. Clients, servers and jump hosts are the reader's own. */
  readonly charges: readonly ChargeRule[];
}
