/** The topologies: one record each, for prices, reports, stacks and docs. */
import { addresses, data, disk, egress, instance, service } from "./charges.ts";
import type { CloudName } from "./clouds.ts";
import type { Topology } from "./topology.ts";

export * from "./clouds.ts";
export type * from "./topology.ts";

/** Half an hour for machines and anything that starts in minutes. */
const MACHINES_HOURS = 0.5;
/** VPN and ExpressRoute gateways take up to 45 minutes to build. */
const GATEWAYS_HOURS = 1.5;

/** A client without a public address, whose internet traffic is translated. */
const translated = {
  serverSide: "public",
  jumpHost: true,
  ownServer: false,
  besideServer: false,
  nat: null,
  baseline: false,
  buildHours: MACHINES_HOURS,
} as const;

/** Client and server reach each other's private addresses; the client has a public one for its packages. */
const privatePath = { ...translated, serverSide: "private", jumpHost: false } as const;

const besideServer = { ...privatePath, besideServer: true, charges: [] } as const;

const betweenGateways = { ...privatePath, ownServer: true, buildHours: GATEWAYS_HOURS } as const;

const natInstance = {
  ...translated,
  nat: "instance",
  charges: [instance, disk, addresses(), egress],
} as const;

/** All topologies, by their names in stacks and results. */
export const topologies = {
  direct: {
    ...translated,
    title: "public address on the client",
    clouds: ["azure", "aws", "local"],
    jumpHost: false,
    baseline: true,
    charges: [addresses(), egress],
  },
  "nat-gateway": {
    ...translated,
    title: "NAT gateway",
    clouds: ["azure", "aws"],
    nat: "gateway",
    charges: [service("nat-gateway-hour"), data("nat-gateway-gb"), addresses(), egress],
  },
  "nat-instance": { ...natInstance, title: "NAT instance", clouds: ["azure", "aws", "local"] },
  "nat-instance-ha": {
    ...natInstance,
    title: "pair of NAT instances",
    clouds: ["azure", "aws", "local"],
    charges: [
      { ...instance, count: 2 },
      { ...disk, count: 2 },
      // One each; AWS has one more, which moves.
      { ...addresses(2), clouds: ["azure", "local"] },
      { ...addresses(3), clouds: ["aws"] },
      { ...service("load-balancer-hour"), clouds: ["azure"] },
      { ...data("load-balancer-gb"), clouds: ["azure"] },
      egress,
    ],
  },
  "fck-nat": { ...natInstance, title: "fck-nat instance", clouds: ["aws"] },
  "default-snat": {
    ...translated,
    title: "default outbound access",
    unknownAddress: true,
    clouds: ["azure"],
    charges: [egress],
  },
  "load-balancer": {
    ...translated,
    title: "load balancer's outbound rule",
    clouds: ["azure"],
    charges: [service("load-balancer-hour"), data("load-balancer-gb"), addresses(), egress],
  },
  firewall: {
    ...translated,
    title: "Azure Firewall",
    clouds: ["azure"],
    charges: [service("firewall-hour"), data("firewall-gb"), addresses(), egress],
    kinds: { option: "tier", usual: "Standard", meters: ["firewall-hour", "firewall-gb"] },
    // For its management.
    moreAddresses: [{ at: "client", option: "tier", value: "Basic" }],
  },
  "intra-vnet": { ...besideServer, title: "two subnets of one VNet", clouds: ["azure"] },
  "vnet-peering": {
    ...privatePath,
    title: "two peered VNets",
    clouds: ["azure"],
    charges: [data("peering-gb", 2)],
  },
  "vpn-gateway": {
    ...betweenGateways,
    title: "two VNets joined by VPN gateways",
    clouds: ["azure"],
    charges: [service("vpn-gateway-hour", 2), addresses(2)],
    kinds: { option: "sku", usual: "VpnGw1AZ", meters: ["vpn-gateway-hour"] },
    // A second instance has an address of its own.
    moreAddresses: [
      { at: "client", option: "clientActiveActive", value: true },
      { at: "server", option: "serverActiveActive", value: true },
    ],
  },
  expressroute: {
    ...betweenGateways,
    title: "two VNets over an ExpressRoute circuit",
    clouds: ["azure"],
    charges: [service("expressroute-gateway-hour", 2)],
    kinds: { option: "sku", usual: "ErGw1AZ", meters: ["expressroute-gateway-hour"] },
  },
  "intra-vpc": { ...besideServer, title: "two subnets of one VPC", clouds: ["aws"] },
  "vpc-peering": {
    ...privatePath,
    title: "two peered VPCs",
    clouds: ["aws"],
    charges: [data("cross-az-gb", 2)],
  },
  existing: {
    ...translated,
    title: "hosts that exist already",
    clouds: ["hosts"],
    buildHours: 0,
    // The hosts' owner pays; the stack's file has the price.
    charges: [],
  },
} as const satisfies Readonly<Record<string, Topology>>;

export type TopologyName = keyof typeof topologies;

/** The topologies of a cloud: the keys of its registry, so that none can be forgotten there. */
export type TopologyOf<Cloud extends CloudName> = {
  [Name in TopologyName]: Cloud extends (typeof topologies)[Name]["clouds"][number] ? Name : never;
}[TopologyName];

/** A topology by its name in results or a stack file of any version; undefined: unknown here. */
export function topologyNamed(name: string): Topology | undefined {
  return Object.hasOwn(topologies, name) ? topologies[name as TopologyName] : undefined;
}
