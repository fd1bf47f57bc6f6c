import * as pulumi from "@pulumi/pulumi";
import { type ArgsOf, text } from "../shared/args-schema.ts";
import { azureShape } from "./common.ts";
import type { AzureAttachment, AzureEgress } from "./egress.ts";
import { publicIp, publicIpOf } from "./public-ip.ts";

/** Schemas of {@link PrivatePathArgs}. */
export const privatePathShape = {
  ...azureShape,
  /** The client's future private address; the source address that the server must see. */
  clientAddress: text,
};

/** The client of a path between private addresses. */
export interface PrivatePathArgs extends ArgsOf<typeof privatePathShape> {}

/** An egress between private addresses, whose client has a public one for packages and logins only. */
export abstract class PrivatePath extends pulumi.ComponentResource implements AzureEgress {
  abstract readonly topology: string;
  abstract readonly pathReady: readonly pulumi.Resource[];
  /** Requirements of a client that goes out through it. */
  readonly attachment: AzureAttachment;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Input<string>[];
  readonly ready: readonly pulumi.Resource[];

  constructor(type: string, name: string, args: PrivatePathArgs, opts?: pulumi.ComponentResourceOptions) {
    super(`egress-bench:azure:${type}`, name, {}, opts);
    const ip = publicIp(`${name}-ip`, args, this);
    this.attachment = { publicIp: publicIpOf(ip) };
    this.expectedSourceIps = [args.clientAddress];
    this.ready = [ip];
  }
}
