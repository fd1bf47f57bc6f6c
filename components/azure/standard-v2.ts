/**
 * NAT gateways and public addresses of SKU `StandardV2`. The provider's default network API, 2024-05-01, does not have the
 * SKU; 2024-07-01 does, and 2025-07-01 has NAT64 too. The provider generates a package for one API version on request, as
 * `pulumi package add azure-native network 2024-07-01` does; here the three resources are requested directly, so that no
 * generated package has to be shipped.
 */
import type { NatGateway, NatGatewayArgs } from "@pulumi/azure-native/network/natGateway.js";
import type { PublicIPAddress, PublicIPAddressArgs } from "@pulumi/azure-native/network/publicIPAddress.js";
import type { PublicIPPrefix, PublicIPPrefixArgs } from "@pulumi/azure-native/network/publicIPPrefix.js";
import { getVersion } from "@pulumi/azure-native/utilities.js";
import * as pulumi from "@pulumi/pulumi";
import { version } from "@pulumi/pulumi/version.js";
import { invalid } from "../shared/arguments.ts";

/** The first API version that has the SKU, and the first whose gateways have NAT64. Source: learn.microsoft.com/azure/templates/microsoft.network/change-log/natgateways */
const versions = { sku: "2024-07-01", nat64: "2025-07-01" } as const;

type ApiVersion = (typeof versions)[keyof typeof versions];

const packageOf = (version: ApiVersion) => `azure-native_network_v${version.replaceAll("-", "")}`;

/** Outputs of the provider's resources that are read here. */
const outputs = { NatGateway: [], PublicIPAddress: ["ipAddress"], PublicIPPrefix: ["ipPrefix"] } as const;

/** One of the three resources at such an API version. Stacks that made it at another version keep that one. */
class NetworkResource extends pulumi.CustomResource {
  constructor(
    kind: keyof typeof outputs,
    name: string,
    args: object,
    options: pulumi.CustomResourceOptions,
    version: ApiVersion = versions.sku,
  ) {
    const inputs = { ...Object.fromEntries(outputs[kind].map((key) => [key, undefined])), ...args };
    const others = Object.values(versions).filter((one) => one !== version);
    const aliases = ["azure-native", ...others.map(packageOf)].map((of) => ({
      type: `${of}:network:${kind}`,
    }));
    super(
      `${packageOf(version)}:network:${kind}`,
      name,
      inputs,
      pulumi.mergeOptions(options, { aliases }),
      false,
      versionedPackage(version),
    );
  }
}

/**
 * Asks the engine for the provider at that API version. Source: parameterizeArgs of pulumi-azure-native.
 *
 * The engine names a provider with a single API version: all supported engines have `Parameterize`.
 * @throws {pulumi.InputPropertyError} at once by a `@pulumi/pulumi` that cannot ask; later by a Pulumi CLI that cannot.
 */
export function versionedPackage(
  api: ApiVersion,
  runtime: Partial<Pick<typeof pulumi.runtime, "registerPackage">> = pulumi.runtime,
): Promise<string> {
  // Missing in the oldest SDK that the library supports.
  if (runtime.registerPackage === undefined) {
    throw invalid(
      "sku",
      `StandardV2 needs @pulumi/pulumi 3.238.0 or later, and this is ${version}; update it, or choose Standard`,
    );
  }
  const parameter = btoa(JSON.stringify({ module: "network", version: `v${api.replaceAll("-", "")}` }));
  const request = {
    baseProviderName: "azure-native",
    baseProviderVersion: getVersion(),
    baseProviderDownloadUrl: "",
    packageName: packageOf(api),
    packageVersion: getVersion(),
    // The provider's parameter is base64 text, and the engine is sent base64 of that.
    base64Parameter: btoa(parameter),
  };
  return asked(api, () => (runtime as typeof pulumi.runtime).registerPackage(request));
}

async function asked(api: ApiVersion, ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const [argument, what, otherwise] =
      api === versions.nat64 ? ["nat64", "NAT64", "leave it out"] : ["sku", "StandardV2", "choose Standard"];
    throw invalid(
      argument,
      `${what} needs the azure-native provider at network API ${api}, which this Pulumi does not provide (${reason}); update the Pulumi CLI and @pulumi/azure-native, or ${otherwise}`,
    );
  }
}

/** Properties of the SKU's gateways beyond the provider's default API version. */
export interface NatGatewayV2Args extends NatGatewayArgs {
  readonly publicIpAddressesV6?: NatGatewayArgs["publicIpAddresses"] | undefined;
  /** Makes the gateway at the first API version that has it. */
  readonly nat64?: "Enabled" | undefined;
}

/** Makes such a resource of SKU `StandardV2`. */
const resourceV2 =
  <Args extends object, Made>(kind: keyof typeof outputs, version?: (args: Args) => ApiVersion) =>
  (name: string, args: Args, options: pulumi.CustomResourceOptions): Made =>
    new NetworkResource(kind, name, args, options, version?.(args)) as unknown as Made;

export const natGatewayV2 = resourceV2<NatGatewayV2Args, NatGateway>("NatGateway", ({ nat64 }) =>
  nat64 === undefined ? versions.sku : versions.nat64,
);
export const publicIpV2 = resourceV2<PublicIPAddressArgs, PublicIPAddress>("PublicIPAddress");
export const publicIpPrefixV2 = resourceV2<PublicIPPrefixArgs, PublicIPPrefix>("PublicIPPrefix");
