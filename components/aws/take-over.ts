/** The addresses and routes that a pair's machine takes over on AWS, and the rights that it needs. */
import * as pulumi from "@pulumi/pulumi";
import type { HighAvailability } from "../nat-instance/index.ts";
import type { Statement } from "./machine-role.ts";

type Moved = Omit<Extract<HighAvailability["move"], { kind: "ec2" }>, "kind">;

/** API calls that move the address, which the machines' role must allow beside `ec2:ReplaceRoute`: in one subnet, or in two. */
const takeOverActions = {
  oneSubnet: ["ec2:AssignPrivateIpAddresses", "ec2:AssociateAddress"],
  twoSubnets: ["ec2:AssociateAddress"],
} as const;

/** API calls that read where addresses and routes lead, which the role must allow too. */
const lookUpActions = {
  oneSubnet: ["ec2:DescribeNetworkInterfaces", "ec2:DescribeRouteTables"],
  twoSubnets: ["ec2:DescribeAddresses", "ec2:DescribeRouteTables"],
} as const;

/** Rights of a pair's machines: a take-over of just these, and to read where they lead. */
export function takeOverStatements({
  subnets,
  networkInterfaceIds,
  elasticIpId,
  routeTableIds,
}: {
  readonly subnets: keyof typeof takeOverActions;
  readonly networkInterfaceIds: pulumi.Output<string[]>;
  readonly elasticIpId: pulumi.Output<string>;
  readonly routeTableIds: pulumi.Output<string[]>;
}): Statement[] {
  const moved = pulumi
    .all([networkInterfaceIds, elasticIpId])
    .apply(([interfaces, address]) => [
      ...interfaces.map((id) => arnOf("network-interface", id)),
      arnOf("elastic-ip", address),
    ]);
  const tables = routeTableIds.apply((ids) => ids.map((id) => arnOf("route-table", id)));
  return [
    { Action: [...takeOverActions[subnets]], Resource: moved },
    { Action: "ec2:ReplaceRoute", Resource: tables },
    // Describe calls take no resources.
    { Action: [...lookUpActions[subnets]], Resource: "*" },
  ];
}

/** Ids are unique in all of AWS; region and account need not be named. */
function arnOf(kind: string, id: string): string {
  return `arn:aws:ec2:*:*:${kind}/${id}`;
}

/**
 * The addresses and routes that a machine of the pair takes over, and the error message where its role does not allow that.
 */
export function awsMove(moved: Moved): Pick<HighAvailability, "move" | "refusal"> {
  const subnets = moved.allocationId === undefined ? "oneSubnet" : "twoSubnets";
  const actions = takeOverActions[subnets].join(", ");
  return {
    move: { kind: "ec2", ...moved },
    refusal: `its role must allow ${actions} and ec2:ReplaceRoute on the pair, and ${lookUpActions[subnets].join(" and ")}`,
  };
}
