import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import { type AwsArgs, awsShape } from "./common.ts";
import type { AwsAttachment, AwsEgress } from "./egress.ts";
import { elasticIp, publicIpOf } from "./elastic-ip.ts";

/**
 * The baseline: an Elastic IP address on the client's network interface, in a public subnet.
 *
 * Limit: 5 Gbit/s through the internet gateway for instances under 32 vCPU.
 *
 * Cost: the address, 0.005 USD an hour, and traffic.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const egress = new aws.DirectEgress("direct", {});
 * export const clientAddress = egress.expectedSourceIps;
 * ```
 */
export class DirectEgress extends pulumi.ComponentResource implements AwsEgress {
  readonly topology = "direct";
  /** Requirements of a client that goes out through it. */
  readonly attachment: AwsAttachment;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string>[];
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: AwsArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:DirectEgress", name, {}, opts);
    checkArgs("DirectEgress", z.strictObject(awsShape), args);
    const eip = elasticIp(`${name}-eip`, args, this);
    this.attachment = { publicIp: publicIpOf(eip) };
    this.expectedSourceIps = [eip.publicIp];
    this.ready = [eip];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}
