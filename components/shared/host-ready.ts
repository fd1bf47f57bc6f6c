import { remote, type types } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { setUpAgain } from "../nat-instance/index.ts";
import { textOf } from "./shell.ts";

/** Seconds that cloud-init may take, those of wait-for-cloud-init.sh. */
export const CLOUD_INIT_SECONDS = 900;

const waitForCloudInit = textOf("./wait-for-cloud-init.sh", import.meta.url).trimEnd();

/** A command on a host, without a log and without its earlier output. @param seconds Time limit to create or update it. */
export function hostCommand(
  name: string,
  args: Omit<remote.CommandArgs, "logging" | "addPreviousOutputInEnv">,
  seconds: number,
  opts: pulumi.CustomResourceOptions,
): remote.Command {
  const customTimeouts = { create: `${seconds}s`, update: `${seconds}s`, ...opts.customTimeouts };
  const own = { ...args, logging: remote.Logging.None, addPreviousOutputInEnv: false };
  return new remote.Command(name, own, { ...opts, customTimeouts });
}

/** Arguments of the wait until a host can be logged in to and is set up. */
export interface HostReadyArgs {
  readonly connection: pulumi.Input<types.input.remote.ConnectionArgs>;
  /** Id that changes when the machine is replaced. */
  readonly identity: pulumi.Input<string>;
  /** The resource whose deletion takes the host with it. */
  readonly machine: pulumi.Resource;
  /** Script that sets the live machine up, now and at each change. @default none: its first boot does */
  readonly script?: pulumi.Output<string> | undefined;
  /** Further resources to wait for. @default none */
  readonly further?: FurtherWait | undefined;
}

/** Condition to wait for once the machine is set up. */
export interface FurtherWait {
  /** Shell text that ends with status 0 once the condition holds. */
  readonly script: string;
  /** Values whose change waits anew, such as one that makes the same machine boot again. */
  readonly triggers: readonly pulumi.Input<string>[];
}

export function waitScript(further: FurtherWait | undefined): string {
  return further === undefined ? waitForCloudInit : `${waitForCloudInit}${further.script}`;
}

/** Time limit of a set-up, including the waits after it. */
export const SET_UP_SECONDS = 600;

/** Sets up a live machine, then waits for a further condition if given. */
export function setUpScript(further: FurtherWait | undefined): string {
  return further === undefined ? setUpAgain : `${setUpAgain}${further.script}\n`;
}

/** Waits until a machine takes logins and cloud-init has done its work, or sets it up by the script. */
export function hostReady(
  name: string,
  { connection, identity, machine, script, further }: HostReadyArgs,
  opts: pulumi.CustomResourceOptions,
): remote.Command {
  const [work, seconds] =
    script === undefined
      ? [{ create: waitScript(further) }, CLOUD_INIT_SECONDS + 600]
      : // Secret: it may hold the key of a pair.
        [{ create: setUpScript(further), stdin: pulumi.secret(script) }, SET_UP_SECONDS];
  const triggers = [identity, ...(further?.triggers ?? [])];
  return hostCommand(name, { connection, ...work, triggers }, seconds, { ...opts, deletedWith: machine });
}
