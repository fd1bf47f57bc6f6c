/** A NAT instance in each availability zone. */
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { checkArgs, schemaOf, text, texts } from "../shared/args-schema.ts";
import { invalid } from "../shared/arguments.ts";
import type { PublicIp } from "./common.ts";
import { publicIpSchema } from "./common.ts";
import type { NatInstanceArgs } from "./nat-args.ts";
import { natInstanceSchema } from "./nat-args.ts";
import { NatInstance } from "./nat-instance.ts";
import type { PrivateRoutesArgs } from "./routes.ts";
import { privateRoutesShape } from "./routes.ts";

/** One zone's machine: its subnet and its clients. */
export interface ZoneOfNatInstanceArgs extends PrivateRoutesArgs {
  /** Public subnet in the zone. */
  readonly subnetId: pulumi.Input<string>;
  /** CIDR blocks of the zone's clients. */
  readonly privateCidrs: pulumi.Input<pulumi.Input<string>[]>;
  /** Addresses that exist already. @default - new ones */
  readonly publicIps?: readonly PublicIp[] | undefined;
}

type OfAZone = "subnetId" | "privateCidrs" | "privateRouteTableIds" | "privateRouteTableCount" | "publicIps";

/** The zones, and what all their machines have in common. */
export interface NatInstancePerZoneArgs extends Omit<NatInstanceArgs, OfAZone | "publicRouteTableId"> {
  /** By the zone's name, such as `us-east-1a`, which becomes part of the machine's. */
  readonly zones: Readonly<Record<string, ZoneOfNatInstanceArgs>>;
}

const zoneSchema: z.ZodType<ZoneOfNatInstanceArgs> = z.strictObject({
  ...privateRoutesShape,
  subnetId: text,
  privateCidrs: texts,
  publicIps: z.array(publicIpSchema).optional(),
});

const { shape: shared } = natInstanceSchema.omit({
  subnetId: true,
  privateCidrs: true,
  privateRouteTableIds: true,
  privateRouteTableCount: true,
  publicIps: true,
  publicRouteTableId: true,
});

const natInstancePerZoneSchema = schemaOf<NatInstancePerZoneArgs>({
  ...shared,
  zones: z.record(z.string(), zoneSchema),
});

/**
 * A {@link NatInstance} in each zone, for the clients of that zone: when a zone fails, the others' clients go on, and no
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
  /** By the zone's name. */
  readonly byZone: Readonly<Record<string, NatInstance>>;
  /** IPv4 addresses of all zones, as servers see them. */
  readonly expectedSourceIps: pulumi.Output<string>[];
  /** All zones forward, as far as that can be seen. */
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: NatInstancePerZoneArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:NatInstancePerZone", name, {}, opts);
    checkArgs("NatInstancePerZone", natInstancePerZoneSchema, args);
    const { zones, ...shared } = args;
    const entries = Object.entries(zones);
    if (entries.length === 0) {
      throw invalid(
        "zones",
        "is empty, so nobody could go out; name at least one zone with its public subnet",
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
