import * as pulumi from "@pulumi/pulumi";
import { type ArgsOf, text } from "../shared/args-schema.ts";
import { awsShape } from "./common.ts";
import type { AwsAttachment, AwsEgress } from "./egress.ts";
import { elasticIp, publicIpOf } from "./elastic-ip.ts";

/** Schemas of {@link PrivatePathArgs}. */
export const privatePathShape = {
  ...awsShape,
  /** The client's private address, which the server must see. */
  clientAddress: text,
};

/** The client of a path between private addresses. It also has a public address, for logins and packages only. */
export interface PrivatePathArgs extends ArgsOf<typeof privatePathShape> {}

/** An egress between private addresses, whose client has a public one for packages and logins only. */
export abstract class PrivatePath extends pulumi.ComponentResource implements AwsEgress {
  abstract readonly topology: string;
  /** Requirements of a client that goes out through it. */
  readonly attachment: AwsAttachment;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Input<string>[];
  readonly ready: pulumi.Resource[];

  constructor(type: string, name: string, args: PrivatePathArgs, opts?: pulumi.ComponentResourceOptions) {
    super(`egress-bench:aws:${type}`, name, {}, opts);
    const eip = elasticIp(`${name}-eip`, args, this);
    this.attachment = { publicIp: publicIpOf(eip) };
    this.expectedSourceIps = [args.clientAddress];
    this.ready = [eip];
  }
}
