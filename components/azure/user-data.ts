/**
 * What cloud-init does on a machine.
 *
 * @module
 */
import * as pulumi from "@pulumi/pulumi";
import { cloudConfig, rolePackages } from "../shared/cloud-init.ts";
import type { MachineIdentity } from "./linux-host.ts";

/** Of a client or a server. */
export function benchUserData(facts: MachineIdentity): pulumi.Output<string> {
  return userData(facts, "bench");
}

/** Of a machine that only passes logins on. */
export function jumpUserData(facts: MachineIdentity): pulumi.Output<string> {
  return userData(facts, "jump");
}

/** Of a NAT machine; `setup` runs as root when its packages, and those that it needs besides, are there. */
export function natUserData(
  facts: MachineIdentity,
  setup: pulumi.Input<string>,
  packages: readonly string[],
): pulumi.Output<string> {
  return userData(facts, "nat", setup, packages);
}

function userData(
  { hostKey }: MachineIdentity,
  role: keyof typeof rolePackages,
  setup?: pulumi.Input<string>,
  more: readonly string[] = [],
): pulumi.Output<string> {
  const { privateKey, publicKey } = hostKey;
  return pulumi
    .output({ hostKey: { privateKey, publicKey }, ...(setup === undefined ? {} : { script: setup }) })
    .apply((known) => cloudConfig({ ...known, packages: [...rolePackages[role], ...more] }));
}
