/** Looks up a VPC for a NAT instance: a public subnet, and the private ones' route tables and blocks. */
// Without it the engine's references to awsx's subnets arrive as ids.
import "@pulumi/aws/ec2/index.js";
import { getRouteTable, getRouteTableOutput } from "@pulumi/aws/ec2/getRouteTable.js";
import { getRouteTables } from "@pulumi/aws/ec2/getRouteTables.js";
import { getSubnet } from "@pulumi/aws/ec2/getSubnet.js";
import { getSubnets } from "@pulumi/aws/ec2/getSubnets.js";
import { Provider } from "@pulumi/aws/provider.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { chooseSubnets, type FoundSubnets, lookUpOptions } from "../shared/found-network.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import { isKnown } from "./settled-subnet.ts";

/** Arguments of a NAT instance that its VPC decides. */
export type FoundVpc = Pick<
  NatInstanceArgs,
  keyof FoundSubnets | "vpcId" | "internetReady" | "privateRouteTableCount"
>;

/** A VPC that the same program makes, such as awsx's `Vpc`. */
export interface VpcComponent extends pulumi.Resource {
  readonly vpcId: pulumi.Output<string>;
  readonly publicSubnetIds: pulumi.Output<string[]>;
  readonly privateSubnets: pulumi.Output<Record<"id" | "cidrBlock", pulumi.Output<string>>[]>;
}

/** Tags of subnets without a way out, by intention: the CDK's and awsx's. */
const ISOLATED = ["aws-cdk:subnet-type", "SubnetType"];

const lacks = {
  machine: "whose route table leads to an internet gateway",
  clients: "that is private",
};

/**
 * Looks a VPC up. A subnet is public if its route table leads to an internet gateway, and private if not; isolated ones, by the tags
 * of the CDK and awsx, are neither.
 *
 * @param given What is not looked up.
 * @throws {pulumi.InputPropertyError} for a VPC without a public or without a private subnet.
 */
export async function foundVpc(
  vpcId: string,
  options: pulumi.ComponentResourceOptions,
  given: Partial<Omit<FoundVpc, "vpcId">> = {},
): Promise<FoundVpc> {
  const opts = lookUpOptions(options, Provider.isInstance);
  const filters = [{ name: "vpc-id", values: [vpcId] }];
  const [{ ids }, { ids: tableIds }] = await Promise.all([
    getSubnets({ filters }, opts),
    getRouteTables({ vpcId }, opts),
  ]);
  const [subnets, tables] = await Promise.all([
    Promise.all(ids.toSorted().map((id) => getSubnet({ id }, opts))),
    Promise.all(tableIds.toSorted().map((routeTableId) => getRouteTable({ routeTableId }, opts))),
  ]);
  const byZone = subnets.toSorted((a, b) => a.availabilityZone.localeCompare(b.availabilityZone));
  const found = byZone.map(({ id, cidrBlock, tags }) => {
    const own = tables.find(({ associations }) => associations.some(({ subnetId }) => subnetId === id));
    const table = own ?? tables.find(({ associations }) => associations.some(({ main }) => main));
    const isPublic = table?.routes.some(
      ({ cidrBlock, gatewayId }) => cidrBlock === "0.0.0.0/0" && gatewayId.startsWith("igw-"),
    );
    const isolated = ISOLATED.some((tag) => tags?.[tag] === "Isolated");
    const use = isPublic ? "machine" : isolated ? undefined : "clients";
    return { id, cidrs: [cidrBlock], routeTableId: table?.routeTableId, use } as const;
  });
  const chosen = chooseSubnets(["vpcId", vpcId], found, lacks);
  if (given.privateRouteTableIds === undefined) {
    warnOfTaken(tables.filter(({ routeTableId }) => chosen.privateRouteTableIds.includes(routeTableId)));
  }
  return { vpcId, ...chosen };
}

/**
 * Warns of default routes that something else has, which EC2 would refuse to make only after the machine. It is no error: the route
 * may be the stack's own, by import, alias or fallback, which a look-up does not tell. One to an interface is ours after an update.
 */
function warnOfTaken(tables: readonly Awaited<ReturnType<typeof getRouteTable>>[]): void {
  for (const { routeTableId, routes } of tables) {
    const { cidrBlock, networkInterfaceId, instanceId, ...others } =
      routes.find((route) => route.cidrBlock === "0.0.0.0/0") ?? ({} as Partial<(typeof routes)[number]>);
    const target = networkInterfaceId ? undefined : Object.values(others).find(Boolean);
    if (target !== undefined) {
      void pulumi.log.warn(
        `${routeTableId}: 0.0.0.0/0 leads to ${target} already. Unless this stack has that route, EC2 will refuse another one (RouteAlreadyExists), after the machine is made; see docs/details/keep-address.md, "From a NAT gateway that something else made"`,
      );
    }
  }
}

/**
 * The same of a VPC that this update makes, whose ids are known later. Only the number of its private subnets must be known before.
 *
 * @throws {pulumi.InputPropertyError} where it is not, as with a block that IPAM chooses, and for awsx before 3.6.
 */
export async function foundIn(
  vpc: VpcComponent,
  options: pulumi.ComponentResourceOptions,
): Promise<FoundVpc> {
  // Programs without types, and casts. Any field of an output is one too.
  if (
    pulumi.Output.isInstance(vpc) ||
    (vpc as Partial<VpcComponent> | undefined)?.privateSubnets === undefined
  ) {
    throw invalid(
      "vpc",
      "expected a VPC's id as a plain string (of another stack: `(await stack.getOutputDetails(name)).value`), or a component with vpcId, publicSubnetIds and privateSubnets, as awsx's Vpc is from 3.6 on; update @pulumi/awsx, or give the ids to NatInstance itself",
    );
  }
  const { vpcId, publicSubnetIds, privateSubnets } = vpc;
  if (!(await isKnown(privateSubnets))) {
    throw invalid("vpc", "its subnets are not known before it exists; give the ids to NatInstance itself");
  }
  const count = await new Promise<number>((known) => privateSubnets.apply(({ length }) => known(length)));
  const opts = { ...lookUpOptions(options, Provider.isInstance), dependsOn: [vpc] };
  const tableOf = (subnetId: pulumi.Input<string>) => getRouteTableOutput({ subnetId }, opts);
  return {
    vpcId,
    subnetId: publicSubnetIds.apply(([first]) => first as string),
    internetReady: [vpc],
    privateRouteTableIds: privateSubnets.apply((all) =>
      pulumi.all(all.map(({ id }) => tableOf(id).routeTableId)),
    ),
    privateRouteTableCount: count,
    privateCidrs: privateSubnets.apply((all) => pulumi.all(all.map(({ cidrBlock }) => cidrBlock))),
  };
}
