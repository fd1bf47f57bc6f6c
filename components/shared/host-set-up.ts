import { remote } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { setUpAgain } from "../nat-instance/index.ts";
import type { HostReadyArgs } from "./host-ready.ts";

/** The longest time of a set-up, with the waits after it. */
export const SET_UP_SECONDS = 600;

/** The script that sets up a live machine, then waits for what the set-up needs. @param wait Shell text. */
export function setUpScript(wait: string | undefined): string {
  return wait === undefined ? setUpAgain : `${setUpAgain}${wait}\n`;
}

/** Has a machine set up as the script says, now and at each change of it; nothing happens where it is so already. */
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
      // It holds the key of a pair.
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
