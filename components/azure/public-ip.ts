import { PublicIPAddress } from "@pulumi/azure-native/network/publicIPAddress.js";
import * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { type ArgsOf, countWithin, listWithin, text } from "../shared/args-schema.ts";
import { assertDistinct, invalid, refuseSeveral } from "../shared/arguments.ts";
import { type AzureArgs, child, placement } from "./common.ts";
import { zonesOf } from "./regions.ts";
import { publicIpV2 } from "./standard-v2.ts";

/** SKU of a public address; `StandardV2` is for NAT gateways of that SKU only. */
export type PublicIpSku = "Standard" | "StandardV2";

const publicIpSchema = z.strictObject({
  id: text,
  /** IPv4 or IPv6 address. */
  address: text,
  /** SKU of the address. @default Standard */
  sku: z.enum(["Standard", "StandardV2"]).optional(),
});

/** An existing public address, such as one on others' allow-lists. */
export interface PublicIpRef extends Readonly<z.infer<typeof publicIpSchema>> {}

/** Schemas of {@link PublicIpChoice}. @param most Most addresses that Azure takes. */
export const publicIpShape = (most: number) => ({
  /** Addresses to create. @default 1 */
  publicIpCount: countWithin(1, most),
  /**
   * Existing addresses of SKU `Standard`, used instead of new ones. Azure gives an address to one resource at a time: take
   * it off its former one in an update before (docs/azure.md#keep-a-public-address).
   * @default - new ones
   */
  publicIps: listWithin(publicIpSchema, most),
});

/** Number of a component's public addresses, or existing ones. */
export interface PublicIpChoice extends ArgsOf<ReturnType<typeof publicIpShape>> {}

export interface PublicIpOptions {
  /** @default Standard */
  readonly sku?: PublicIpSku | undefined;
  /** Zones of the address. @default all zones for StandardV2, Azure's choice for any other */
  readonly zones?: pulumi.Input<readonly string[]> | undefined;
  /** @default IPv4 */
  readonly version?: "IPv4" | "IPv6" | undefined;
  /** A change replaces the address. @default - nothing */
  readonly replacementTrigger?: string | undefined;
}

/** A static public address. Standard ones are zone-redundant where the region has zones. */
export function publicIp(
  name: string,
  args: AzureArgs,
  parent: pulumi.Resource | undefined,
  { sku = "Standard", zones, version = "IPv4", replacementTrigger }: PublicIpOptions = {},
): PublicIPAddress {
  const inputs = {
    ...placement(args),
    publicIPAllocationMethod: "Static",
    publicIPAddressVersion: version,
    sku: { name: sku, tier: "Regional" },
    ...zonesInput(zones ?? (sku === "StandardV2" ? allZonesOf(args.location) : undefined)),
  };
  // Azure refuses other zones in place.
  const options = child(parent, { replaceOnChanges: ["zones"], replacementTrigger });
  return sku === "StandardV2"
    ? publicIpV2(name, inputs, options)
    : new PublicIPAddress(name, inputs, options);
}

/** All zones of a region; empty where it has none. */
export function allZonesOf(location: pulumi.Input<string>): pulumi.Input<readonly string[]> {
  return typeof location === "string" ? zonesOf(location) : pulumi.output(location).apply(zonesOf);
}

/** Zones as an input. Azure wants the property left out, not an empty list, where a region has none. */
export function zonesInput(zones: pulumi.Input<readonly string[]> | undefined): {
  zones?: string[] | pulumi.Output<string[]>;
} {
  if (zones === undefined || (Array.isArray(zones) && zones.length === 0)) {
    return {};
  }
  if (Array.isArray(zones)) {
    return { zones: [...zones] };
  }
  const known = pulumi.output(zones).apply((list) => (list.length === 0 ? undefined : [...list]));
  return { zones: known as pulumi.Output<string[]> };
}

/**
 * The addresses that a component's arguments name, or new ones.
 * @param name Name of the component; its own addresses are `<name>-ip-1` and so on.
 * @throws {pulumi.InputPropertyError} for both, for a wrong SKU, and for an address that is given twice.
 */
export function publicIpsOf(
  name: string,
  args: AzureArgs & PublicIpChoice,
  parent: pulumi.Resource,
): readonly { readonly id: pulumi.Input<string>; readonly address: pulumi.Output<string> }[] {
  const { publicIps, publicIpCount } = args;
  refuseSeveral({ publicIpCount, publicIps });
  if (publicIps === undefined) {
    return Array.from({ length: publicIpCount ?? 1 }, (_, index) =>
      publicIpOf(publicIp(`${name}-ip-${index + 1}`, args, parent)),
    );
  }
  publicIps.forEach(({ sku = "Standard" }, index) => {
    if (sku !== "Standard") {
      throw invalid(
        `publicIps[${index}].sku`,
        `must be Standard, not ${sku}, which is for NAT gateways only`,
      );
    }
  });
  assertDistinct(publicIps.map(({ id }, index) => [`publicIps[${index}]`, id]));
  return publicIps.map(({ id, address }) => ({ id, address: pulumi.output(address) }));
}

export function publicIpOf(ip: PublicIPAddress) {
  return { id: ip.id, address: addressOf(ip) };
}

export function addressOf(ip: PublicIPAddress): pulumi.Output<string> {
  return ip.ipAddress.apply((address) => {
    if (address === undefined) {
      throw new Error("Azure gave a static public IP no address; look at the resource's provisioning state");
    }
    return address;
  });
}
