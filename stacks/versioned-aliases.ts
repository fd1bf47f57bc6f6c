import type * as pulumi from "@pulumi/pulumi";

/** Such as `azure-native:network/v20230201:NatGateway`. */
const VERSIONED = /^azure-native:[^:]*\/v\d{8}\w*:/;

/** The package that the provider makes of itself for one version of the API: `azure-native_network_v20240701:`. */
const OF_ONE_VERSION = /^azure-native_\w+_v\d{8}\w*:/;

/** A resource type of Azure without a version of the API, under which quotas and permissions know it. */
export function withoutApiVersion(type: string): string {
  return type.replace(OF_ONE_VERSION, "azure-native:");
}

/**
 * Takes from each resource the aliases that are its type with a version of the API. There are twenty to sixty, and for each
 * one SDK and engine make a URN: much of what the program takes. No stack of this program can have one, for it names
 * no version so. Other aliases stay: a later provider may rename a type.
 */
export const withoutVersionedAliases: pulumi.ResourceTransformation = ({ props, opts }) => {
  const aliases: unknown = opts.aliases;
  if (!Array.isArray(aliases)) return undefined;
  return { props, opts: { ...opts, aliases: aliases.filter((alias) => !VERSIONED.test(alias?.type)) } };
};
