import * as pulumi from "@pulumi/pulumi";
import { type CloudConfigArgs, cloudConfig, rolePackages } from "../shared/cloud-init.ts";
import type { MachineIdentity } from "./linux-host.ts";

export function userDataOf(
  { hostKey: { privateKey, publicKey } }: MachineIdentity,
  more: Omit<CloudConfigArgs, "hostKey" | "script"> & { readonly script?: pulumi.Input<string> },
): pulumi.Output<string> {
  const known = pulumi.output({ ...more, hostKey: { privateKey, publicKey } });
  return known.apply((args) => cloudConfig(args as CloudConfigArgs));
}

export const benchUserData = (facts: MachineIdentity) => userDataOf(facts, { packages: rolePackages.bench });

export const jumpUserData = (facts: MachineIdentity) => userDataOf(facts, { packages: rolePackages.jump });
