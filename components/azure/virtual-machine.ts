import { Buffer } from "node:buffer";
import { VirtualMachine } from "@pulumi/azure-native/compute/virtualMachine.js";
import type { NetworkInterface } from "@pulumi/azure-native/network/networkInterface.js";
import * as pulumi from "@pulumi/pulumi";
import { type ArgsOf, optionalFlag, text } from "../shared/args-schema.ts";
import { type AzureArgs, child, placement } from "./common.ts";
import { defaultImage, imageSchema } from "./image.ts";
import { osProfile } from "./os-profile.ts";
import { resizeClass, unlikeItsClass } from "./sizes.ts";

/** Schemas of {@link MachineArgs}. */
export const machineShape = {
  /** Such as `Standard_D8ls_v5`. Passed through to Azure. */
  size: text,
  /** @default Ubuntu 24.04 of the size's architecture, pinned */
  image: imageSchema.optional(),
  /** Availability zone. @default Azure's choice */
  zone: text.optional(),
  /** Resource id of a proximity placement group in the machine's region. @default none */
  proximityPlacementGroupId: text.optional(),
  /** Resource id of a disk encryption set. @default Azure's own key */
  diskEncryptionSetId: text.optional(),
  /** @default where the size has it */
  acceleratedNetworking: optionalFlag,
  /** @default azureuser */
  adminUser: text.optional(),
};

/** A machine's settings, except for its place in the network. */
export interface MachineArgs extends ArgsOf<typeof machineShape> {}

/** The machine's settings among a component's arguments. */
export function machineSettings(args: MachineArgs): MachineArgs {
  const { size, image, zone, proximityPlacementGroupId, diskEncryptionSetId } = args;
  const { acceleratedNetworking, adminUser } = args;
  return {
    ...{ size, image, zone, proximityPlacementGroupId, diskEncryptionSetId },
    ...{ acceleratedNetworking, adminUser },
  };
}

/** A machine's image and its place. */
export interface BootArgs extends AzureArgs, MachineArgs {
  /** Resource id of an availability set; not with a zone. @default none */
  readonly availabilitySetId?: pulumi.Input<string> | undefined;
  /** Its network interface, which holds one machine at a time. */
  readonly networkInterface: NetworkInterface;
  /** Cloud-init document. */
  readonly userData: pulumi.Output<string>;
  /** Public key, in OpenSSH's format, whose holder may log in. */
  readonly authorizedKey: pulumi.Input<string>;
  /** Resources that must exist before the machine boots: its way out. @default none */
  readonly bootAfter?: readonly pulumi.Resource[] | undefined;
}

/** The default login. */
export const DEFAULT_ADMIN_USER = "azureuser";

/** Azure refuses other values in place. */
const fixedAtCreation = [
  "osProfile",
  "storageProfile.imageReference",
  "storageProfile.osDisk.managedDisk.diskEncryptionSet",
  "zones",
  "vmName",
  // Azure moves only machines that are deallocated.
  "proximityPlacementGroup",
  "availabilitySet",
  // Another interface under another name, of a machine that becomes a pair's first: there the engine does not see replaceWith.
  "networkProfile",
];

/** A virtual machine into which one logs in with a key only. */
export function virtualMachine(name: string, args: BootArgs, parent: pulumi.Resource): VirtualMachine {
  const { zone, availabilitySetId, proximityPlacementGroupId, adminUser = DEFAULT_ADMIN_USER } = args;
  const unlike = pulumi.output(args.size).apply(unlikeItsClass);
  // Its own resource, which stacks from before get without another machine.
  const disk = new pulumi.Stash(`${name}-disk`, { input: unlike }, { parent, replacementTrigger: unlike });
  const customData = args.userData.apply((document) => Buffer.from(document).toString("base64"));
  return new VirtualMachine(
    name,
    {
      ...placement(args),
      ...(zone === undefined ? {} : { zones: [zone] }),
      ...(availabilitySetId === undefined ? {} : { availabilitySet: { id: availabilitySetId } }),
      ...(proximityPlacementGroupId === undefined
        ? {}
        : { proximityPlacementGroup: { id: proximityPlacementGroupId } }),
      hardwareProfile: { vmSize: args.size },
      storageProfile: storageProfile(args),
      osProfile: osProfile(name, adminUser, customData, args.authorizedKey),
      networkProfile: {
        networkInterfaces: [{ id: args.networkInterface.id, primary: true, deleteOption: "Detach" }],
      },
      diagnosticsProfile: { bootDiagnostics: { enabled: true } },
    },
    child(parent, {
      dependsOn: [...(args.bootAfter ?? [])],
      replaceOnChanges: fixedAtCreation,
      // Azure resizes no machine across these; a stack that has no trigger yet gets one without a replacement.
      replacementTrigger: pulumi.output(args.size).apply(resizeClass),
      // Azure deletes no interface that a machine holds, so that the machine goes first.
      replaceWith: [args.networkInterface, disk],
      deleteBeforeReplace: true,
    }),
  );
}

function storageProfile({ image, size, diskEncryptionSetId: id }: MachineArgs) {
  return {
    imageReference: image ?? pulumi.output(size).apply(defaultImage),
    osDisk: {
      createOption: "FromImage",
      deleteOption: "Delete",
      managedDisk: {
        storageAccountType: "StandardSSD_LRS",
        ...(id === undefined ? {} : { diskEncryptionSet: { id } }),
      },
    },
  };
}
