/** Routes of private subnets, each a resource of its own, so that route tables made elsewhere can be used. */
import { getRouteTableOutput } from "@pulumi/aws/ec2/getRouteTable.js";
import { getSubnetOutput } from "@pulumi/aws/ec2/getSubnet.js";
import { Route } from "@pulumi/aws/ec2/route.js";
import { RouteTable } from "@pulumi/aws/ec2/routeTable.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import type { Ids, PrivateRoutesArgs, PublicSubnetArgs } from "./common.ts";
import type { NatMachineArgs } from "./nat-args.ts";

/** Route tables whose default route leads to an egress; none where others make the routes. */
type RoutesArgs = Pick<NatMachineArgs, keyof PrivateRoutesArgs>;

type Target =
  | { readonly networkInterfaceId: pulumi.Input<string> }
  | { readonly natGatewayId: pulumi.Input<string> };

const EVERYWHERE = "0.0.0.0/0";

/** Target of a route that moves outside Pulumi; the member that it does not lead to is undefined. */
type MovingTarget = Record<"networkInterfaceId" | "natGatewayId", pulumi.Output<string | undefined>>;

/**
 * Leads a route to a machine's interface, or leaves it at the gateway that stands in at present. The engine cannot ignore
 * the target: after a new interface replaced the old one, the route would lead to the deleted one.
 */
export function ledTo(
  networkInterfaceId: pulumi.Output<string>,
  gatewayId: pulumi.Output<string>,
  parent: pulumi.Resource,
): (routeTableId: pulumi.Input<string>) => MovingTarget {
  return (routeTableId) => {
    const { routes } = getRouteTableOutput({ routeTableId }, { parent });
    const stoodIn = pulumi
      .all([routes, gatewayId])
      .apply(([all, gateway]) =>
        all.some((route) => route.cidrBlock === EVERYWHERE && route.natGatewayId === gateway),
      );
    return {
      networkInterfaceId: pulumi
        .all([stoodIn, networkInterfaceId])
        .apply(([away, id]) => (away ? undefined : id)),
      natGatewayId: pulumi.all([stoodIn, gatewayId]).apply(([away, id]) => (away ? id : undefined)),
    };
  };
}

/**
 * Route 0.0.0.0/0 in each of the route tables.
 * @param ignoreChanges Inputs that change outside Pulumi.
 * @param after Resources that must exist before clients use the target.
 * @default nothing
 * @throws {pulumi.InputPropertyError} when there is no route table; by the output when their number differs from the given
 * one.
 */
export function defaultRoutes(
  name: string,
  args: RoutesArgs,
  target: Target | ((routeTableId: pulumi.Input<string>) => MovingTarget),
  parent: pulumi.Resource,
  ignoreChanges: string[] = [],
  after: readonly pulumi.Resource[] = [],
): Route[] {
  const tables = args.privateRouteTableIds === undefined ? [] : routeTables(args);
  const names = tableNames(tables);
  return tables.map((routeTableId, index) => {
    return new Route(
      `${name}-default-${names?.[index] ?? index + 1}`,
      {
        routeTableId,
        destinationCidrBlock: EVERYWHERE,
        ...(typeof target === "function" ? target(routeTableId) : target),
      },
      {
        parent,
        dependsOn: [...after],
        ...(ignoreChanges.length > 0 ? { ignoreChanges } : {}),
      },
    );
  });
}

/**
 * Names of the routes by table id or by the table's resource name, so that a route stays when the list's order or length
 * changes.
 * @returns undefined where a table has neither, or shares it: then routes are distinguished by place.
 */
function tableNames(tables: readonly pulumi.Input<string>[]): readonly string[] | undefined {
  const names = tables.map((table) => (typeof table === "string" ? table : tableName(table)));
  const known = names.filter((one) => one !== undefined);
  return new Set(known).size === tables.length ? known : undefined;
}

/** Members of outputs and resources that Pulumi's types leave out. */
interface Parts {
  readonly resources?: () => ReadonlySet<pulumi.Resource & { readonly __name?: string }>;
}

function tableName(table: pulumi.Input<string>): string | undefined {
  const [only, ...others] = (table as Parts).resources?.() ?? [];
  return others.length === 0 && RouteTable.isInstance(only)
    ? (only as { readonly __name?: string }).__name
    : undefined;
}

/** Refuses to move routes that others make. @throws {pulumi.InputPropertyError} */
export function movedTables({ privateRouteTableIds }: RoutesArgs): Ids {
  if (privateRouteTableIds === undefined) {
    throw invalid(
      "privateRouteTableIds",
      "is needed: a pair, and natGatewayFallback, move the routes of just these tables; name those of the clients' subnets",
    );
  }
  return privateRouteTableIds;
}

/** The route tables, as many as are known or announced. @throws as {@link defaultRoutes} */
function routeTables({
  privateRouteTableIds: ids,
  privateRouteTableCount: said,
}: RoutesArgs): readonly pulumi.Input<string>[] {
  const plain = pulumi.Output.isInstance(ids) ? undefined : (ids as readonly pulumi.Input<string>[]);
  const count = said ?? plain?.length;
  if (count === undefined) {
    throw invalid(
      "privateRouteTableCount",
      "privateRouteTableIds is an output, but the number of routes must be known before; say how many ids it will hold",
    );
  }
  if (count === 0) {
    throw invalid(
      "privateRouteTableIds",
      "is empty, so no subnet would use it; name the route tables of the clients' subnets, which get a 0.0.0.0/0 route",
    );
  }
  if (plain !== undefined) {
    assertCount(plain, count);
    return plain;
  }
  const known = (ids as pulumi.Output<string[]>).apply((all) => assertCount(all, count));
  return Array.from({ length: count }, (_, index) => known.apply((all) => all[index] as string));
}

function assertCount<T>(ids: readonly T[], count: number): readonly T[] {
  if (ids.length !== count) {
    throw invalid(
      "privateRouteTableCount",
      `is ${count}, but privateRouteTableIds holds ${ids.length}; say how many there are`,
    );
  }
  return ids;
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
      ({ cidrBlock, gatewayId }) => cidrBlock === EVERYWHERE && gatewayId.startsWith("igw-"),
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

/** The standby's subnet, checked to be in another zone than the first machine's. */
export function ofAnotherZone(
  subnetId: pulumi.Input<string>,
  standbySubnetId: pulumi.Input<string>,
  parent: pulumi.Resource,
): pulumi.Output<string> {
  const zoneOf = (id: pulumi.Input<string>) => getSubnetOutput({ id }, { parent }).availabilityZone;
  return pulumi
    .all([standbySubnetId, zoneOf(subnetId), zoneOf(standbySubnetId)])
    .apply((known) => assertAnotherZone(...known));
}

/** Refuses a standby in the same zone. @throws {pulumi.InputPropertyError} */
export function assertAnotherZone(standbySubnetId: string, zone: string, standbyZone: string): string {
  if (zone === standbyZone) {
    throw invalid(
      "highAvailability.standbySubnetId",
      `${standbySubnetId} is in ${zone}, as subnetId is; choose a subnet of another zone, or leave it out for two machines of one zone`,
    );
  }
  return standbySubnetId;
}
