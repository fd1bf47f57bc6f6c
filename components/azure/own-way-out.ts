/** Whether a machine's own subnet leaves its public address working. */

import { getRouteTable } from "@pulumi/azure-native/network/getRouteTable.js";
import { getSubnet } from "@pulumi/azure-native/network/getSubnet.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { namesInId } from "./common.ts";
import { type OtherWayOut, otherWayOut } from "./network.ts";

/** All of IPv4, or one half of it, which is more specific than a route to all. */
const EVERYWHERE = /^[\d.]+\/[01]$/;

/**
 * Refuses the subnet of a machine or a firewall with public addresses if its 0.0.0.0/0 route leads elsewhere or it has a NAT gateway: what
 * the machine sends would leave by them. A subnet of a `Network` of the program is known; any other is looked up, if permissions allow.
 * Routes that a gateway learns are not seen.
 * @param instead Another way, for the refusal.
 * @returns The subnet's id, known when its ways out are.
 * @throws {pulumi.InputPropertyError} at once, or by the output.
 */
export function withOwnWayOut(
  argument: string,
  subnetId: pulumi.Input<string>,
  parent: pulumi.Resource,
  instead = "",
): pulumi.Input<string> {
  const assertOwn = (other: OtherWayOut) => {
    if (other !== "none") {
      throw invalid(argument, `the subnet has ${harm[other]}; give it a subnet without one${instead}`);
    }
  };
  const other = otherWayOut(subnetId);
  if (other !== undefined) {
    assertOwn(other);
    return subnetId;
  }
  return pulumi.output(subnetId).apply(async (id) => {
    assertOwn(await found(id, parent).catch(() => unread(argument, id, parent)));
    return id;
  });
}

async function found(subnetId: string, parent: pulumi.Resource): Promise<OtherWayOut> {
  const names = namesInId("Network/virtualNetworks/*/subnets/*", subnetId);
  const [resourceGroupName = "", virtualNetworkName = "", subnetName] = names;
  if (subnetName === undefined) {
    return "none";
  }
  const place = { resourceGroupName, virtualNetworkName, subnetName };
  const { id, routeTable, natGateway } = await getSubnet(place, { parent });
  // The provider only looks in its own subscription.
  if (id?.toLowerCase() !== subnetId.toLowerCase()) {
    throw new Error(`found ${id}`);
  }
  if (natGateway !== undefined) {
    return "NAT gateway";
  }
  const [group, routeTableName] = namesInId("Network/routeTables/*", routeTable?.id ?? "");
  if (group === undefined || routeTableName === undefined) {
    return "none";
  }
  const { routes = [] } = await getRouteTable({ resourceGroupName: group, routeTableName }, { parent });
  return leadElsewhere(routes) ? "route" : "none";
}

/** Whether a table sends internet traffic to something else. */
export function leadElsewhere(
  routes: readonly { readonly addressPrefix?: string; readonly nextHopType: string }[],
): boolean {
  return routes.some(
    ({ addressPrefix = "", nextHopType }) => EVERYWHERE.test(addressPrefix) && nextHopType !== "Internet",
  );
}

async function unread(argument: string, subnetId: string, parent: pulumi.Resource): Promise<"none"> {
  await pulumi.log.info(
    `${argument}: the ways out of ${subnetId} cannot be read; a 0.0.0.0/0 route to a firewall, or a NAT gateway, would break the machine's public address`,
    parent,
  );
  return "none";
}

/** Source: learn.microsoft.com/azure/nat-gateway/nat-overview, on the precedence of outbound connectivity. */
const harm = {
  route: "a 0.0.0.0/0 route to another machine or a firewall, which breaks its own public address",
  "NAT gateway": "a NAT gateway, whose addresses Azure uses instead of its own",
} as const;
