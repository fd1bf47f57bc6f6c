/** Arguments that every Azure component takes, and how they name and own their resources. */
import * as pulumi from "@pulumi/pulumi";
import { type ArgsOf, tags, text } from "../shared/args-schema.ts";

/** Schemas of {@link AzureArgs}. */
export const azureShape = {
  /** Resource group that the resources go into. */
  resourceGroupName: text,
  /** Region, such as `japaneast`. Passed through to Azure. */
  location: text,
  /** @default none */
  tags: tags.optional(),
};

/** Where a component's resources go. */
export interface AzureArgs extends ArgsOf<typeof azureShape> {}

/** The part of a component's arguments that its resources share. */
export function placement({ resourceGroupName, location, tags }: AzureArgs): AzureArgs {
  return { resourceGroupName, location, tags };
}

/** A resource by its id; undefined without one. */
export function subResource(id: pulumi.Input<string> | undefined) {
  return id === undefined ? undefined : { id };
}

/**
 * Options of a component's child.
 *
 * Azure refuses a new location in place, and the provider does not know it for most resource types: such a
 * change has to replace.
 */
export function child(
  parent: pulumi.Resource,
  options: pulumi.CustomResourceOptions = {},
): pulumi.CustomResourceOptions {
  return { parent, ...options, replaceOnChanges: ["location", ...(options.replaceOnChanges ?? [])] };
}

/**
 * Options of a renamed component. Its children get the former names as aliases of their own: the engine passes a parent's
 * alias down only in the update that renames the parent, and that update may fail half way.
 */
export function formerly(
  name: string,
  before: string,
): Pick<pulumi.ComponentResourceOptions, "transformations"> {
  return {
    transformations: [
      ({ name: own, props, opts }) =>
        own === name || own.startsWith(`${name}-`)
          ? {
              props,
              opts: pulumi.mergeOptions(opts, { aliases: [{ name: before + own.slice(name.length) }] }),
            }
          : undefined,
    ],
  };
}
