/** A NAT machine's set-up: at its first boot, and again whenever it changes. */
import { gzipSync } from "node:zlib";
import * as pulumi from "@pulumi/pulumi";
import type { natBoot } from "../nat-instance/cloud-machine.ts";
import { lifelongOptions, type NatSetupArgs, natSetup } from "../nat-instance/index.ts";
import type { SshArgs } from "../shared/host-login.ts";
import { hostReady, SET_UP_SECONDS, setUpScript } from "../shared/host-ready.ts";
import { type AzureArgs, placement } from "./common.ts";
import type { LinuxHost, LinuxHostArgs, MachineIdentity } from "./linux-host.ts";
import { managedCommand } from "./managed-ready.ts";
import { userDataOf } from "./user-data.ts";

/** User data of a NAT machine's first boot. It stays while only rules change. */
export function natBirth(
  setUp: (facts: MachineIdentity) => pulumi.Output<NatSetupArgs>,
  boot: ReturnType<typeof natBoot>,
): Pick<LinuxHostArgs, "userData" | "lifelong"> {
  return {
    userData: (facts) => userDataOf(facts, { script: setUp(facts).apply(natSetup), ...boot }),
    lifelong: (facts) =>
      pulumi
        .all([setUp(facts), facts.hostKey.publicKey])
        .apply(([args, key]) => JSON.stringify([lifelongOptions(args), boot, key])),
  };
}

/**
 * Sets a NAT machine up as the arguments say, once it has booted and at each change: over SSH, or by Run Command.
 * @param after Resources that come before.
 * @param wait Shell text that waits afterwards.
 * @default nothing
 */
export function natSetUpAgain(
  host: LinuxHost,
  args: AzureArgs & { readonly ssh?: SshArgs | undefined },
  setUp: pulumi.Output<NatSetupArgs>,
  after: readonly pulumi.Resource[] = [],
  wait?: string,
): pulumi.Resource {
  const { identity, machine } = host;
  const name = `${host.name}-set-up`;
  const script = setUp.apply(natSetup);
  const further = wait === undefined ? undefined : { script: wait, triggers: [] };
  const opts = { parent: host, dependsOn: [...host.ready, ...after] };
  if (args.ssh !== undefined) {
    return hostReady(name, { connection: host.connection, identity, machine, script, further }, opts);
  }
  // Compressed: Azure takes 256 KB, but an environment variable holds 128.
  const SET_UP = pulumi.secret(script.apply((text) => gzipSync(text).toString("base64")));
  const own = { machine, script: setUpScript(further), seconds: SET_UP_SECONDS, secrets: { SET_UP } };
  return managedCommand(name, { ...placement(args), ...own }, opts);
}
