/**
 * The topologies of Azure: the options of each, and how it is built.
 *
 * @module
 */
import { z } from "zod";
import type { TopologyOf } from "../../bench/index.ts";
import type { AzureEgress } from "../../components/azure/index.ts";
import {
  DefaultSnat,
  DirectEgress,
  ExpressRoute,
  FirewallEgress,
  IntraVnet,
  LoadBalancerEgress,
  NatGatewayEgress,
  NatInstance,
  VnetPeering,
  VpnGateway,
} from "../../components/azure/index.ts";
import { cloudNatOptions } from "../../components/nat-instance/index.ts";
import { observedBy } from "../../components/shared/nat-set-up.ts";
import type { Site } from "./site.ts";

/** One kind of egress as a stack can name it. */
export interface AzureTopology<Options = Record<string, unknown>> {
  readonly options: z.ZodType<Options>;
  make(site: Site, options: Options): AzureEgress;
  /** The client lives in the server's network. @default false */
  readonly guest?: boolean;
}

const noOptions = z.strictObject({});

const natGatewayOptions = z.strictObject({
  sku: z.enum(["Standard", "StandardV2"]).optional(),
  publicIpCount: z.int().optional(),
  publicIpPrefixLength: z.int().optional(),
  idleTimeoutMinutes: z.int().optional(),
  zone: z.string().optional(),
});

const natInstanceOptions = cloudNatOptions.extend({
  size: z.string().optional(),
  acceleratedNetworking: z.boolean().optional(),
  publicIpCount: z.int().optional(),
});

const natInstanceHaOptions = natInstanceOptions.omit({ publicIpCount: true }).extend({
  /** Of the first machine and of its standby; none for an availability set. */
  zones: z.array(z.enum(["1", "2", "3"])).optional(),
  /** Milliseconds between two signs of life. */
  advertisementMs: z.int().min(50).max(10_000).optional(),
});

const loadBalancerOptions = z.strictObject({
  publicIpCount: z.int().optional(),
  allocatedOutboundPorts: z.int().optional(),
  idleTimeoutMinutes: z.int().optional(),
});

const firewallOptions = z.strictObject({
  tier: z.enum(["Basic", "Standard", "Premium"]).default("Standard"),
  publicIpCount: z.int().optional(),
});

const vpnGatewayOptions = z.strictObject({
  sku: z.string().optional(),
  /** Whether both instances of an end carry traffic, or one stands by. */
  clientActiveActive: z.boolean().default(false),
  serverActiveActive: z.boolean().default(false),
  /** Of the gateways' public addresses; empty for none. All that the regions have unless given. */
  clientZones: z.array(z.enum(["1", "2", "3"])).optional(),
  serverZones: z.array(z.enum(["1", "2", "3"])).optional(),
});

const expressRouteOptions = z.strictObject({
  /** Of a circuit that its provider has provisioned. */
  circuitId: z.string("needs the resource id of an existing ExpressRoute circuit"),
  authorizationKey: z.string().optional(),
  sku: z.string().optional(),
});

/** The registry: one line a topology, for each whose record names Azure. */
export const topologies: Readonly<Record<TopologyOf<"azure">, AzureTopology>> = {
  direct: topology({ options: noOptions, make: ({ name, args }) => new DirectEgress(name, args) }),
  "nat-gateway": topology({ options: natGatewayOptions, make: natGateway }),
  "nat-instance": topology({ options: natInstanceOptions, make: natInstance }),
  "nat-instance-ha": topology({ options: natInstanceHaOptions, make: natInstanceHa }),
  "default-snat": topology({ options: noOptions, make: ({ name, args }) => new DefaultSnat(name, args) }),
  "load-balancer": topology({ options: loadBalancerOptions, make: loadBalancer }),
  firewall: topology({ options: firewallOptions, make: firewall }),
  "intra-vnet": topology({ options: noOptions, guest: true, make: intraVnet }),
  "vnet-peering": topology({ options: noOptions, make: vnetPeering }),
  "vpn-gateway": topology({ options: vpnGatewayOptions, make: vpnGateway }),
  expressroute: topology({ options: expressRouteOptions, make: expressRoute }),
};

/** The options have passed the schema beside which they stand. */
function topology<Options>(entry: AzureTopology<Options>): AzureTopology {
  return entry as unknown as AzureTopology;
}

function natGateway({ name, args }: Site, options: z.infer<typeof natGatewayOptions>): AzureEgress {
  return new NatGatewayEgress(name, { ...args, ...options });
}

function natInstance(site: Site, options: z.infer<typeof natInstanceOptions>): AzureEgress {
  const { name, args, network, cidrs, ssh, machine } = site;
  const { size, acceleratedNetworking, publicIpCount, ...nat } = options;
  return new NatInstance(name, {
    ...args,
    ...machine,
    ...(size === undefined ? {} : { size }),
    acceleratedNetworking,
    publicIpCount,
    nat: observedBy([cidrs.client], nat),
    ssh,
    subnetId: network.subnet(`${name}-nat`, { cidr: cidrs.egress }).id,
    privateCidrs: [cidrs.client],
  });
}

function natInstanceHa(site: Site, options: z.infer<typeof natInstanceHaOptions>): AzureEgress {
  const { name, args, network, cidrs, ssh } = site;
  const { zone, proximityPlacementGroupId, ...machine } = site.machine;
  const { size, acceleratedNetworking, zones = besideClients(zone), advertisementMs, ...nat } = options;
  return new NatInstance(name, {
    ...args,
    ...machine,
    ...(size === undefined ? {} : { size }),
    acceleratedNetworking,
    // A group's machines are in one zone.
    proximityPlacementGroupId: zones?.length === 0 ? proximityPlacementGroupId : undefined,
    highAvailability: { zones, advertisementMs },
    nat: observedBy([cidrs.client], nat),
    ssh,
    subnetId: network.subnet(`${name}-nat`, { cidr: cidrs.egress }).id,
    privateCidrs: [cidrs.client],
  });
}

/** The clients' own zone for the machine that is active first, and another for its standby. */
function besideClients(zone: Site["machine"]["zone"]): string[] | undefined {
  return typeof zone === "string" ? [zone, zone === "1" ? "2" : "1"] : undefined;
}

function loadBalancer(
  { name, args, pairs }: Site,
  options: z.infer<typeof loadBalancerOptions>,
): AzureEgress {
  const clients = pairs === 1 ? {} : { clients: pairs };
  return new LoadBalancerEgress(name, { ...args, ...options, ...clients });
}

function firewall(site: Site, { tier, publicIpCount }: z.infer<typeof firewallOptions>): AzureEgress {
  const { name, args, network, cidrs } = site;
  const subnet = network.subnet(`${name}-firewall`, {
    cidr: cidrs.egress,
    subnetName: "AzureFirewallSubnet",
  });
  const management = () =>
    network.subnet(`${name}-management`, {
      cidr: cidrs.management,
      subnetName: "AzureFirewallManagementSubnet",
    });
  return new FirewallEgress(name, {
    ...args,
    tier,
    publicIpCount,
    subnetId: subnet.id,
    ...(tier === "Basic" ? { managementSubnetId: management().id } : {}),
    privateCidrs: [cidrs.client],
  });
}

function intraVnet({ name, args, clientAddress }: Site): AzureEgress {
  return new IntraVnet(name, { ...args, clientAddress });
}

function vnetPeering({ name, args, clientAddress, network, serverNetwork }: Site): AzureEgress {
  return new VnetPeering(name, { ...args, clientAddress, clientNetwork: network, serverNetwork });
}

function vpnGateway(site: Site, options: z.infer<typeof vpnGatewayOptions>): AzureEgress {
  const { client, server } = gatewayEnds(site);
  return new VpnGateway(site.name, {
    ...site.args,
    clientAddress: site.clientAddress,
    client: { ...client, activeActive: options.clientActiveActive, zones: options.clientZones },
    server: { ...server, activeActive: options.serverActiveActive, zones: options.serverZones },
    sku: options.sku,
    sharedKey: site.sharedKey,
  });
}

function expressRoute(site: Site, options: z.infer<typeof expressRouteOptions>): AzureEgress {
  return new ExpressRoute(site.name, {
    ...site.args,
    clientAddress: site.clientAddress,
    ...gatewayEnds(site),
    ...options,
  });
}

/** Both networks, each with its GatewaySubnet. */
function gatewayEnds({ name, network, serverNetwork, cidrs, serverGatewayCidr }: Site) {
  const subnetName = "GatewaySubnet";
  const client = network.subnet(`${name}-client-gateway`, { cidr: cidrs.gateway, subnetName });
  const server = serverNetwork.subnet(`${name}-server-gateway`, { cidr: serverGatewayCidr, subnetName });
  return {
    client: { network, gatewaySubnetId: client.id },
    server: { network: serverNetwork, gatewaySubnetId: server.id },
  };
}
