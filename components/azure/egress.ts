/** Azure's egress contract, beyond the one that all clouds share. */
import { Route } from "@pulumi/azure-native/network/route.js";
import { RouteTable } from "@pulumi/azure-native/network/routeTable.js";
import * as pulumi from "@pulumi/pulumi";
import type { z } from "zod";
import { objectOf } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import type { Egress } from "../shared/egress.ts";
import { type AzureArgs, namesInId, placement } from "./common.ts";

/** Requirements of a client that goes out through an egress. Exactly one way out: given two, Azure silently uses one. */
export interface AzureAttachment {
  /** For the client's subnet. @default none */
  readonly natGatewayId?: pulumi.Input<string> | undefined;
  /** For the client's subnet; holds a 0.0.0.0/0 route. @default none */
  readonly routeTableId?: pulumi.Input<string> | undefined;
  /** For the client's subnet: Azure's default outbound access. @default false */
  readonly defaultOutboundAccess?: boolean | undefined;
  /** For the client's network interface. @default none */
  readonly publicIp?:
    | { readonly id: pulumi.Input<string>; readonly address: pulumi.Input<string> }
    | undefined;
  /** For the client's network interface. @default none */
  readonly backendPoolId?: pulumi.Input<string> | undefined;
}

/** One way for an Azure client to reach a server. */
export interface AzureEgress extends Egress<AzureAttachment> {
  /** Service tag of the source address, where Azure announces no address beforehand. @default none */
  readonly sourceServiceTag?: pulumi.Input<string> | undefined;
  /** Resources that must exist before packets reach the server, beyond those that the client's boot needs. @default none */
  readonly pathReady?: readonly pulumi.Resource[];
}

export const egressSchema: z.ZodType<AzureEgress> = objectOf<AzureEgress>(
  "a way out, such as a NatInstance",
  "attachment",
);

/** Ways out in Azure's order of preference: the first wins, the others are not used. */
const waysOut = [
  "routeTableId",
  "natGatewayId",
  "publicIp",
  "backendPoolId",
  "defaultOutboundAccess",
] as const satisfies readonly (keyof AzureAttachment)[];

/** Refuses two ways out of one subnet: the second would never carry a packet. @throws {pulumi.InputPropertyError} */
export function assertOneWayOut(attachment: AzureAttachment): void {
  const [used, ...unused] = waysOut.filter(
    (way) => attachment[way] !== undefined && attachment[way] !== false,
  );
  if (used !== undefined && unused.length > 0) {
    throw invalid(
      unused[0] as string,
      `Azure would send everything through ${used} and nothing through ${unused.join(" or ")}; give one of them`,
    );
  }
}

/** 0.0.0.0/0 through a machine or a firewall. @param through Its kind, part of the route's name */
const defaultRoute = (through: "nat-instance" | "firewall", nextHopIpAddress: pulumi.Output<string>) => ({
  name: `default-through-${through}`,
  addressPrefix: "0.0.0.0/0",
  nextHopType: "VirtualAppliance",
  nextHopIpAddress,
});

/** A route table with that route alone. */
export function routesThrough(
  through: "nat-instance" | "firewall",
  name: string,
  args: AzureArgs,
  nextHopIpAddress: pulumi.Output<string>,
  opts: pulumi.CustomResourceOptions,
): RouteTable {
  const routes = [defaultRoute(through, nextHopIpAddress)];
  return new RouteTable(`${name}-routes`, { ...placement(args), routes }, opts);
}

/** The NAT instance's route in route tables that exist. */
export function routesInto(
  name: string,
  routeTableIds: readonly pulumi.Input<string>[],
  nextHopIpAddress: pulumi.Output<string>,
  opts: pulumi.CustomResourceOptions,
): Route[] {
  return routeTableIds.map((tableId, index) => {
    const place = pulumi.output(tableId).apply((id) => namesInId("Network/routeTables/*", id));
    const { name: routeName, ...route } = defaultRoute("nat-instance", nextHopIpAddress);
    const own = typeof tableId === "string" ? tableId.split("/").at(-1) : index + 1;
    const resourceGroupName = place.apply(([group = ""]) => group);
    const routeTableName = place.apply(([, table = ""]) => table);
    return new Route(
      `${name}-default-${own}`,
      { resourceGroupName, routeTableName, routeName, ...route },
      opts,
    );
  });
}
