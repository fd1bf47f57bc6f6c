import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import type { AwsAttachment, AwsEgress } from "./egress.ts";
import { elasticIp, publicIpOf } from "./elastic-ip.ts";
import { type PrivatePathArgs, privatePathShape } from "./private-path.ts";

/**
 * The bandwidth baseline: client and server in one VPC, by their private addresses.
 *
 * Limit: 5 Gbit/s a flow outside a placement group. Cost: nothing within an availability zone.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const path = new aws.IntraVpc("same", { clientAddress: "10.0.1.4" });
 * ```
 */
export class IntraVpc extends pulumi.ComponentResource implements AwsEgress {
  readonly topology = "intra-vpc";
  /** Requirements of a client that goes out through it. */
  readonly attachment: AwsAttachment;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Input<string>[];
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: PrivatePathArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:IntraVpc", name, {}, opts);
    checkArgs("IntraVpc", z.strictObject(privatePathShape), args);
    const eip = elasticIp(`${name}-eip`, args, this);
    this.attachment = { publicIp: publicIpOf(eip) };
    this.expectedSourceIps = [args.clientAddress];
    this.ready = [eip];
    this.registerOutputs({});
  }
}
