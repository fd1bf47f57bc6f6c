import { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { setUpAgain } from "../nat-instance/index.ts";
import type { HostReadyArgs } from "./host-ready.ts";

/** Time limit of a set-up, including the waits after it. */
export const SET_UP_SECONDS = 600;

/** The script that sets up a live machine, then waits for its condition. @param wait Shell text. */
export function setUpScript(wait: string | undefined): string {
  return wait === undefined ? setUpAgain : `${setUpAgain}${wait}\n`;
}

/** Sets a machine up by the script, now and at each change; does nothing where it is set up so already. */
export function hostSetUp(
  name: string,
  args: HostReadyArgs & { readonly script: pulumi.Output<string>; readonly wait?: string | undefined },
  opts: pulumi.CustomResourceOptions,
): remote.Command {
  return new remote.Command(
    name,
    {
      connection: args.connection,
      create: setUpScript(args.wait),
      // Secret: it may hold the key of a pair.
      stdin: pulumi.secret(args.script),
      triggers: [args.identity],
      logging: remote.Logging.None,
      addPreviousOutputInEnv: false,
    },
    pulumi.mergeOptions(opts, {
      deletedWith: args.machine,
      customTimeouts: { create: `${SET_UP_SECONDS}s`, update: `${SET_UP_SECONDS}s` },
    }),
  );
}
