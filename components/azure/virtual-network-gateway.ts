import { getVirtualNetworkGateway } from "@pulumi/azure-native/network/getVirtualNetworkGateway.js";
import type { PublicIPAddress } from "@pulumi/azure-native/network/publicIPAddress.js";
import {
  VirtualNetworkGateway,
  type VirtualNetworkGatewayArgs,
} from "@pulumi/azure-native/network/virtualNetworkGateway.js";
import * as pulumi from "@pulumi/pulumi";
import { text } from "../shared/args-schema.ts";
import { checked, invalid } from "../shared/arguments.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";
import { type AzureArgs, child, namesInId, placement, subResource } from "./common.ts";
import { networkRefSchema, type VirtualNetworkRef } from "./network.ts";

export const gatewayEndShape = {
  /** The virtual network of this end. */
  network: networkRefSchema,
  /** Id of its `GatewaySubnet`. */
  gatewaySubnetId: text,
};

/** Where the resources of an end go: with its network. */
export function siteOf({ tags }: AzureArgs, { resourceGroupName, location }: VirtualNetworkRef): AzureArgs {
  return { resourceGroupName, location, tags };
}

export interface GatewayArgs extends AzureArgs {
  readonly sku: pulumi.Input<string>;
  /** A subnet named exactly `GatewaySubnet`, /27 or larger, without security group, NAT gateway or 0/0 route. */
  readonly gatewaySubnetId: pulumi.Input<string>;
}

/** Time-outs: a gateway takes up to 45 minutes to build, sometimes longer. */
export const gatewayTimeouts = { create: "120m", update: "120m", delete: "90m" };

/** Properties fixed at creation: a gateway keeps its public addresses for life. */
const fixedAtCreation = [
  "gatewayType",
  "ipConfigurations[*].subnet.id",
  "ipConfigurations[*].publicIPAddress.id",
  "vpnGatewayGeneration",
];

/** A virtual network gateway. @param addresses Public address of each instance; undefined: Azure's own, as ExpressRoute's. */
export function gateway(
  name: string,
  args: GatewayArgs,
  own: Pick<
    VirtualNetworkGatewayArgs,
    "gatewayType" | "vpnType" | "activeActive" | "vpnGatewayGeneration" | "allowRemoteVnetTraffic"
  >,
  addresses: readonly (PublicIPAddress | undefined)[],
  parent: pulumi.Resource,
): VirtualNetworkGateway {
  const subnetId = checked(args.gatewaySubnetId, assertGatewaySubnet);
  return new VirtualNetworkGateway(
    name,
    {
      ...placement(args),
      ...own,
      enableBgp: false,
      sku: { name: args.sku, tier: args.sku },
      ipConfigurations: addresses.map((ip, at) => ({
        name: `instance-${at + 1}`,
        privateIPAllocationMethod: "Dynamic",
        subnet: { id: subnetId },
        publicIPAddress: subResource(ip?.id),
      })),
    },
    child(parent, {
      customTimeouts: gatewayTimeouts,
      replaceOnChanges: fixedAtCreation,
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

/**
 * SKUs by family, the smaller first. Source:
 * learn.microsoft.com/azure/expressroute/expressroute-about-virtual-network-gateways.
 */
const families = [
  ["Standard", "HighPerformance", "UltraPerformance"],
  ["ErGw1AZ", "ErGw2AZ", "ErGw3AZ"],
];

export const expressRouteSkus: readonly string[] = families.flat();

/**
 * Whether Azure changes a gateway's SKU in place: up within its family, never down.
 * Source: learn.microsoft.com/azure/expressroute/expressroute-about-virtual-network-gateways, the page of 2025-11.
 */
export function isChangedInPlace(was: string, wanted: string): boolean {
  const placeIn = (family: readonly string[], sku: string) =>
    family.findIndex((one) => one.toLowerCase() === sku.toLowerCase());
  return families.some((family) => {
    const [from, to] = [placeIn(family, was), placeIn(family, wanted)];
    return from >= 0 && to >= from;
  });
}

/**
 * A gateway's id, refused at preview for an SKU that needs another gateway. A gateway that is being replaced has no id
 * then.
 * @param both Pattern of the URNs of the component's two gateways.
 * @throws {pulumi.InputPropertyError} by the output.
 */
export function idWithSku(
  gateway: VirtualNetworkGateway,
  sku: pulumi.Input<string>,
  both: string,
): pulumi.Output<string> {
  return checkedAtPreview(
    pulumi.all([gateway.id, sku]),
    async ([id, wanted]) => {
      const names = namesInId("Network/virtualNetworkGateways/*", id);
      const [resourceGroupName = "", virtualNetworkGatewayName = ""] = names;
      const there = await getVirtualNetworkGateway(
        { resourceGroupName, virtualNetworkGatewayName },
        { parent: gateway },
      );
      return { was: there.sku?.name ?? wanted, wanted };
    },
    ({ was, wanted }) => {
      if (!isChangedInPlace(was, wanted)) {
        throw invalid(
          "sku",
          `Azure cannot change a gateway from ${was} to ${wanted}; keep ${was}, or replace both gateways, which cuts the path meanwhile: pulumi up --replace '${both}'`,
        );
      }
    },
  ).apply(([id]) => id);
}
