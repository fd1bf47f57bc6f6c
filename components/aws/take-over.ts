/** The addresses and routes that a pair's machine takes over on AWS, and the rights that it needs. */
import * as pulumi from "@pulumi/pulumi";
import { HA_PROGRAM, type HighAvailability } from "../nat-instance/index.ts";
import type { Statement } from "./machine-role.ts";

/** The things that move, and their target. */
export interface Moved {
  /** The machine's own interface. */
  readonly networkInterfaceId: string;
  /** The private address that both machines translate to, and its Elastic IP goes with it; or, of two subnets, its own. */
  readonly privateAddress: string;
  /** The Elastic IP that goes from the other machine's private address to this one's, of two subnets. @default none */
  readonly allocationId?: string | undefined;
  /** Tables whose route 0.0.0.0/0 leads to the active machine. */
  readonly routeTableIds: readonly string[];
}

/** The calls of a take-over, which the machines' role has to allow: of one subnet, or of two. */
const takeOverActions = {
  oneSubnet: ["ec2:AssignPrivateIpAddresses", "ec2:ReplaceRoute"],
  twoSubnets: ["ec2:AssociateAddress", "ec2:ReplaceRoute"],
} as const;

/** The questions where address and routes lead, which the role has to allow too. */
const lookUpActions = {
  oneSubnet: ["ec2:DescribeNetworkInterfaces", "ec2:DescribeRouteTables"],
  twoSubnets: ["ec2:DescribeAddresses", "ec2:DescribeRouteTables"],
} as const;

/** Rights of a pair's machines: a take-over of just these, and to look where they lead. */
export function takeOverStatements({
  networkInterfaceIds,
  allocationId,
  routeTableIds,
}: {
  readonly networkInterfaceIds: pulumi.Output<string[]>;
  /** The Elastic IP that moves between two subnets. */
  readonly allocationId: pulumi.Output<string> | undefined;
  readonly routeTableIds: pulumi.Output<string[]>;
}): Statement[] {
  const subnets = allocationId === undefined ? "oneSubnet" : "twoSubnets";
  const [move, replace] = takeOverActions[subnets];
  const moved = pulumi
    .all([networkInterfaceIds, allocationId])
    .apply(([interfaces, address]) => [
      ...interfaces.map((id) => arnOf("network-interface", id)),
      ...(address === undefined ? [] : [arnOf("elastic-ip", address)]),
    ]);
  const tables = routeTableIds.apply((ids) => ids.map((id) => arnOf("route-table", id)));
  return [
    { Action: move, Resource: moved },
    { Action: replace, Resource: tables },
    // They know no resources.
    { Action: [...lookUpActions[subnets]], Resource: "*" },
  ];
}

/** Ids are one of a kind in all of AWS; region and account need not be said. */
function arnOf(kind: string, id: string): string {
  return `arn:aws:ec2:*:*:${kind}/${id}`;
}

/** The things that a machine of the pair takes over, and the message where its role does not allow that. */
export function awsMove(moved: Moved): Pick<HighAvailability, "move" | "refusal"> {
  const subnets = moved.allocationId === undefined ? "oneSubnet" : "twoSubnets";
  const actions = takeOverActions[subnets].join(" and ");
  return {
    move: { kind: "ec2", ...moved },
    refusal: `its role must allow ${actions} on the pair's interfaces, addresses and route tables, and ${lookUpActions[subnets].join(" and ")}`,
  };
}

/** The pair's program asks: a second text that does would not fit beside it. */
export const requestsOfPair = `log_in_to_aws() { :; }
aws_request() { ${HA_PROGRAM} aws "$@"; }
`;
