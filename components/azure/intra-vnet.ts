import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import { PrivatePath, type PrivatePathArgs, privatePathShape } from "./private-path.ts";

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
export class IntraVnet extends PrivatePath {
  readonly topology = "intra-vnet";
  readonly pathReady = [] as const;

  constructor(name: string, args: PrivatePathArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("IntraVnet", z.strictObject(privatePathShape), args);
    super("IntraVnet", name, args, opts);
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}
