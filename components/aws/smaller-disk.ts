/** Refuses to shrink a disk, which EC2 cannot do. */
import { getInstance } from "@pulumi/aws/ec2/getInstance.js";
import type { Instance } from "@pulumi/aws/ec2/instance.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";
import type { MachineOptions } from "./machine.ts";

/**
 * A machine's id, refused for a disk smaller than the present one: EC2 only enlarges disks. A machine that is being
 * replaced has no id at preview, and may get a smaller disk.
 * @throws {pulumi.InputPropertyError} by the output.
 */
export function idWithDisk(machine: Instance, { volume }: MachineOptions = {}): pulumi.Output<string> {
  if (volume?.sizeGib === undefined) {
    return machine.id;
  }
  return checkedAtPreview(
    pulumi.all([machine.id, volume.sizeGib, machine.urn]),
    async ([instanceId, wanted, urn]) => {
      const { rootBlockDevices } = await getInstance({ instanceId }, { parent: machine });
      return { wanted, urn, has: rootBlockDevices[0]?.volumeSize ?? wanted };
    },
    ({ wanted, urn, has }) => {
      if (wanted < has) {
        throw invalid(
          "volume.sizeGib",
          `${wanted} is less than the disk's ${has} GiB, and EC2 cannot shrink a disk; keep ${has}, or replace the machine: pulumi up --replace '${urn}'`,
        );
      }
    },
  ).apply(([id]) => id);
}
