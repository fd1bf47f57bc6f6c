/**
 * How a NAT instance of a pair takes over on AWS: shell text that calls EC2 with the machine's own role.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import type { HighAvailability } from "../nat-instance/index.ts";
import type { Statement } from "./machine-role.ts";
import { signedRequests } from "./signed-requests.ts";

/** What moves, and where it moves to. */
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

/** The two calls that a take-over makes, which the machines' role has to allow: of one subnet, or of two. */
const takeOverActions = {
  oneSubnet: ["ec2:AssignPrivateIpAddresses", "ec2:ReplaceRoute"],
  twoSubnets: ["ec2:AssociateAddress", "ec2:ReplaceRoute"],
} as const;

/** What the role of a pair's machines may do: a take-over of just these. */
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
  const [move, replace] = takeOverActions[allocationId === undefined ? "oneSubnet" : "twoSubnets"];
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
  ];
}

/** Ids are one of a kind in all of AWS; region and account need not be said. */
function arnOf(kind: string, id: string): string {
  return `arn:aws:ec2:*:*:${kind}/${id}`;
}

/**
 * All requests of a take-over are under way at once.
 */
export function awsMove(moved: Moved): HighAvailability["move"] {
  const actions = takeOverActions[moved.allocationId === undefined ? "oneSubnet" : "twoSubnets"];
  return {
    definitions: requests(moved),
    // A call that is throttled, or meets a network that is still coming up, is made again.
    take: `  for _ in 1 2 3 4 5; do
    log_in_to_aws && take_over && return
    sleep 0.5
  done
  return 1`,
    // They have gone to the other machine.
    release: "  :",
    // A new role takes a while to be known everywhere.
    allowed: `  for _ in $(seq 30); do
    log_in_to_aws && may_take_over && return
    sleep 2
  done
  return 1`,
    refusal: `its role must allow ${actions.join(" and ")} on the pair's interfaces, addresses and route tables`,
  };
}

function requests({ networkInterfaceId, privateAddress, allocationId, routeTableIds }: Moved): string {
  const move =
    allocationId === undefined
      ? `AssignPrivateIpAddresses NetworkInterfaceId=${networkInterfaceId} \\
    PrivateIpAddress.1=${privateAddress} AllowReassignment=true`
      : `AssociateAddress AllocationId=${allocationId} NetworkInterfaceId=${networkInterfaceId} \\
    PrivateIpAddress=${privateAddress} AllowReassociation=true`;
  return `${signedRequests}
# each_request MEANING-OF-SUCCESS PARAMETER...: all that a take-over asks, side by side.
each_request() {
  wanted=$1
  shift
  asked=
  aws_request ec2 2016-11-15 ${move} "$@" 2>&1 | grep -q "$wanted" &
  asked="$asked $!"
  for table in ${routeTableIds.join(" ")}; do
    aws_request ec2 2016-11-15 ReplaceRoute RouteTableId="$table" DestinationCidrBlock=0.0.0.0/0 \\
      NetworkInterfaceId=${networkInterfaceId} "$@" 2>&1 | grep -q "$wanted" &
    asked="$asked $!"
  done
  for one in $asked; do wait "$one" || return; done
}

take_over() { each_request '^200$'; }

# EC2 answers a trial with an error of that name where the request would have been done.
may_take_over() { each_request DryRunOperation DryRun=true; }
`;
}
