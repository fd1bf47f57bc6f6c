import { Buffer } from "node:buffer";
import { VirtualMachine } from "@pulumi/azure-native/compute/virtualMachine.js";
import type { NetworkInterface } from "@pulumi/azure-native/network/networkInterface.js";
import * as pulumi from "@pulumi/pulumi";
import { type AzureArgs, child, type MachineArgs, placement, subResource } from "./common.ts";
import { defaultImage } from "./image.ts";
import { osProfile } from "./os-profile.ts";
import { resizeClass, unlikeItsClass } from "./sizes.ts";

/** A machine's image and its place. */
export interface BootArgs extends AzureArgs, MachineArgs {
  /** Resource id of an availability set; excludes a zone. @default none */
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

/** Default name of the login user. */
export const DEFAULT_ADMIN_USER = "azureuser";

/** Properties that Azure refuses to change in place. */
const fixedAtCreation = [
  "osProfile",
  "storageProfile.imageReference",
  "storageProfile.osDisk.managedDisk.diskEncryptionSet",
  "zones",
  "vmName",
  // Azure moves only machines that are deallocated.
  "proximityPlacementGroup",
  "availabilitySet",
  // Changes when a single machine becomes a pair's first, on an interface of another name: the engine does not see
  // replaceWith then.
  "networkProfile",
];

/** A virtual machine that admits logins by key only. */
export function virtualMachine(name: string, args: BootArgs, parent: pulumi.Resource): VirtualMachine {
  const { zone, availabilitySetId, proximityPlacementGroupId, adminUser = DEFAULT_ADMIN_USER } = args;
  const unlike = pulumi.output(args.size).apply(unlikeItsClass);
  // A separate resource: stacks of earlier releases get it without a new machine.
  const disk = new pulumi.Stash(`${name}-disk`, { input: unlike }, { parent, replacementTrigger: unlike });
  const customData = args.userData.apply((document) => Buffer.from(document).toString("base64"));
  return new VirtualMachine(
    name,
    {
      ...placement(args),
      zones: zone === undefined ? undefined : [zone],
      availabilitySet: subResource(availabilitySetId),
      proximityPlacementGroup: subResource(proximityPlacementGroupId),
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
      // Azure resizes no machine across classes; a stack without a trigger gets one without a replacement.
      replacementTrigger: pulumi.output(args.size).apply(resizeClass),
      // The machine is deleted first: Azure deletes no interface that a machine holds.
      replaceWith: [args.networkInterface, disk],
      deleteBeforeReplace: true,
    }),
  );
}

function storageProfile({ image, size, diskEncryptionSetId }: MachineArgs) {
  return {
    imageReference: image ?? pulumi.output(size).apply(defaultImage),
    osDisk: {
      createOption: "FromImage",
      deleteOption: "Delete",
      managedDisk: {
        storageAccountType: "StandardSSD_LRS",
        diskEncryptionSet: subResource(diskEncryptionSetId),
      },
    },
  };
}
