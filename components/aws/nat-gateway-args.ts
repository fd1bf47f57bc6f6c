import { z } from "zod";
import { limits } from "../../bench/topologies/limits.ts";
import { countWithin, listWithin, text } from "../shared/args-schema.ts";
import { assertDistinct, invalid, refuseGiven } from "../shared/arguments.ts";
import { privateRoutesShape, publicIpSchema, publicSubnetShape } from "./common.ts";
import { countPublicIps } from "./elastic-ip.ts";

/** Most addresses of one NAT gateway: one primary, seven secondary. */
const MAX_ADDRESSES = limits.aws["nat-gateway"].addressesPerGateway;

/** Most addresses a zone of a regional gateway, by what projects report; AWS's page of quotas does not say. */
const MAX_ADDRESSES_A_ZONE = 32;

/**
 * Names of zones, such as `us-east-1a`, or `us-east-1-bos-1a` of a local zone. A region's name, and a zone's id, end with a
 * number.
 */
const ZONE = /^[a-z]+(-[a-z]+)+-\d(-[a-z]+-\d)?[a-z]$/;

/** Schema of {@link NatGatewayEgressArgs}. */
export const natGatewaySchema = z.strictObject({
  ...publicSubnetShape,
  ...privateRoutesShape,
  availabilityMode: z
    .enum(["zonal", "regional"])
    .optional()
    .meta({
      description:
        "`zonal`: in one public subnet. `regional`: in a VPC as a whole, without a subnet. A change makes a new gateway and new " +
        "addresses before it takes away the old ones. `publicIps` are held by the old one until then: leave them out in the " +
        "update that changes it, and set them in the next.",
      default: "zonal",
    }),
  /** Subnet of a `zonal` gateway, which needs it. @default none */
  subnetId: text.optional(),
  /** VPC of a `regional` gateway, which needs it. @default none */
  vpcId: text.optional(),
  /**
   * For `regional` only: the one availability zone that it serves, with addresses made here. With `zones`: the zone of the
   * measured clients. AWS takes up to an hour to serve an added zone, and uses another zone's addresses until then; a case
   * that the server sees from one of those fails. Another zone gets other addresses; a preview refuses existing ones that the
   * former zone still has.
   * @default - AWS adds zones and addresses as clients appear in them; the source addresses change with them
   */
  zone: text.optional(),
  /**
   * For `regional` only: addresses of each zone, by the zone's name: existing ones, or how many to make, 1 to 32. Zones can
   * be added to and removed from a running gateway; each costs as much as a gateway of its own.
   * @default - see `zone`
   */
  zones: z
    .record(
      z.string(),
      z.union([
        countWithin(1, MAX_ADDRESSES_A_ZONE).unwrap(),
        listWithin(publicIpSchema, MAX_ADDRESSES_A_ZONE).unwrap(),
      ]),
    )
    .readonly()
    .optional(),
  publicIpCount: countWithin(1, MAX_ADDRESSES_A_ZONE).meta({
    description:
      "Public addresses to create, 1 to 8, of a regional gateway 1 to 32 in each zone; each is worth 55,000 connections to one " +
      "destination. Beyond two, AWS must have raised the account's quota.",
    default: 1,
  }),
  /** Existing addresses, used instead of new ones. @default - none */
  publicIps: listWithin(publicIpSchema, MAX_ADDRESSES_A_ZONE),
});

/** The gateway's kind, place and public addresses. */
export interface NatGatewayEgressArgs extends Readonly<z.infer<typeof natGatewaySchema>> {}

/** Refuses arguments that AWS would refuse. @throws {pulumi.InputPropertyError} */
export function assertNatGatewayArgs(args: NatGatewayEgressArgs): void {
  const { availabilityMode = "zonal", publicIpCount, publicIps, zone, zones } = args;
  const count = countPublicIps(publicIpCount, publicIps);
  if (availabilityMode === "regional") {
    assertRegional(args);
    return;
  }
  if (args.subnetId === undefined) {
    throw invalid("subnetId", "a zonal NAT gateway needs a public subnet to sit in; name one");
  }
  if (count > MAX_ADDRESSES) {
    throw invalid(
      publicIps === undefined ? "publicIpCount" : "publicIps",
      `a zonal NAT gateway has at most ${MAX_ADDRESSES} addresses; got ${count}`,
    );
  }
  refuseGiven(
    { zone, zones },
    (argument) =>
      `a zonal NAT gateway is in its subnet's zone; leave ${argument} out, or set availabilityMode to "regional"`,
  );
}

function assertRegional(args: NatGatewayEgressArgs): void {
  const { subnetId, publicRouteTableId, publicIpCount, publicIps } = args;
  refuseGiven(
    { subnetId, publicRouteTableId },
    (argument) => `a regional NAT gateway has no subnet; leave ${argument} out and give vpcId`,
  );
  if (args.vpcId === undefined) {
    throw invalid("vpcId", "a regional NAT gateway belongs to a VPC; name it");
  }
  if (typeof args.zone === "string") {
    assertZoneName("zone", args.zone);
  }
  if (args.zones !== undefined) {
    assertZones(args);
    return;
  }
  if (args.zone === undefined) {
    refuseGiven(
      { publicIpCount, publicIps },
      (argument) =>
        `without zone, AWS chooses a regional NAT gateway's addresses; give zone or leave ${argument} out`,
    );
  }
}

function assertZones({ zones = {}, publicIpCount, publicIps }: NatGatewayEgressArgs): void {
  refuseGiven(
    { publicIpCount, publicIps },
    (argument) => `zones gives each zone's addresses; leave ${argument} out`,
  );
  const entries = Object.entries(zones);
  if (entries.length === 0) {
    throw invalid("zones", "is empty, so no client could go out; name at least one zone, or leave zones out");
  }
  for (const [zone] of entries) {
    assertZoneName("zones", zone);
  }
  assertDistinct(
    entries.flatMap(([zone, wanted]) =>
      typeof wanted === "number"
        ? []
        : wanted.map(({ id }, index) => [`zones["${zone}"][${index}]`, id] as const),
    ),
  );
}

function assertZoneName(argument: string, zone: string): void {
  if (!ZONE.test(zone)) {
    throw invalid(argument, `expected an availability zone's name, such as us-east-1a; got "${zone}"`);
  }
}
