/** Arguments that every Azure component takes, and how they name and own their resources. */
import type * as pulumi from "@pulumi/pulumi";
import { type ArgsOf, optionalFlag, tags, text } from "../shared/args-schema.ts";
import { imageSchema } from "./image.ts";

export const azureShape = {
  resourceGroupName: text.meta({ description: "Resource group that the resources go into." }),
  location: text.meta({ description: "Region, such as `japaneast`. Passed through to Azure." }),
  tags: tags.optional().meta({ description: "Tags of the resources.", fallback: "none" }),
};

/** Where a component's resources go. */
export interface AzureArgs extends ArgsOf<typeof azureShape> {}

export const machineShape = {
  /** Size, such as `Standard_D8ls_v5`. Passed through to Azure. */
  size: text,
  image: imageSchema.optional().meta({
    description: "Image of the marketplace.",
    fallback: "Ubuntu 24.04 of the size's architecture, pinned",
  }),
  zone: text.optional().meta({ description: "Availability zone.", fallback: "Azure's choice" }),
  proximityPlacementGroupId: text.optional().meta({
    description: "Resource id of a proximity placement group in the machine's region.",
    fallback: "none",
  }),
  diskEncryptionSetId: text.optional().meta({
    description:
      "Resource id of a disk encryption set, whose key of your own the machine's disk is encrypted with. A change replaces the machine.",
    fallback: "Azure's own key",
  }),
  acceleratedNetworking: optionalFlag.meta({
    description: "Whether the interface bypasses the hypervisor.",
    fallback: "where the size has it",
  }),
  adminUser: text.optional().meta({ description: "User to create.", default: "azureuser" }),
};

/** A machine's settings, except for its place in the network. */
export interface MachineArgs extends ArgsOf<typeof machineShape> {}

export function machineSettings(args: MachineArgs): MachineArgs {
  const own = Object.entries(args).filter(([key]) => Object.hasOwn(machineShape, key));
  return Object.fromEntries(own) as unknown as MachineArgs;
}

/** The part of a component's arguments that its resources share. */
export function placement({ resourceGroupName, location, tags }: AzureArgs): AzureArgs {
  return { resourceGroupName, location, tags };
}

/** Resource group and names in a resource's id; empty for another kind. @param kind Such as `Network/natGateways/*`. */
export function namesInId(kind: string, id: string): string[] {
  const path = `/resourceGroups/([^/]+)/providers/Microsoft\\.${kind.replaceAll("*", "([^/]+)")}$`;
  return new RegExp(path, "i").exec(id)?.slice(1) ?? [];
}

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
  parent: pulumi.Resource | undefined,
  options: pulumi.CustomResourceOptions = {},
): pulumi.CustomResourceOptions {
  return {
    ...(parent && { parent }),
    ...options,
    replaceOnChanges: ["location", ...(options.replaceOnChanges ?? [])],
  };
}
