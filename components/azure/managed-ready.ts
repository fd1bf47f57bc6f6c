/**
 * When a virtual machine that nobody may log in to has booted.
 *
 * @module
 */
import type { VirtualMachine } from "@pulumi/azure-native/compute/virtualMachine.js";
import { VirtualMachineRunCommandByVirtualMachine } from "@pulumi/azure-native/compute/virtualMachineRunCommandByVirtualMachine.js";
import type * as pulumi from "@pulumi/pulumi";
import { CLOUD_INIT_SECONDS, waitForCloudInit } from "../shared/host-ready.ts";
import { type AzureArgs, child, placement } from "./common.ts";

/** For Azure's agent on the machine to come up, which images of the marketplace carry. */
const AGENT_SECONDS = 600;

/** Waits by Azure's Run Command, which needs no login, until cloud-init has done its work. */
export function managedReady(
  name: string,
  args: AzureArgs & { readonly machine: VirtualMachine },
  opts: pulumi.CustomResourceOptions & { readonly parent: pulumi.Resource },
): VirtualMachineRunCommandByVirtualMachine {
  const { machine } = args;
  return new VirtualMachineRunCommandByVirtualMachine(
    name,
    {
      ...placement(args),
      vmName: machine.name,
      source: { script: waitForCloudInit },
      asyncExecution: false,
      timeoutInSeconds: CLOUD_INIT_SECONDS + 60,
      // Else a failed set-up would be a command that ran.
      treatFailureAsDeploymentFailure: true,
    },
    child(opts.parent, {
      ...opts,
      deletedWith: machine,
      // Another machine is another wait, though its name stays.
      replacementTrigger: machine.vmId,
      customTimeouts: { create: `${CLOUD_INIT_SECONDS + AGENT_SECONDS}s` },
    }),
  );
}
