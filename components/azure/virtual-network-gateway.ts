/**
 * Gateways of virtual networks: VPN and ExpressRoute.
 *
 * @module
 */
import { VirtualNetworkGateway } from "@pulumi/azure-native/network/virtualNetworkGateway.js";
import type * as pulumi from "@pulumi/pulumi";
import { checked, invalid } from "../shared/arguments.ts";
import { type AzureArgs, child, placement } from "./common.ts";
import { publicIp } from "./public-ip.ts";

export interface GatewayArgs extends AzureArgs {
  readonly type: "Vpn" | "ExpressRoute";
  readonly sku: pulumi.Input<string>;
  /** A subnet named exactly `GatewaySubnet`, /27 or larger, without security group, NAT gateway or 0/0 route. */
  readonly gatewaySubnetId: pulumi.Input<string>;
  /** Two instances that both carry traffic, each with its own public address; else one stands by. */
  readonly activeActive: boolean;
}

/** A gateway takes up to 45 minutes to build; Azure's bad days take longer. */
export const gatewayTimeouts = { create: "120m", update: "120m", delete: "90m" };

/** A gateway with as many public addresses as it has active instances. */
export function virtualNetworkGateway(
  name: string,
  args: GatewayArgs,
  parent: pulumi.Resource,
): VirtualNetworkGateway {
  const subnetId = checked(args.gatewaySubnetId, assertGatewaySubnet);
  const instances = args.activeActive ? [1, 2] : [1];
  return new VirtualNetworkGateway(
    name,
    {
      ...placement(args),
      gatewayType: args.type,
      ...(args.type === "Vpn" ? { vpnType: "RouteBased", activeActive: args.activeActive } : {}),
      enableBgp: false,
      sku: { name: args.sku, tier: args.sku },
      ipConfigurations: instances.map((instance) => ({
        name: `instance-${instance}`,
        privateIPAllocationMethod: "Dynamic",
        subnet: { id: subnetId },
        publicIPAddress: { id: publicIp(`${name}-ip-${instance}`, args, parent).id },
      })),
    },
    child(parent, {
      customTimeouts: gatewayTimeouts,
      replaceOnChanges: ["gatewayType", "ipConfigurations[*].subnet.id"],
      // A virtual network has one gateway of a kind.
      deleteBeforeReplace: true,
    }),
  );
}

function assertGatewaySubnet(id: string): void {
  if (!id.endsWith("/subnets/GatewaySubnet")) {
    throw invalid("gatewaySubnetId", `the subnet must be named GatewaySubnet; got ${id}`);
  }
}
