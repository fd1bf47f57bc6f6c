/** AWS NAT gateway. */

import { Eip } from "@pulumi/aws/ec2/eip.js";
import { NatGateway, type NatGatewayArgs } from "@pulumi/aws/ec2/natGateway.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { limits } from "../../bench/topologies/limits.ts";
import { checkArgs, optionalCount, schemaOf, text } from "../shared/args-schema.ts";
import { assertRange, invalid } from "../shared/arguments.ts";
import {
  type AwsArgs,
  type PublicIp,
  type PublicSubnetArgs,
  publicIpOf,
  publicIpSchema,
  publicSubnetShape,
  tagsOf,
} from "./common.ts";
import type { AwsAttachment, AwsEgress } from "./egress.ts";
import { defaultRoutes, type PrivateRoutesArgs, privateRoutesShape, publicSubnetId } from "./routes.ts";

/** The gateway's kind, place and public addresses. */
export interface NatGatewayEgressArgs extends AwsArgs, PrivateRoutesArgs, Partial<PublicSubnetArgs> {
  /**
   * `zonal`: in one public subnet. `regional`: in a VPC as a whole, without a subnet. A change makes a new gateway and
   * new addresses before it takes away the old ones. `publicIps` are held by the old one until then: leave them out in the update
   * that changes it, and set them in the next.
   *
   * @default zonal
   */
  readonly availabilityMode?: "zonal" | "regional" | undefined;
  /** For `zonal`, which needs it. @default none */
  readonly subnetId?: pulumi.Input<string>;
  /** For `regional`, which needs it. @default none */
  readonly vpcId?: pulumi.Input<string>;
  /**
   * For `regional` only: the availability zone that its clients are in, and the one that it serves, with addresses made here, unless
   * there are `zones`. With these only that zone's addresses prove a path: until AWS has expanded the gateway to a zone that was
   * added, for 15 to 20 minutes, its clients leave by another zone's.
   *
   * @default - AWS adds zones and addresses as clients appear in them; the source addresses change with them
   */
  readonly zone?: pulumi.Input<string> | undefined;
  /**
   * For `regional` only: by the zone's name the addresses that its clients are seen with, which exist
   * already, or how many to make, 1 to 32. A zone can be added and taken away on a gateway that runs; each costs as a
   * gateway of its own does.
   *
   * @default - see `zone`
   */
  readonly zones?: Readonly<Record<string, number | readonly PublicIp[]>> | undefined;
  /**
   * Public addresses to create, 1 to 8, of a regional gateway with `zone` 1 to 32; each is worth 55,000 connections to one
   * destination. Beyond two, AWS must have raised the account's quota.
   *
   * @default 1
   */
  readonly publicIpCount?: number | undefined;
  /** Addresses that exist already, used instead of new ones. @default - none */
  readonly publicIps?: readonly PublicIp[] | undefined;
}

const published = limits.aws["nat-gateway"];
/** Most addresses of one NAT gateway: one primary, seven secondary. */
const MAX_ADDRESSES = published.addressesPerGateway;

/** Most addresses of a zone of a regional one, by what projects report; AWS's page of quotas does not say. */
const MAX_ADDRESSES_A_ZONE = 32;

/** The addresses of each zone of a regional gateway. */
type Zones = readonly { readonly zone: pulumi.Input<string>; readonly addresses: readonly PublicIp[] }[];

const natGatewayEgressSchema = schemaOf<NatGatewayEgressArgs>({
  ...publicSubnetShape,
  ...privateRoutesShape,
  availabilityMode: z.enum(["zonal", "regional"]).optional(),
  subnetId: text.optional(),
  vpcId: text.optional(),
  zone: text.optional(),
  zones: z.record(z.string(), z.union([z.int(), z.array(publicIpSchema)])).optional(),
  publicIpCount: optionalCount,
  publicIps: z.array(publicIpSchema).optional(),
});

/**
 * A managed NAT gateway, and the routes of private subnets to it. Its own subnet must not be one of them: it would
 * route to itself.
 *
 * Limits: 5 to 100 Gbit/s and 1 to 10 million packets a second, scaling by itself; 55,000 connections an address and
 * destination; a connection idle for 350 s ends with RST.
 *
 * Cost (USD, us-east-1): 0.045 an hour (regional: an availability zone) and 0.045 a GB in either direction, 0.005 an
 * hour an address; about 33 a month before traffic. A NAT instance on a t4g.micro costs about a third and nothing a GB.
 *
 * @example
 * ```ts
 * import * as aws from "egress-bench/aws";
 *
 * const egress = new aws.NatGatewayEgress("egress", {
 *   subnetId: publicSubnet.id,
 *   privateRouteTableIds: [privateRoutes.id],
 *   publicIpCount: 2,
 *   internetReady: [internetGatewayRoute],
 * });
 * ```
 */
export class NatGatewayEgress extends pulumi.ComponentResource implements AwsEgress {
  readonly topology = "nat-gateway";
  /** The NAT gateway. */
  readonly gateway: NatGateway;
  /** Requirements of a client that goes out through it. */
  readonly attachment: AwsAttachment = {};
  /** TCP, fixed by AWS. */
  readonly idleTimeoutSeconds = published.idleSeconds;
  readonly hosts = [] as const;
  readonly expectedSourceIps: pulumi.Output<string[]>;
  readonly ready: readonly pulumi.Resource[];

  constructor(name: string, args: NatGatewayEgressArgs, opts?: pulumi.ComponentResourceOptions) {
    super("egress-bench:aws:NatGatewayEgress", name, {}, opts);
    checkArgs("NatGatewayEgress", natGatewayEgressSchema, args);
    assertNatGatewayArgs(args);
    const regional = args.availabilityMode === "regional";
    const automatic = regional && args.zone === undefined && args.zones === undefined;
    // Resources apart: the provider cannot plan a zonal gateway's change to a regional one.
    const own = regional ? `${name}-regional` : name;
    const zones = automatic ? [] : this.#zones(own, args);
    const addresses = zones.flatMap((one) => one.addresses);
    this.gateway = new NatGateway(
      `${own}-nat-gateway`,
      {
        ...(regional ? regionalPlace(args, zones) : this.#zonalPlace(args, addresses)),
        tags: tagsOf(`${own}-nat-gateway`, args),
      },
      // An address is in one gateway at a time.
      { parent: this, dependsOn: [...(args.internetReady ?? [])], deleteBeforeReplace: true },
    );
    const routes = defaultRoutes(name, args, { natGatewayId: this.gateway.id }, this);
    this.expectedSourceIps = automatic
      ? this.gateway.regionalNatGatewayAddresses.apply((all) => all.map(({ publicIp }) => publicIp))
      : pulumi.output(args.zone).apply((zone) => addressesSeen(zones, zone));
    this.ready = [this.gateway, ...routes];
    this.registerOutputs({ expectedSourceIps: this.expectedSourceIps });
  }

  /** A zonal gateway is one whose only zone is its subnet's. */
  #zones(name: string, args: NatGatewayEgressArgs): Zones {
    const { zones, zone = "", publicIps, publicIpCount = 1 } = args;
    return zones === undefined
      ? [{ zone, addresses: publicIps ?? this.#publicIps(name, args, publicIpCount) }]
      : Object.entries(zones).map(([of, wanted]) => ({
          zone: of,
          addresses: typeof wanted === "number" ? this.#publicIps(`${name}-${of}`, args, wanted) : wanted,
        }));
  }

  #publicIps(name: string, args: NatGatewayEgressArgs, count: number): PublicIp[] {
    return Array.from({ length: count }, (_, index) => {
      const eipName = `${name}-eip-${index + 1}`;
      return publicIpOf(new Eip(eipName, { domain: "vpc", tags: tagsOf(eipName, args) }, { parent: this }));
    });
  }

  #zonalPlace(args: NatGatewayEgressArgs, addresses: readonly PublicIp[]): NatGatewayArgs {
    const [primary, ...secondary] = addresses.map(({ id }) => id);
    return {
      // assertNatGatewayArgs has seen it.
      subnetId: publicSubnetId(args as PublicSubnetArgs, this),
      allocationId: primary as pulumi.Input<string>,
      // Also when there are none: left out, the provider keeps those that the gateway has.
      secondaryAllocationIds: secondary,
    };
  }
}

/** The addresses of the clients' zone; of every zone, where the gateway has none in it. */
function addressesSeen(zones: Zones, clients: string | undefined): pulumi.Output<string[]> {
  const own = zones.filter(({ zone }) => zone === clients);
  const seen = own.length > 0 ? own : zones;
  return pulumi.output(seen.flatMap(({ addresses }) => addresses.map(({ address }) => address)));
}

function regionalPlace({ vpcId }: NatGatewayEgressArgs, zones: Zones): NatGatewayArgs {
  return {
    availabilityMode: "regional",
    // assertNatGatewayArgs has seen it.
    vpcId: vpcId as pulumi.Input<string>,
    ...(zones.length === 0
      ? {}
      : {
          availabilityZoneAddresses: zones.map(({ zone, addresses }) => ({
            availabilityZone: zone,
            allocationIds: addresses.map(({ id }) => id),
          })),
        }),
  };
}

/** @throws {pulumi.InputPropertyError} for what AWS would refuse. */
function assertNatGatewayArgs(args: NatGatewayEgressArgs): void {
  const { availabilityMode = "zonal", publicIpCount, publicIps } = args;
  if (publicIpCount !== undefined && publicIps !== undefined) {
    throw invalid("publicIps", "publicIpCount and publicIps exclude each other; give one of them");
  }
  const most = availabilityMode === "regional" ? MAX_ADDRESSES_A_ZONE : MAX_ADDRESSES;
  if (publicIps !== undefined) {
    assertRange("publicIps", publicIps.length, 1, most);
  }
  assertRange("publicIpCount", publicIpCount ?? 1, 1, most);
  if (availabilityMode === "regional") {
    assertRegional(args);
    return;
  }
  if (args.subnetId === undefined) {
    throw invalid("subnetId", "a zonal NAT gateway needs a public subnet to sit in; name one");
  }
  for (const argument of ["zone", "zones"] as const) {
    if (args[argument] !== undefined) {
      throw invalid(
        argument,
        `a zonal NAT gateway is in its subnet's zone; leave ${argument} out, or set availabilityMode to "regional"`,
      );
    }
  }
}

function assertRegional(args: NatGatewayEgressArgs): void {
  for (const argument of ["subnetId", "publicRouteTableId"] as const) {
    if (args[argument] !== undefined) {
      throw invalid(argument, `a regional NAT gateway has no subnet; leave ${argument} out and give vpcId`);
    }
  }
  if (args.vpcId === undefined) {
    throw invalid("vpcId", "a regional NAT gateway belongs to a VPC; name it");
  }
  if (args.zones !== undefined) {
    assertZones(args);
    return;
  }
  if (args.zone !== undefined) {
    return;
  }
  for (const argument of ["publicIpCount", "publicIps"] as const) {
    if (args[argument] !== undefined) {
      throw invalid(
        argument,
        `without zone, AWS chooses a regional NAT gateway's addresses; give zone or leave ${argument} out`,
      );
    }
  }
}

function assertZones({ zones = {}, ...args }: NatGatewayEgressArgs): void {
  for (const argument of ["publicIpCount", "publicIps"] as const) {
    if (args[argument] !== undefined) {
      throw invalid(argument, `zones says the addresses of each zone; leave ${argument} out`);
    }
  }
  const entries = Object.entries(zones);
  if (entries.length === 0) {
    throw invalid("zones", "is empty, so nobody could go out; name at least one zone, or leave zones out");
  }
  for (const [zone, wanted] of entries) {
    const count = typeof wanted === "number" ? wanted : wanted.length;
    assertRange(`zones["${zone}"]`, count, 1, MAX_ADDRESSES_A_ZONE);
  }
}
