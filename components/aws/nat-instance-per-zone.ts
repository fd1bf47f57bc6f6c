import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs, text, texts } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import { privateRoutesShape, publicIpSchema } from "./common.ts";
import { natInstanceSchema } from "./nat-args.ts";
import { NatInstance } from "./nat-instance.ts";

const zoneSchema = z.strictObject({
  ...privateRoutesShape,
  /** Public subnet in the zone. */
  subnetId: text,
  /** CIDR blocks of the zone's clients. */
  privateCidrs: texts,
  /** Existing addresses. @default - new ones */
  publicIps: z.array(publicIpSchema).readonly().optional(),
});

/** One zone's machine: its subnet and its clients. */
export interface ZoneOfNatInstanceArgs extends Readonly<z.infer<typeof zoneSchema>> {}

const { shape: shared } = natInstanceSchema.omit({
  subnetId: true,
  privateCidrs: true,
  privateRouteTableIds: true,
  privateRouteTableCount: true,
  publicIps: true,
  publicRouteTableId: true,
});

const natInstancePerZoneSchema = z.strictObject({
  ...shared,
  /** Zones by name, such as `us-east-1a`, which becomes part of the machine's name. */
  zones: z.record(z.string(), zoneSchema),
});

/** The zones, and what all their machines have in common. */
export interface NatInstancePerZoneArgs extends Readonly<z.infer<typeof natInstancePerZoneSchema>> {}

/**
 * A {@link NatInstance} in each zone, for the clients of that zone: when a zone fails, the others' clients are unaffected, and no
 * packet pays for crossing from one to another (0.01 USD a GB in each direction).
 *
 * Cost: one machine, disk and address a zone.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const nat = new aws.NatInstancePerZone("nat", {
 *   vpcId: vpc.id,
 *   zones: {
 *     "us-east-1a": { subnetId: publicA.id, privateRouteTableIds: [routesA.id], privateCidrs: ["10.0.1.0/24"] },
 *     "us-east-1b": { subnetId: publicB.id, privateRouteTableIds: [routesB.id], privateCidrs: ["10.0.2.0/24"] },
 *   },
 * });
 * ```
 */
export class NatInstancePerZone extends pulumi.ComponentResource {
  /** NAT instances by zone name. */
  readonly byZone: Readonly<Record<string, NatInstance>>;
  /** IPv4 addresses of all zones, as servers see them. */
  readonly expectedSourceIps: pulumi.Output<string>[];
  /** Resources that wait until all zones forward, as far as that can be checked. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: NatInstancePerZoneArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:NatInstancePerZone", name, {}, opts);
    checkArgs("NatInstancePerZone", natInstancePerZoneSchema, args);
    const { zones, ...shared } = args;
    const entries = Object.entries(zones);
    if (entries.length === 0) {
      throw invalid(
        "zones",
        "is empty, so no client could go out; name at least one zone with its public subnet",
      );
    }
    const made = entries.map(
      ([zone, own]) =>
        [zone, new NatInstance(`${name}-${zone}`, { ...shared, ...own }, { parent: this })] as const,
    );
    this.byZone = Object.fromEntries(made);
    this.expectedSourceIps = made.flatMap(([, nat]) => nat.expectedSourceIps);
    this.ready = made.flatMap(([, nat]) => nat.ready);
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }
}
