import { Eip } from "@pulumi/aws/ec2/eip.js";
import type * as pulumi from "@pulumi/pulumi";
import { type AwsArgs, type PublicIp, tagsOf } from "./common.ts";

/** A new Elastic IP, tagged with its name. */
export function elasticIp(name: string, args: AwsArgs, parent: pulumi.Resource): Eip {
  return new Eip(name, { domain: "vpc", tags: tagsOf(name, args) }, { parent });
}

/** New Elastic IPs: `<name>-eip-1` and so on. */
export function elasticIps(name: string, args: AwsArgs, count: number, parent: pulumi.Resource): Eip[] {
  return Array.from({ length: count }, (_, at) => elasticIp(`${name}-eip-${at + 1}`, args, parent));
}

/** An Elastic IP as the components share it. */
export function publicIpOf(eip: Eip): PublicIp {
  return { id: eip.allocationId, address: eip.publicIp };
}
