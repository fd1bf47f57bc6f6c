import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type ArgsOf, checkArgs, text } from "../shared/args-schema.ts";
import { type AwsArgs, awsShape } from "./common.ts";
import type { AwsAttachment, AwsEgress } from "./egress.ts";
import { elasticIp, publicIpOf } from "./elastic-ip.ts";

export const privatePathShape = {
  ...awsShape,
  /** The client's private address, which the server must see. */
  clientAddress: text,
};

/** The client of a path between private addresses. It also has a public address, for logins and packages only. */
export interface PrivatePathArgs extends ArgsOf<typeof privatePathShape> {}

/**
 * A way out whose client has a public address of its own: to go out by, or for packages and logins only where the server sees
 * `clientAddress`.
 */
export abstract class OwnAddress extends pulumi.ComponentResource implements AwsEgress {
  abstract readonly topology: string;
  readonly attachment: AwsAttachment;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string>[];
  readonly ready: pulumi.Resource[];

  constructor(
    type: string,
    name: string,
    args: AwsArgs & Partial<PrivatePathArgs>,
    opts?: pulumi.ComponentResourceOptions,
  ) {
    super(`egress-bench:aws:${type}`, name, {}, opts);
    const eip = elasticIp(`${name}-eip`, args, this);
    this.attachment = { publicIp: publicIpOf(eip) };
    this.expectedSourceIps = [pulumi.output(args.clientAddress ?? eip.publicIp)];
    this.ready = [eip];
  }
}

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
export class DirectEgress extends OwnAddress {
  readonly topology = "direct";

  constructor(name: string, args: AwsArgs = {}, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("DirectEgress", z.strictObject(awsShape), args);
    super("DirectEgress", name, args, opts);
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}

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
export class IntraVpc extends OwnAddress {
  readonly topology = "intra-vpc";

  constructor(name: string, args: PrivatePathArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("IntraVpc", z.strictObject(privatePathShape), args);
    super("IntraVpc", name, args, opts);
  }
}
