import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs } from "../shared/args-schema.ts";
import type { Egress } from "../shared/egress.ts";
import { type LabAttachment, type LabEgressArgs, labEgressShape, makeForwarder } from "./forwarder.ts";
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
export class DirectEgress extends pulumi.ComponentResource implements Egress<LabAttachment> {
  readonly topology = "direct";
  readonly attachment: LabAttachment;
  readonly hosts;
  readonly expectedSourceIps: string[];
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: LabEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:local:DirectEgress", name, {}, opts);
    checkArgs("DirectEgress", z.strictObject(labEgressShape), args);
    const forwarder = makeForwarder(
      name,
      { ...args, role: "router", script: routerScript, returnRoute: true },
      this,
    );
    this.attachment = { forwarder: forwarder.host, addresses: forwarder.addresses, translates: false };
    this.hosts = [forwarder.host] as const;
    this.expectedSourceIps = [forwarder.addresses.client];
    this.ready = [forwarder.booted];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}
