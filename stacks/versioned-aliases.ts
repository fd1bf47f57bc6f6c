import type * as pulumi from "@pulumi/pulumi";

/** Type with an API version, such as `azure-native:network/v20230201:NatGateway`. */
const VERSIONED = /^azure-native:[^:]*\/v\d{8}\w*:/;

/** Package that the provider generates for one API version: `azure-native_network_v20240701:`. */
const OF_ONE_VERSION = /^azure-native_\w+_v\d{8}\w*:/;

/** A resource type of Azure without its API version, as quotas and permissions name it. */
export function withoutApiVersion(type: string): string {
  return type.replace(OF_ONE_VERSION, "azure-native:");
}

/**
 * Removes aliases that only add an API version to a resource's type. Each resource has twenty to sixty of them, and SDK and
 * engine make a URN for each, which takes much of the program's time. No stack of this program can need one, since it never
 * names such a type. Other aliases stay: a later provider may rename a type.
 */
export const withoutVersionedAliases: pulumi.ResourceTransformation = ({ props, opts }) => {
  const aliases: unknown = opts.aliases;
  if (!Array.isArray(aliases)) return undefined;
  return { props, opts: { ...opts, aliases: aliases.filter((alias) => !VERSIONED.test(alias?.type)) } };
};
