import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import { Forwarder, type LabEgressArgs, labEgressShape } from "./forwarder.ts";
import { routerScript } from "./servers.ts";

/**
 * The baseline of the lab: a host that routes and does no NAT, so that it has as many hops as the others.
 *
 * Cost: nothing but the machine it runs on.
 *
 * @example
 * ```ts
 * import * as local from "egress-bench/local";
 *
 * const egress = new local.DirectEgress("direct", { server: far.gateway, index: 1 });
 * ```
 */
export class DirectEgress extends Forwarder {
  readonly topology = "direct";

  constructor(name: string, args: LabEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("DirectEgress", z.strictObject(labEgressShape), args);
    super("DirectEgress", name, { ...args, script: routerScript, translates: false }, opts);
  }
}
