/** Resizes that Azure would refuse. */
import { getVirtualMachine } from "@pulumi/azure-native/compute/getVirtualMachine.js";
import type { VirtualMachine } from "@pulumi/azure-native/compute/virtualMachine.js";
import * as pulumi from "@pulumi/pulumi";
import { invalid } from "../shared/arguments.ts";
import { checkedAtPreview } from "../shared/preview-check.ts";
import { resizeClass, unlikeItsClass } from "./sizes.ts";

const MACHINE = /\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/virtualMachines\/([^/]+)$/i;

/**
 * A machine's id, refused for a resize that Azure cannot do. A machine that is being replaced has no id at preview; one
 * with an id is resized in place, which works among sizes of one class only. A stack of an earlier release, without a
 * trigger, would ask for another class in place.
 * @throws {pulumi.InputPropertyError} by the output.
 */
export function resizableId(machine: VirtualMachine, size: pulumi.Input<string>): pulumi.Output<string> {
  return checkedAtPreview(
    pulumi.all([machine.id, size]),
    async ([id, wanted]) => {
      const [, resourceGroupName = "", vmName = ""] = MACHINE.exec(id) ?? [];
      const { hardwareProfile } = await getVirtualMachine({ resourceGroupName, vmName }, { parent: machine });
      return { was: hardwareProfile?.vmSize ?? wanted, wanted };
    },
    ({ was, wanted }) => {
      if (kindOf(was) !== kindOf(wanted)) {
        throw invalid(
          "size",
          `Azure cannot resize ${was} to ${wanted}, and this stack was deployed by a version that would try; run pulumi up with ${was} first, then with ${wanted}, which makes another machine`,
        );
      }
    },
  ).apply(([id]) => id);
}

function kindOf(size: string): string {
  return `${resizeClass(size)} ${unlikeItsClass(size)}`;
}
