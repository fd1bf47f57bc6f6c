import { isIPv4, isIPv6 } from "node:net";
import { z } from "zod";
import { limits } from "../../bench/topologies/limits.ts";
import { optionalCount, text } from "../shared/args-schema.ts";
import { assertDistinct, invalid, named } from "../shared/arguments.ts";
import { parseCidr } from "../shared/cidr.ts";
import { azureShape } from "./common.ts";
import { type PublicIpRef, publicIpShape } from "./public-ip.ts";

/** Most public addresses of one NAT gateway, IPv4 and IPv6 each. */
const MAX_ADDRESSES = limits.azure["nat-gateway"].addressesPerGateway;

/** Schema of {@link NatGatewayEgressArgs}. */
export const natGatewaySchema = z.strictObject({
  ...azureShape,
  publicIpCount: optionalCount.meta({
    description: "Public addresses to create, 1 to 16; each is worth 64,512 ports.",
    fallback: "1, or none with a prefix",
  }),
  /**
   * Existing addresses, used instead of new ones. They must be of the gateway's SKU, and in its zone or in all.
   * docs/azure.md#keep-a-public-address.
   * @default - none
   */
  publicIps: publicIpShape.publicIps,
  sku: z
    .enum(["Standard", "StandardV2"])
    .optional()
    .meta({
      description:
        "`StandardV2` is zone-redundant and missing in a handful of regions; it carries at most 1 Gbit/s and 100,000 packets a " +
        "second a connection, so that it takes 16 flows and more to fill it. A change makes a new gateway: Azure upgrades none " +
        "in place.",
      default: "Standard",
    }),
  publicIpPrefixLength: optionalCount.meta({
    description: "Length of a public IP prefix to create instead: 31 (2 addresses) to 28 (16).",
    fallback: "none",
  }),
  /** Existing prefix, used instead of a new one; of the gateway's SKU, and in its zone or in all. @default - none */
  publicIpPrefix: z
    .strictObject({
      /** Resource id. */
      id: text,
      /** Its block, such as `20.1.2.0/30`. */
      cidr: text,
    })
    .optional(),
  /**
   * IPv6 addresses to create, 1 to 16, by which hosts of subnets with an IPv6 block go out. For SKU `StandardV2` only, like
   * the next two; the subnets' IPv6 is yours to make.
   * @default none
   */
  publicIpV6Count: optionalCount,
  /** Existing IPv6 addresses, used instead of new ones. @default - none */
  publicIpsV6: publicIpShape.publicIps,
  /**
   * Whether IPv6 hosts reach IPv4 servers through it, under addresses from your resolver's DNS64. Needs a
   * `@pulumi/azure-native` with network API 2025-07-01.
   * @default false
   */
  nat64: z.boolean().optional(),
  idleTimeoutMinutes: optionalCount.meta({
    description: "Minutes after which a silent flow is forgotten, 4 to 120.",
    default: 4,
  }),
  zone: z
    .string()
    .optional()
    .meta({
      description:
        "Availability zone, for SKU `Standard` only. A change makes a new gateway with new addresses. With `publicIps` take the " +
        "gateway off its subnets first: Azure gives an address to no second gateway.",
      fallback: "Azure's choice",
    }),
});

/** The gateway's kind, place and public addresses. */
export interface NatGatewayEgressArgs extends Readonly<z.infer<typeof natGatewaySchema>> {}

/** Refuses arguments that Azure would refuse, or take and measure something else. @throws {pulumi.InputPropertyError} */
export function assertNatGatewayArgs(args: NatGatewayEgressArgs): void {
  const { sku = "Standard", publicIpCount, publicIpPrefixLength, publicIps, publicIpPrefix } = args;
  const { idleTimeoutMinutes, zone } = args;
  const given = { publicIpCount, publicIpPrefixLength, publicIps, publicIpPrefix };
  const sources = Object.entries(given).flatMap(([key, value]) => (value === undefined ? [] : [key]));
  if (sources.length > 1) {
    throw invalid(sources[1] as string, `${sources.join(" and ")} exclude each other; give one of them`);
  }
  assertCount("publicIp", { count: publicIpCount, existing: publicIps });
  if (publicIpPrefixLength !== undefined && ![28, 29, 30, 31].includes(publicIpPrefixLength)) {
    throw invalid(
      "publicIpPrefixLength",
      `a NAT gateway takes a prefix of 2 to ${MAX_ADDRESSES} addresses: 31, 30, 29 or 28, not ${publicIpPrefixLength}`,
    );
  }
  assertGiven("publicIps", args);
  assertIpv6(args);
  if (typeof publicIpPrefix?.cidr === "string") {
    assertPrefixBlock(publicIpPrefix.cidr);
  }
  if (idleTimeoutMinutes !== undefined && !(idleTimeoutMinutes >= 4 && idleTimeoutMinutes <= 120)) {
    throw invalid("idleTimeoutMinutes", `must be 4 to 120, not ${idleTimeoutMinutes}`);
  }
  if (sku === "StandardV2" && zone !== undefined) {
    throw invalid("zone", "a StandardV2 NAT gateway spans zones 1, 2 and 3; leave zone out");
  }
}

function assertIpv6(args: NatGatewayEgressArgs): void {
  const { sku = "Standard", publicIpV6Count, publicIpsV6, nat64 } = args;
  if (publicIpV6Count !== undefined && publicIpsV6 !== undefined) {
    throw invalid("publicIpsV6", "publicIpV6Count and publicIpsV6 exclude each other; give one of them");
  }
  assertCount("publicIpV6", { count: publicIpV6Count, existing: publicIpsV6 });
  for (const [argument, value] of Object.entries({ publicIpV6Count, publicIpsV6, nat64 })) {
    if (sku !== "StandardV2" && value !== undefined && value !== false) {
      throw invalid(
        argument,
        `a ${sku} NAT gateway has no IPv6; leave ${argument} out, or choose StandardV2`,
      );
    }
  }
  assertGiven("publicIpsV6", args);
}

function assertPrefixBlock(cidr: string): void {
  const { prefix } = named("publicIpPrefix.cidr", () => parseCidr(cidr));
  if (prefix < 28 || prefix > 31) {
    throw invalid("publicIpPrefix.cidr", `a NAT gateway takes a prefix of /28 to /31, not /${prefix}`);
  }
}

function assertCount(
  what: "publicIp" | "publicIpV6",
  given: { readonly count: number | undefined; readonly existing: readonly PublicIpRef[] | undefined },
): void {
  const count = given.existing?.length ?? given.count ?? 1;
  if (!Number.isInteger(count) || count < 1 || count > MAX_ADDRESSES) {
    throw invalid(
      given.existing === undefined ? `${what}Count` : what.replace("publicIp", "publicIps"),
      `a NAT gateway takes 1 to ${MAX_ADDRESSES} public addresses, not ${count}`,
    );
  }
}

function assertGiven(argument: "publicIps" | "publicIpsV6", args: NatGatewayEgressArgs): void {
  const { sku = "Standard", [argument]: existing = [] } = args;
  const [family, isOfFamily] =
    argument === "publicIps" ? (["IPv4", isIPv4] as const) : (["IPv6", isIPv6] as const);
  existing.forEach(({ sku: its = "Standard", address }, index) => {
    if (its !== sku) {
      throw invalid(
        `${argument}[${index}].sku`,
        `a ${sku} NAT gateway takes ${sku} addresses only, not ${its}; create the address with SKU ${sku}`,
      );
    }
    if (typeof address === "string" && !isOfFamily(address)) {
      throw invalid(`${argument}[${index}].address`, `expected an ${family} address; got "${address}"`);
    }
  });
  assertDistinct(existing.map(({ id }, index) => [`${argument}[${index}]`, id]));
}
