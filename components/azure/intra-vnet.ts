/** Two subnets of one virtual network. */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import type { AzureAttachment, AzureEgress } from "./egress.ts";
import { type PrivatePathArgs, privatePath, privatePathShape } from "./private-path.ts";

/**
 * Client and server in two subnets of one virtual network, by their private addresses: what machines of these
 * sizes can do at best. The client has a public address of its own for packages and logins only.
 *
 * Cost: nothing for the traffic, between availability zones too.
 *
 * @example
 * ```ts
 * import * as azure from "egress-bench/azure";
 *
 * const path = new azure.IntraVnet("same", { resourceGroupName: group.name, location: group.location, clientAddress: "10.0.1.4" });
 * ```
 */
export class IntraVnet extends pulumi.ComponentResource implements AzureEgress {
  readonly topology = "intra-vnet";
  /** Requirements of a client that goes out through it. */
  readonly attachment: AzureAttachment;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Input<string>[];
  readonly ready: readonly pulumi.Resource[];
  readonly pathReady = [] as const;

  constructor(name: string, args: PrivatePathArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:azure:IntraVnet", name, {}, opts);
    checkArgs("IntraVnet", z.strictObject(privatePathShape), args);
    const path = privatePath(name, args, this);
    this.attachment = path.attachment;
    this.expectedSourceIps = path.expectedSourceIps;
    this.ready = path.ready;
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}
