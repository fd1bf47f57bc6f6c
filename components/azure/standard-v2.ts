/**
 * NAT gateways and public addresses of SKU `StandardV2`. The provider's default network API, 2024-05-01, does not have the
 * SKU; 2024-07-01 does. The provider makes a package of one API version when it is asked to, which is what
 * `pulumi package add azure-native network 2024-07-01` does too; here the three resources are asked for directly, so that
 * no generated package has to be shipped.
 */
import type { NatGateway, NatGatewayArgs } from "@pulumi/azure-native/network/natGateway.js";
import type { PublicIPAddress, PublicIPAddressArgs } from "@pulumi/azure-native/network/publicIPAddress.js";
import type { PublicIPPrefix, PublicIPPrefixArgs } from "@pulumi/azure-native/network/publicIPPrefix.js";
import { getVersion } from "@pulumi/azure-native/utilities.js";
import * as pulumi from "@pulumi/pulumi";
import { version } from "@pulumi/pulumi/version.js";
import { invalid } from "../shared/arguments.ts";

const API = "v20240701";
const PACKAGE = `azure-native_network_${API}`;

/** The provider's outputs of a resource that are read here. */
const outputs = {
  NatGateway: [],
  PublicIPAddress: ["ipAddress"],
  PublicIPPrefix: ["ipPrefix"],
} as const;

/** One of the three resources at that API version; stacks that made it at the default one keep it. */
class NetworkResource extends pulumi.CustomResource {
  constructor(kind: keyof typeof outputs, name: string, args: object, options: pulumi.CustomResourceOptions) {
    const inputs = { ...Object.fromEntries(outputs[kind].map((key) => [key, undefined])), ...args };
    const before = { aliases: [{ type: `azure-native:network:${kind}` }] };
    super(
      `${PACKAGE}:network:${kind}`,
      name,
      inputs,
      pulumi.mergeOptions(options, before),
      false,
      versionedPackage(),
    );
  }
}

/**
 * Asks the engine for the provider at that API version. Source: parameterizeArgs of pulumi-azure-native.
 *
 * A provider that has one API version alone is named by the engine: `Parameterize` is in those that the library takes.
 *
 * @throws {pulumi.InputPropertyError} at once by a `@pulumi/pulumi` that cannot ask; later by a Pulumi CLI that cannot.
 */
export function versionedPackage(
  runtime: Partial<Pick<typeof pulumi.runtime, "registerPackage">> = pulumi.runtime,
): Promise<string> {
  // Newer than the oldest SDK that the library takes.
  if (runtime.registerPackage === undefined) {
    throw invalid(
      "sku",
      `StandardV2 needs @pulumi/pulumi 3.238.0 or later, and this is ${version}; update it, or choose Standard`,
    );
  }
  const parameter = btoa(JSON.stringify({ module: "network", version: API }));
  const request = {
    baseProviderName: "azure-native",
    baseProviderVersion: getVersion(),
    baseProviderDownloadUrl: "",
    packageName: PACKAGE,
    packageVersion: getVersion(),
    // The provider's parameter is base64 text already, which the engine is sent as base64.
    base64Parameter: btoa(parameter),
  };
  return asked(() => (runtime as typeof pulumi.runtime).registerPackage(request));
}

async function asked(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(
      "sku",
      `StandardV2 needs the azure-native provider at network API 2024-07-01, which this Pulumi does not provide (${reason}); update the Pulumi CLI, or choose Standard`,
    );
  }
}

/** A NAT gateway of SKU `StandardV2`. */
export function natGatewayV2(
  name: string,
  args: NatGatewayArgs,
  options: pulumi.CustomResourceOptions,
): NatGateway {
  return new NetworkResource("NatGateway", name, args, options) as unknown as NatGateway;
}

/** A public address of SKU `StandardV2`. */
export function publicIpV2(
  name: string,
  args: PublicIPAddressArgs,
  options: pulumi.CustomResourceOptions,
): PublicIPAddress {
  return new NetworkResource("PublicIPAddress", name, args, options) as unknown as PublicIPAddress;
}

/** A prefix of SKU `StandardV2`. */
export function publicIpPrefixV2(
  name: string,
  args: PublicIPPrefixArgs,
  options: pulumi.CustomResourceOptions,
): PublicIPPrefix {
  return new NetworkResource("PublicIPPrefix", name, args, options) as unknown as PublicIPPrefix;
}
