/** The topologies of Azure: the options and construction of each. */
import { z } from "zod";
import type { TopologyOf } from "../../bench/index.ts";
import { expressRouteSchema } from "../../components/azure/expressroute.ts";
import { firewallEgressSchema } from "../../components/azure/firewall-egress.ts";
import {
  type AzureEgress,
  DefaultSnat,
  DirectEgress,
  ExpressRoute,
  FirewallEgress,
  IntraVnet,
  LoadBalancerEgress,
  NatGatewayEgress,
  NatInstance,
  natInstanceSchema,
  VnetPeering,
  VpnGateway,
} from "../../components/azure/index.ts";
import { loadBalancerEgressSchema } from "../../components/azure/load-balancer-egress.ts";
import { natGatewaySchema } from "../../components/azure/nat-gateway-args.ts";
import { vpnEndSchema, vpnGatewaySchema } from "../../components/azure/vpn-gateway.ts";
import { advertisementMs, cloudNatOptions } from "../../components/nat-instance/index.ts";
import { componentOptions } from "../nat-options.ts";
import type { Site } from "./site.ts";

export interface AzureTopology<Options = Record<string, unknown>> {
  readonly options: z.ZodType<Options>;
  make(site: Site, options: Options): AzureEgress;
}

const noOptions = z.strictObject({});
const zones = z.array(z.enum(["1", "2", "3"])).optional();

const natGatewayOptions = natGatewaySchema.pick({
  sku: true,
  publicIpCount: true,
  publicIpPrefixLength: true,
  idleTimeoutMinutes: true,
  zone: true,
});

const natInstanceOptions = cloudNatOptions.extend(
  natInstanceSchema.pick({ size: true, acceleratedNetworking: true, publicIpCount: true }).shape,
);

const natInstanceHaOptions = natInstanceOptions.omit({ publicIpCount: true }).extend({
  zones: zones.meta({
    description: "Zones of the first machine and of its standby; `[]` for an availability set.",
    fallback: "the clients' zone and another",
  }),
  advertisementMs,
});

const loadBalancerOptions = loadBalancerEgressSchema.pick({
  publicIpCount: true,
  allocatedOutboundPorts: true,
  idleTimeoutMinutes: true,
});

const firewallOptions = firewallEgressSchema.pick({ tier: true, publicIpCount: true });

const { activeActive } = vpnEndSchema.shape;

const vpnGatewayOptions = vpnGatewaySchema.pick({ sku: true }).extend({
  clientActiveActive: activeActive,
  serverActiveActive: activeActive,
  clientZones: zones.meta({
    description: "Zones of the client's gateway's public addresses; `[]` for none.",
    fallback: "all zones of the region",
  }),
  serverZones: zones.meta({
    description: "The same at the server's end.",
    fallback: "all zones of the region",
  }),
});

const expressRouteOptions = expressRouteSchema.pick({ circuitId: true, authorizationKey: true, sku: true });

/** The registry: one line for each topology whose record names Azure. */
export const topologies: Readonly<Record<TopologyOf<"azure">, AzureTopology>> = {
  direct: topology({ options: noOptions, make: ({ name, args }) => new DirectEgress(name, args) }),
  "nat-gateway": topology({ options: natGatewayOptions, make: natGateway }),
  "nat-instance": topology({ options: natInstanceOptions, make: natInstance }),
  "nat-instance-ha": topology({ options: natInstanceHaOptions, make: natInstanceHa }),
  "default-snat": topology({
    options: noOptions,
    make: ({ name, args }) => new DefaultSnat(name, { location: args.location }),
  }),
  "load-balancer": topology({ options: loadBalancerOptions, make: loadBalancer }),
  firewall: topology({ options: firewallOptions, make: firewall }),
  "intra-vnet": topology({ options: noOptions, make: intraVnet }),
  "vnet-peering": topology({ options: noOptions, make: vnetPeering }),
  "vpn-gateway": topology({ options: vpnGatewayOptions, make: vpnGateway }),
  expressroute: topology({ options: expressRouteOptions, make: expressRoute }),
};

/** A topology whose options have passed its schema. */
function topology<Options>(entry: AzureTopology<Options>): AzureTopology {
  return entry as unknown as AzureTopology;
}

function natGateway({ name, args }: Site, options: z.infer<typeof natGatewayOptions>): AzureEgress {
  return new NatGatewayEgress(name, { ...args, ...options });
}

function natInstance(site: Site, options: z.infer<typeof natInstanceOptions>): AzureEgress {
  return new NatInstance(site.name, {
    ...natPlace(site),
    ...site.machine,
    ...componentOptions(options, site.cidrs.client),
  });
}

function natInstanceHa(site: Site, options: z.infer<typeof natInstanceHaOptions>): AzureEgress {
  const { zone, proximityPlacementGroupId, ...machine } = site.machine;
  const {
    zones = besideClients(zone),
    advertisementMs,
    ...others
  } = componentOptions(options, site.cidrs.client);
  return new NatInstance(site.name, {
    ...natPlace(site),
    ...machine,
    ...others,
    // A group's machines are in one zone.
    proximityPlacementGroupId: zones?.length === 0 ? proximityPlacementGroupId : undefined,
    highAvailability: { zones, advertisementMs },
  });
}

function natPlace({ name, args, network, cidrs, ssh }: Site) {
  return {
    ...args,
    ssh,
    subnetId: network.subnet(`${name}-nat`, { cidr: cidrs.egress }).id,
    privateCidrs: [cidrs.client],
  };
}

/** Zones of a pair: the clients' own for the machine that is active first, and another one for its standby. */
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
