import * as pulumi from "@pulumi/pulumi";
import { cloudConfig, rolePackages } from "../shared/cloud-init.ts";
import type { natBoot } from "../shared/nat-set-up.ts";
import type { MachineIdentity } from "./linux-host.ts";

/** User data of a client or a server. */
export function benchUserData(facts: MachineIdentity): pulumi.Output<string> {
  return userData(facts, "bench");
}

/** User data of a jump host. */
export function jumpUserData(facts: MachineIdentity): pulumi.Output<string> {
  return userData(facts, "jump");
}

/** User data of a NAT machine; `setup` runs as root. */
export function natUserData(
  facts: MachineIdentity,
  setup: pulumi.Input<string>,
  boot: ReturnType<typeof natBoot>,
): pulumi.Output<string> {
  return pulumi
    .output({ hostKey: keysOf(facts), script: setup })
    .apply((known) => cloudConfig({ ...known, ...boot }));
}

function userData(facts: MachineIdentity, role: "bench" | "jump"): pulumi.Output<string> {
  return pulumi
    .output({ hostKey: keysOf(facts) })
    .apply((known) => cloudConfig({ ...known, packages: rolePackages[role] }));
}

function keysOf({ hostKey: { privateKey, publicKey } }: MachineIdentity) {
  return { privateKey, publicKey };
}
