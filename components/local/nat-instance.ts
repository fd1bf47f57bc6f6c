import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { observedBy } from "../nat-instance/cloud-machine.ts";
import { type NatSetupArgs, natSetup } from "../nat-instance/index.ts";
import { checkArgs, objectOf } from "../shared/args-schema.ts";
import { topologyAddresses } from "./addresses.ts";
import { Forwarder, labEgressShape } from "./forwarder.ts";

const natInstanceSchema = z.strictObject({
  ...labEgressShape,
  /** Options of the set-up script. @default those of a cloud's machine */
  nat: objectOf<Omit<NatSetupArgs, "privateCidrs">>("an object of options").optional(),
});

/** The instance's place in the network, its link and its set-up options. */
export interface NatInstanceArgs extends Readonly<z.infer<typeof natInstanceSchema>> {}

/**
 * The NAT instance of the lab: a host that runs the same set-up script as a cloud's machine.
 *
 * Cost: nothing but the machine it runs on.
 *
 * @example
 * ```ts
 * import * as local from "egress-bench/local";
 *
 * const nat = new local.NatInstance("nat", { server: far.gateway, index: 1, nat: { dataPlane: "nftables" } });
 * ```
 */
export class NatInstance extends Forwarder {
  readonly topology = "nat-instance";

  constructor(name: string, args: NatInstanceArgs, opts?: pulumi.ComponentResourceOptions) {
    checkArgs("NatInstance", natInstanceSchema, args);
    const { privateCidr } = topologyAddresses(args.index);
    const script = natSetup({ ...observedBy([privateCidr], args.nat), privateCidrs: [privateCidr] });
    super("NatInstance", name, { ...args, script, translates: true }, opts);
  }
}
