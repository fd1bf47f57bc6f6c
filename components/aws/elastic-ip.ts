import { Eip } from "@pulumi/aws/ec2/eip.js";
import type * as pulumi from "@pulumi/pulumi";
import { assertDistinct, refuseSeveral } from "../shared/arguments.ts";
import { type AwsArgs, type PublicIp, tagsOf } from "./common.ts";

/** A new Elastic IP, tagged with its name. @param place What another address replaces it with, before it is released. */
export function elasticIp(
  name: string,
  args: AwsArgs,
  parent?: pulumi.Resource,
  place?: pulumi.Input<string>,
): Eip {
  const inputs = { domain: "vpc", tags: tagsOf(name, args) };
  return new Eip(name, inputs, { ...(parent && { parent }), ...(place && { replacementTrigger: place }) });
}

/** New Elastic IPs: `<name>-eip-1` and so on. */
export function elasticIps(
  name: string,
  args: AwsArgs,
  count: number,
  parent: pulumi.Resource,
  place?: pulumi.Input<string>,
): Eip[] {
  return Array.from({ length: count }, (_, at) => elasticIp(`${name}-eip-${at + 1}`, args, parent, place));
}

export function publicIpOf(eip: Eip): PublicIp {
  return { id: eip.allocationId, address: eip.publicIp };
}

/** Number of public addresses, given or new. @throws {pulumi.InputPropertyError} */
export function countPublicIps(
  publicIpCount: number | undefined,
  publicIps: readonly PublicIp[] | undefined,
): number {
  refuseSeveral({ publicIpCount, publicIps });
  assertDistinct((publicIps ?? []).map(({ id }, index) => [`publicIps[${index}]`, id]));
  return publicIps?.length ?? publicIpCount ?? 1;
}
