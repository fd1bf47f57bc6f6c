import { VirtualMachine } from "@pulumi/azure-native/compute/virtualMachine.js";
import type { NetworkInterface } from "@pulumi/azure-native/network/networkInterface.js";
import * as pulumi from "@pulumi/pulumi";
import { gzipBase64 } from "../shared/gzip.ts";
import { type AzureArgs, child, type MachineArgs, placement, subResource } from "./common.ts";
import { defaultImage } from "./image.ts";
import { resizeClass } from "./sizes.ts";

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
];

/** A virtual machine that admits logins by key only. */
export function virtualMachine(name: string, args: BootArgs, parent: pulumi.Resource): VirtualMachine {
  const { zone, availabilitySetId, proximityPlacementGroupId, adminUser = DEFAULT_ADMIN_USER } = args;
  // cloud-init unpacks it: Azure takes 64 KB.
  const customData = args.userData.apply(gzipBase64);
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
      // Azure resizes no machine across classes.
      replacementTrigger: pulumi.output(args.size).apply(resizeClass),
      // The machine is deleted first: Azure deletes no interface that a machine holds.
      replaceWith: [args.networkInterface],
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

/** Name, operator and first boot of a machine that admits logins by key only. */
function osProfile(
  machine: string,
  adminUsername: pulumi.Input<string>,
  customData: pulumi.Input<string>,
  authorizedKey: pulumi.Input<string>,
) {
  const path = pulumi.interpolate`/home/${adminUsername}/.ssh/authorized_keys`;
  return {
    computerName: computerName(machine),
    adminUsername,
    customData,
    linuxConfiguration: {
      disablePasswordAuthentication: true,
      ssh: { publicKeys: [{ keyData: authorizedKey, path }] },
    },
  };
}

/** A computer name: Azure takes letters, digits and inner hyphens, 64 at most. */
function computerName(name: string): string {
  return name
    .replaceAll(/[^A-Za-z0-9-]/g, "-")
    .slice(0, 64)
    .replace(/-+$/, "");
}
