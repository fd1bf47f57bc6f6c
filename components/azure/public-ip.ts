/**
 * Public addresses.
 *
 * @module
 */
import { PublicIPAddress } from "@pulumi/azure-native/network/publicIPAddress.js";
import type * as pulumi from "@pulumi/pulumi";
import { type AzureArgs, child, placement } from "./common.ts";

/** `StandardV2` is for NAT gateways of that SKU only. */
export type PublicIpSku = "Standard" | "StandardV2";

/** A static public IPv4 address. Standard ones are zone-redundant where the region has zones. */
export function publicIp(
  name: string,
  args: AzureArgs,
  parent: pulumi.Resource,
  sku: PublicIpSku = "Standard",
): PublicIPAddress {
  return new PublicIPAddress(
    name,
    {
      ...placement(args),
      publicIPAllocationMethod: "Static",
      publicIPAddressVersion: "IPv4",
      sku: { name: sku, tier: "Regional" },
      ...(sku === "StandardV2" ? { zones: ["1", "2", "3"] } : {}),
    },
    child(parent),
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
