import { isIPv4, isIPv6 } from "node:net";
import { z } from "zod";
import { limits } from "../../bench/topologies/limits.ts";
import { countWithin, text } from "../shared/args-schema.ts";
import { assertDistinct, invalid, named, refuseGiven, refuseSeveral } from "../shared/arguments.ts";
import { parseCidr } from "../shared/cidr.ts";
import { azureShape } from "./common.ts";
import { publicIpShape } from "./public-ip.ts";

const published = limits.azure["nat-gateway"];
/** Public addresses of one NAT gateway, IPv4 and IPv6 each. */
const addresses = publicIpShape(published.addressesPerGateway);

/** Schema of {@link NatGatewayEgressArgs}. */
export const natGatewaySchema = z.strictObject({
  ...azureShape,
  publicIpCount: addresses.publicIpCount.meta({
    description: "Public addresses to create; each is worth 64,512 ports.",
    fallback: "1, or none with a prefix",
  }),
  /**
   * Existing addresses, used instead of new ones or beside a prefix, 16 in all. They must be of the gateway's SKU, and in its zone or
   * in all. docs/azure.md#keep-a-public-address.
   * @default - none
   */
  publicIps: addresses.publicIps,
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
  publicIpPrefixLength: countWithin(28, 31).meta({
    description: "Length of a public IP prefix to create instead: 31 (2 addresses) to 28 (16).",
    fallback: "none",
  }),
  /**
   * Existing IPv4 prefix, used instead of a new one; of the gateway's SKU, and in its zone or in all. Of further prefixes, and of
   * IPv6 ones, make addresses and give those. docs/azure.md#keep-a-public-address.
   * @default - none
   */
  publicIpPrefix: z
    .strictObject({
      id: text,
      /** Its block, such as `20.1.2.0/30`. */
      cidr: text,
    })
    .optional(),
  /**
   * IPv6 addresses to create, by which hosts of subnets with an IPv6 block go out. For SKU `StandardV2` only, like
   * the next two; the subnets' IPv6 is yours to make.
   * @default none
   */
  publicIpV6Count: addresses.publicIpCount,
  /** Existing IPv6 addresses, used instead of new ones. @default - none */
  publicIpsV6: addresses.publicIps,
  /**
   * Whether IPv6 hosts reach IPv4 servers through it, under addresses from your resolver's DNS64. Needs a
   * `@pulumi/azure-native` with network API 2025-07-01.
   * @default false
   */
  nat64: z.boolean().optional(),
  idleTimeoutMinutes: countWithin(4, published.idleSeconds / 60).meta({
    description: "Minutes after which a silent flow is forgotten.",
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
  const { zone } = args;
  // Existing addresses may stay beside a prefix, so that allow-lists learn it before they go.
  refuseSeveral({ publicIpCount, publicIps });
  refuseSeveral({ publicIpCount, publicIpPrefixLength, publicIpPrefix });
  assertGiven("publicIps", args);
  assertIpv6(args);
  const length =
    typeof publicIpPrefix?.cidr === "string" ? prefixLength(publicIpPrefix.cidr) : publicIpPrefixLength;
  const all = (publicIps?.length ?? 0) + (length === undefined ? 0 : 2 ** (32 - length));
  if (all > published.addressesPerGateway) {
    throw invalid(
      "publicIps",
      `a NAT gateway has at most ${published.addressesPerGateway} addresses; publicIps and the prefix have ${all}; take a smaller prefix, or fewer addresses`,
    );
  }
  if (sku === "StandardV2" && zone !== undefined) {
    throw invalid("zone", "a StandardV2 NAT gateway spans zones 1, 2 and 3; leave zone out");
  }
}

function assertIpv6(args: NatGatewayEgressArgs): void {
  const { sku = "Standard", publicIpV6Count, publicIpsV6, nat64 } = args;
  refuseSeveral({ publicIpV6Count, publicIpsV6 });
  if (sku !== "StandardV2") {
    refuseGiven(
      { publicIpV6Count, publicIpsV6, nat64 },
      (argument) => `a ${sku} NAT gateway has no IPv6; leave ${argument} out, or choose StandardV2`,
    );
  }
  assertGiven("publicIpsV6", args);
}

function prefixLength(cidr: string): number {
  if (cidr.includes(":")) {
    throw invalid(
      "publicIpPrefix.cidr",
      "must be of IPv4; make addresses of this prefix, and give them as publicIpsV6",
    );
  }
  const { prefix } = named("publicIpPrefix.cidr", () => parseCidr(cidr));
  if (prefix < 28 || prefix > 31) {
    throw invalid("publicIpPrefix.cidr", `a NAT gateway takes a prefix of /28 to /31, not /${prefix}`);
  }
  return prefix;
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
