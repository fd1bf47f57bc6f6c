/** Runs commands on a virtual machine without SSH, through Azure's Run Command. */
import type { VirtualMachine } from "@pulumi/azure-native/compute/virtualMachine.js";
import { VirtualMachineRunCommandByVirtualMachine } from "@pulumi/azure-native/compute/virtualMachineRunCommandByVirtualMachine.js";
import * as pulumi from "@pulumi/pulumi";
import { CLOUD_INIT_SECONDS, type FurtherWait, waitScript } from "../shared/host-ready.ts";
import { type AzureArgs, child, placement } from "./common.ts";

/** Seconds for Azure's agent to start on the machine. Marketplace images carry it. */
const AGENT_SECONDS = 600;

/** A script for a machine, run as root. */
interface ManagedCommandArgs extends AzureArgs {
  readonly machine: VirtualMachine;
  readonly script: string;
  readonly seconds: number;
  /** Secret environment variables, which Azure does not show. @default none */
  readonly secrets?: Readonly<Record<string, pulumi.Input<string>>> | undefined;
  /** Values whose change runs it again, as another machine or script does. @default none */
  readonly triggers?: readonly pulumi.Input<string>[] | undefined;
}

type Options = pulumi.CustomResourceOptions & { readonly parent: pulumi.Resource };

/** Runs a script by Azure's Run Command, which needs no login. */
export function managedCommand(
  name: string,
  { machine, script, seconds, secrets = {}, triggers = [], ...args }: ManagedCommandArgs,
  opts: Options,
): VirtualMachineRunCommandByVirtualMachine {
  const protectedParameters = Object.entries(secrets).map(([name, value]) => ({ name, value }));
  return new VirtualMachineRunCommandByVirtualMachine(
    name,
    {
      ...placement(args),
      vmName: machine.name,
      source: { script },
      // The agent's handler puts named parameters into the environment. Source: Azure/run-command-handler-linux
      ...(protectedParameters.length === 0 ? {} : { protectedParameters }),
      asyncExecution: false,
      timeoutInSeconds: seconds,
      // Without it a failed set-up would count as a command that ran.
      treatFailureAsDeploymentFailure: true,
    },
    child(opts.parent, {
      ...opts,
      deletedWith: machine,
      // Another machine means another run, though its name stays.
      replacementTrigger: triggers.length === 0 ? machine.vmId : pulumi.all([machine.vmId, ...triggers]),
      customTimeouts: { create: `${seconds + AGENT_SECONDS}s`, update: `${seconds + AGENT_SECONDS}s` },
    }),
  );
}

export function managedReady(
  name: string,
  args: AzureArgs & { readonly machine: VirtualMachine; readonly further?: FurtherWait | undefined },
  opts: Options,
): VirtualMachineRunCommandByVirtualMachine {
  const { further } = args;
  const script = waitScript(further);
  const own = { script, seconds: CLOUD_INIT_SECONDS + 60, triggers: further?.triggers };
  return managedCommand(name, { ...args, ...own }, opts);
}
