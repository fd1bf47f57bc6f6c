/** Looks up a virtual network for a NAT instance: a subnet for the machine, and the clients' route tables and blocks. */
import { getVirtualNetwork } from "@pulumi/azure-native/network/getVirtualNetwork.js";
import { Provider } from "@pulumi/azure-native/provider.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { chooseSubnets, type FoundSubnets, lookUpOptions } from "../shared/found-network.ts";
import { namesInId } from "./common.ts";
import { ipv4Blocks } from "./network.ts";

/** Arguments of a NAT instance that its virtual network decides. */
export interface FoundVnet extends FoundSubnets {
  readonly resourceGroupName: string;
  readonly location: string;
}

/** Subnets of Azure's own services: no machine may be in them. */
const RESERVED = /^(Gateway|AzureFirewall|AzureFirewallManagement|AzureBastion|RouteServer)Subnet$/;

const lacks = {
  machine: "without a route table, a NAT gateway and a delegation",
  clients: "with a route table, to which the clients' route could be added",
};

/**
 * Looks a virtual network up. Clients are in the subnets with a route table, which gets their route; the machine's subnet has
 * neither that nor a NAT gateway.
 *
 * @throws {pulumi.InputPropertyError} for a network without such subnets.
 */
export async function foundVnet(vnetId: string, opts: pulumi.ComponentResourceOptions): Promise<FoundVnet> {
  const [resourceGroupName = "", virtualNetworkName] = namesInId("Network/virtualNetworks/*", vnetId);
  if (virtualNetworkName === undefined) {
    const got = pulumi.Output.isInstance(vnetId) ? "an output: its plain value is needed" : vnetId;
    throw invalid("vnetId", `expected /subscriptions/.../virtualNetworks/NAME, got ${got}`);
  }
  const vnet = await getVirtualNetwork(
    { resourceGroupName, virtualNetworkName },
    lookUpOptions(opts, Provider.isInstance),
  );
  // The provider only looks in its own subscription.
  if (vnet.id !== undefined && vnet.id.toLowerCase() !== vnetId.toLowerCase()) {
    throw invalid("vnetId", `is ${vnetId}, but the provider's subscription has ${vnet.id}`);
  }
  const found = (vnet.subnets ?? [])
    .filter(({ name = "" }) => !RESERVED.test(name))
    .toSorted((a, b) => (a.name ?? "").localeCompare(b.name ?? ""))
    .map((subnet) => {
      const { id = "", routeTable, natGateway, delegations = [] } = subnet;
      const isFree = natGateway === undefined && delegations.length === 0;
      const use = routeTable !== undefined ? "clients" : isFree ? "machine" : undefined;
      return { id, cidrs: ipv4Blocks(subnet), routeTableId: routeTable?.id, use } as const;
    });
  const { location = "" } = vnet;
  return { resourceGroupName, location, ...chooseSubnets(["vnetId", vnetId], found, lacks) };
}
