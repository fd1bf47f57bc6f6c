/**
 * Public addresses.
 *
 * @module
 */
import { PublicIPAddress } from "@pulumi/azure-native/network/publicIPAddress.js";
import * as pulumi from "@pulumi/pulumi";
import { type AzureArgs, child, placement } from "./common.ts";
import { ALL_ZONES } from "./regions.ts";

/** `StandardV2` is for NAT gateways of that SKU only. */
export type PublicIpSku = "Standard" | "StandardV2";

/** What a public address may have beside its name. */
export interface PublicIpOptions {
  /** @default Standard */
  readonly sku?: PublicIpSku | undefined;
  /** Written down as the address's own. @default all of a StandardV2 address, Azure's choice of any other */
  readonly zones?: pulumi.Input<readonly string[]> | undefined;
  /** A change replaces the address. @default - nothing */
  readonly replacementTrigger?: string | undefined;
}

/** A static public IPv4 address. Standard ones are zone-redundant where the region has zones. */
export function publicIp(
  name: string,
  args: AzureArgs,
  parent: pulumi.Resource,
  { sku = "Standard", zones, replacementTrigger }: PublicIpOptions = {},
): PublicIPAddress {
  const all = zones ?? (sku === "StandardV2" ? ALL_ZONES : undefined);
  return new PublicIPAddress(
    name,
    {
      ...placement(args),
      publicIPAllocationMethod: "Static",
      publicIPAddressVersion: "IPv4",
      sku: { name: sku, tier: "Regional" },
      ...(all === undefined ? {} : { zones: pulumi.output(all).apply((known) => [...known]) }),
    },
    // Azure refuses other zones in place.
    child(parent, {
      replaceOnChanges: ["zones"],
      ...(replacementTrigger === undefined ? {} : { replacementTrigger }),
    }),
  );
}

/** The address that Azure gave. */
export function addressOf(ip: PublicIPAddress): pulumi.Output<string> {
  return ip.ipAddress.apply((address) => {
    if (address === undefined) {
      throw new Error("Azure gave a static public IP no address; look at the resource's provisioning state");
    }
    return address;
  });
}
