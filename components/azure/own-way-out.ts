/**
 * Whether the routes of a machine's own subnet leave its public address working.
 *
 * @module
 */

import { getRouteTable } from "@pulumi/azure-native/network/getRouteTable.js";
import { getSubnet } from "@pulumi/azure-native/network/getSubnet.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { namesInId } from "./common.ts";
import { routesElsewhere } from "./network.ts";

/** All of IPv4, or one half of it, which is more specific than a route to all. */
const EVERYWHERE = /^[\d.]+\/[01]$/;

/**
 * Refuses the subnet of a machine with public addresses if its 0.0.0.0/0 route leads elsewhere: answers to public traffic
 * would leave by that route. A subnet of a `Network` of the program is known; any other is looked up, if permissions allow.
 * Routes that a gateway learns are not seen.
 * @returns The subnet's id, known when its routes are.
 * @throws {pulumi.InputPropertyError} at once, or by the output.
 */
export function withOwnWayOut(
  argument: string,
  subnetId: pulumi.Input<string>,
  parent: pulumi.Resource,
): pulumi.Input<string> {
  const elsewhere = routesElsewhere(subnetId);
  if (elsewhere !== undefined) {
    assertOwn(argument, elsewhere);
    return subnetId;
  }
  return pulumi.output(subnetId).apply(async (id) => {
    assertOwn(argument, await leadsElsewhere(id, parent).catch(() => unread(argument, id, parent)));
    return id;
  });
}

async function leadsElsewhere(subnetId: string, parent: pulumi.Resource): Promise<boolean> {
  const names = namesInId("Network/virtualNetworks/*/subnets/*", subnetId);
  const [resourceGroupName = "", virtualNetworkName = "", subnetName] = names;
  if (subnetName === undefined) {
    return false;
  }
  const place = { resourceGroupName, virtualNetworkName, subnetName };
  const { id, routeTable } = await getSubnet(place, { parent });
  // The provider only looks in its own subscription.
  if (id?.toLowerCase() !== subnetId.toLowerCase()) {
    throw new Error(`found ${id}`);
  }
  const [group, routeTableName] = namesInId("Network/routeTables/*", routeTable?.id ?? "");
  if (group === undefined || routeTableName === undefined) {
    return false;
  }
  const { routes = [] } = await getRouteTable({ resourceGroupName: group, routeTableName }, { parent });
  return leadElsewhere(routes);
}

/** Whether a table sends internet traffic to something else. */
export function leadElsewhere(
  routes: readonly { readonly addressPrefix?: string; readonly nextHopType: string }[],
): boolean {
  return routes.some(
    ({ addressPrefix = "", nextHopType }) => EVERYWHERE.test(addressPrefix) && nextHopType !== "Internet",
  );
}

async function unread(argument: string, subnetId: string, parent: pulumi.Resource): Promise<false> {
  await pulumi.log.info(
    `${argument}: the routes of ${subnetId} cannot be read; a 0.0.0.0/0 route to a firewall would break the machine's public address`,
    parent,
  );
  return false;
}

function assertOwn(argument: string, elsewhere: boolean): void {
  if (elsewhere) {
    throw invalid(
      argument,
      "the subnet has a 0.0.0.0/0 route to another machine or a firewall, which breaks this machine's public address; give it a subnet without one",
    );
  }
}
