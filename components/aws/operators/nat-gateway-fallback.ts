/**
 * A NAT gateway that stands in for a NAT instance while it does not forward.
 *
 * A function moves the private routes, since a machine that died cannot. It watches the machine's heartbeat
 * (`nat-instance.ts`), so that it needs no place in the VPC and no way out of it.
 */
import { getNatGatewayOutput } from "@pulumi/aws/ec2/getNatGateway.js";
import { NatGateway } from "@pulumi/aws/ec2/natGateway.js";
import * as pulumi from "@pulumi/pulumi";
import { checked, invalid } from "../../shared/arguments.ts";
import { type PublicIp, type PublicSubnetArgs, tagsOf } from "../common.ts";
import { elasticIp, publicIpOf } from "../elastic-ip.ts";
import type { NatGatewayFallbackArgs } from "../nat-args.ts";
import { publicSubnetId } from "../routes.ts";

/** Refuses contradicting options. @throws {pulumi.InputPropertyError} */
export function assertFallback(given: true | NatGatewayFallbackArgs | undefined, paired: boolean): void {
  if (given === undefined) {
    return;
  }
  if (paired) {
    throw invalid(
      "natGatewayFallback",
      "does not go with highAvailability: the standby takes over, and keeps sessions; leave one of them out",
    );
  }
  if (given !== true && given.natGatewayId !== undefined && given.publicIp !== undefined) {
    throw invalid(
      "natGatewayFallback.publicIp",
      "an existing gateway already has its address; leave out publicIp, or natGatewayId for a new gateway",
    );
  }
}

/** The gateway's id, and its address as servers see it; a new one, unless an existing one is named. */
export function fallbackGateway(
  name: string,
  args: PublicSubnetArgs,
  given: true | NatGatewayFallbackArgs,
  parent: pulumi.Resource,
) {
  const options = given === true ? {} : given;
  return options.natGatewayId === undefined
    ? newGateway(name, args, options.publicIp, parent)
    : existingGateway(options.natGatewayId, args.vpcId, parent);
}

function newGateway(
  name: string,
  args: PublicSubnetArgs,
  publicIp: PublicIp | undefined,
  parent: pulumi.Resource,
) {
  const { id, address } = publicIp ?? publicIpOf(elasticIp(`${name}-fallback-eip`, args, parent));
  const gateway = new NatGateway(
    `${name}-fallback-nat-gateway`,
    {
      subnetId: publicSubnetId(args, parent),
      allocationId: id,
      tags: tagsOf(`${name}-fallback-nat-gateway`, args),
    },
    // An address is in one gateway at a time.
    { parent, dependsOn: [...(args.internetReady ?? [])], deleteBeforeReplace: true },
  );
  return { id: gateway.id, address: pulumi.output(address) };
}

function existingGateway(
  natGatewayId: pulumi.Input<string>,
  vpcId: pulumi.Input<string>,
  parent: pulumi.Resource,
) {
  const id = pulumi.output(checked(natGatewayId, assertId));
  const found = getNatGatewayOutput({ id }, { parent });
  const known = pulumi.all([id, vpcId, found.vpcId, found.state, found.connectivityType]);
  // Resolves only to a usable gateway.
  const usable = known.apply(([of, wantedVpc, itsVpc, state, connectivityType]) => {
    assertUsable(of, wantedVpc, { vpcId: itsVpc, state, connectivityType });
    return of;
  });
  return { id: usable, address: pulumi.all([found.publicIp, usable]).apply(([address]) => address) };
}

const ID = "natGatewayFallback.natGatewayId";

function assertId(id: string): void {
  if (!/^nat-[0-9a-f]{8,}$/.test(id)) {
    throw invalid(ID, `got "${id}"; expected the id of a NAT gateway, such as nat-0123456789abcdef0`);
  }
}

/** Refuses a gateway that the NAT instance's clients could not use. @throws {pulumi.InputPropertyError} */
export function assertUsable(
  id: string,
  vpcId: string,
  found: { readonly vpcId: string; readonly state: string; readonly connectivityType: string },
): void {
  const problem =
    found.vpcId !== vpcId
      ? `is of ${found.vpcId}, the NAT instance of ${vpcId}; name one of the same VPC`
      : found.connectivityType === "private"
        ? "is private and leads to no internet; name a public one"
        : found.state === "available" || found.state === "pending"
          ? undefined
          : `is ${found.state}; name one that is available`;
  if (problem !== undefined) {
    throw invalid(ID, `${id} ${problem}, or leave it out for a new one`);
  }
}
