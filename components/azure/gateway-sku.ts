/** Changes of an ExpressRoute gateway's SKU that Azure would refuse. */
import { getVirtualNetworkGateway } from "@pulumi/azure-native/network/getVirtualNetworkGateway.js";
import type { VirtualNetworkGateway } from "@pulumi/azure-native/network/virtualNetworkGateway.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";

/**
 * SKUs by family, the smaller first. Source:
 * learn.microsoft.com/azure/expressroute/expressroute-about-virtual-network-gateways.
 */
const families = [
  ["Standard", "HighPerformance", "UltraPerformance"],
  ["ErGw1AZ", "ErGw2AZ", "ErGw3AZ"],
];

/** SKUs of ExpressRoute gateways. */
export const expressRouteSkus: readonly string[] = families.flat();

/** Whether Azure changes a gateway's SKU in place: up within its family, and down from its second to its first. */
export function isChangedInPlace(was: string, wanted: string): boolean {
  const placeIn = (family: readonly string[], sku: string) =>
    family.findIndex((one) => one.toLowerCase() === sku.toLowerCase());
  return families.some((family) => {
    const [from, to] = [placeIn(family, was), placeIn(family, wanted)];
    return from >= 0 && to >= 0 && (to >= from || from === 1);
  });
}

const GATEWAY = /\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Network\/virtualNetworkGateways\/([^/]+)$/i;

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
      const [, resourceGroupName = "", virtualNetworkGatewayName = ""] = GATEWAY.exec(id) ?? [];
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
