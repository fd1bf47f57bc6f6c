/**
 * Routes of private subnets, each a resource of its own, so that route tables that others own can be used.
 *
 * @module
 */
import { getRouteTableOutput } from "@pulumi/aws/ec2/getRouteTable.js";
import { Route } from "@pulumi/aws/ec2/route.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { assertRouteTables, type PublicSubnetArgs } from "./common.ts";

/** Where a route leads. */
type Target =
  | { readonly networkInterfaceId: pulumi.Input<string> }
  | { readonly natGatewayId: pulumi.Input<string> };

/**
 * 0.0.0.0/0 in each of the route tables.
 *
 * @throws {pulumi.InputPropertyError} when there is no route table.
 */
export function defaultRoutes(
  name: string,
  privateRouteTableIds: readonly pulumi.Input<string>[],
  target: Target,
  parent: pulumi.Resource,
): Route[] {
  assertRouteTables(privateRouteTableIds);
  return privateRouteTableIds.map(
    (routeTableId, index) =>
      new Route(
        `${name}-default-${index + 1}`,
        { routeTableId, destinationCidrBlock: "0.0.0.0/0", ...target },
        // A route table holds one route to a destination.
        { parent, deleteBeforeReplace: true },
      ),
  );
}

/**
 * The subnet's id, known when its route table, if that is given, leads to an internet gateway.
 *
 * @throws {pulumi.InputPropertyError} when it does not.
 */
export function publicSubnetId(args: PublicSubnetArgs, parent?: pulumi.Resource): pulumi.Output<string> {
  const { subnetId, publicRouteTableId, internetReady = [] } = args;
  if (publicRouteTableId === undefined) {
    return pulumi.output(subnetId);
  }
  const table = getRouteTableOutput(
    { routeTableId: publicRouteTableId },
    { ...(parent === undefined ? {} : { parent }), dependsOn: [...internetReady] },
  );
  return pulumi.all([subnetId, publicRouteTableId, table.routes]).apply(([id, tableId, routes]) => {
    const toInternet = routes.some(
      ({ cidrBlock, gatewayId }) => cidrBlock === "0.0.0.0/0" && gatewayId.startsWith("igw-"),
    );
    if (!toInternet) {
      throw invalid(
        "publicRouteTableId",
        `${tableId} has no route 0.0.0.0/0 to an internet gateway, so subnet ${id} is not public; add the route, or choose a public subnet`,
      );
    }
    return id;
  });
}
