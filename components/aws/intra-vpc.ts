import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import { PrivatePath, type PrivatePathArgs, privatePathShape } from "./private-path.ts";

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
export class IntraVpc extends PrivatePath {
  readonly topology = "intra-vpc";

  constructor(name: string, args: PrivatePathArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("IntraVpc", z.strictObject(privatePathShape), args);
    super("IntraVpc", name, args, opts);
    this.registerOutputs({});
  }
}
