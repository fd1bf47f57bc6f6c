/** Looks up a VPC that exists for a NAT instance: a public subnet, and the private ones' route tables and blocks. */
import { getRouteTable } from "@pulumi/aws/ec2/getRouteTable.js";
import { getRouteTables } from "@pulumi/aws/ec2/getRouteTables.js";
import { getSubnet } from "@pulumi/aws/ec2/getSubnet.js";
import { getSubnets } from "@pulumi/aws/ec2/getSubnets.js";
import type * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";

/** Arguments of a NAT instance that its VPC decides. */
export interface FoundVpc {
  readonly vpcId: string;
  readonly subnetId: string;
  readonly privateRouteTableIds: string[];
  readonly privateCidrs: string[];
}

/** Tags of subnets without a way out, by intention: the CDK's and awsx's. */
const ISOLATED = ["aws-cdk:subnet-type", "SubnetType"];

/**
 * Looks a VPC up. A subnet is public if its route table leads to an internet gateway, and private if not; isolated ones, by the tags
 * of the CDK and awsx, are neither.
 *
 * @throws {pulumi.InputPropertyError} for a VPC without a public or without a private subnet.
 */
export async function foundVpc(vpcId: string, opts: pulumi.InvokeOptions): Promise<FoundVpc> {
  const filters = [{ name: "vpc-id", values: [vpcId] }];
  const [{ ids }, { ids: tableIds }] = await Promise.all([
    getSubnets({ filters }, opts),
    getRouteTables({ vpcId }, opts),
  ]);
  const [subnets, tables] = await Promise.all([
    Promise.all(ids.toSorted().map((id) => getSubnet({ id }, opts))),
    Promise.all(tableIds.toSorted().map((routeTableId) => getRouteTable({ routeTableId }, opts))),
  ]);
  const routed = subnets.map((subnet) => {
    const own = tables.find(({ associations }) =>
      associations.some(({ subnetId }) => subnetId === subnet.id),
    );
    const table = own ?? tables.find(({ associations }) => associations.some(({ main }) => main));
    const isPublic = table?.routes.some(
      ({ cidrBlock, gatewayId }) => cidrBlock === "0.0.0.0/0" && gatewayId.startsWith("igw-"),
    );
    return { subnet, table, isPublic };
  });
  const [outside] = routed
    .filter(({ isPublic }) => isPublic)
    .toSorted((a, b) => a.subnet.availabilityZone.localeCompare(b.subnet.availabilityZone));
  const inside = routed.filter(
    ({ subnet: { tags }, isPublic }) => !isPublic && !ISOLATED.some((tag) => tags?.[tag] === "Isolated"),
  );
  if (outside === undefined || inside.length === 0) {
    const lacks =
      outside === undefined ? "whose route table leads to an internet gateway" : "that is private";
    throw invalid("vpcId", `${vpcId} has no subnet ${lacks}; give the ids to NatInstance itself`);
  }
  return {
    vpcId,
    subnetId: outside.subnet.id,
    privateRouteTableIds: [...new Set(inside.flatMap(({ table }) => table?.routeTableId ?? []))],
    privateCidrs: inside.map(({ subnet }) => subnet.cidrBlock),
  };
}
