/**
 * A lab operation as a resource: the lab's program run by a local command.
 *
 * @module
 */
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { siblingProgram } from "../sibling-program.ts";
import { asRoot } from "./lab/machine.ts";

export interface LabCommandArgs {
  readonly operation: "host-up" | "link" | "boot";
  /** The operation's JSON document. May hold secrets: it goes through stdin. */
  readonly spec: Record<string, unknown>;
  /** When one of these changes the operation is done anew. */
  readonly triggers: pulumi.Input<unknown>[];
  /** Undone on delete by this operation and its document, which holds no secret. */
  readonly undo?: { readonly operation: "host-down"; readonly spec: Record<string, string> };
}

/** Runs one operation of `lab/main.ts`; its answer is the command's stdout. */
export function labCommand(
  name: string,
  args: LabCommandArgs,
  opts: pulumi.CustomResourceOptions,
): local.Command {
  const program = asRoot(siblingProgram(import.meta.url, "lab/main"));
  const undo = args.undo && `${program} ${args.undo.operation} '${JSON.stringify(args.undo.spec)}'`;
  return new local.Command(
    name,
    {
      create: `${program} ${args.operation}`,
      ...(undo === undefined ? {} : { delete: undo }),
      stdin: pulumi.secret(pulumi.jsonStringify(args.spec)),
      triggers: args.triggers,
      logging: local.Logging.None,
      addPreviousOutputInEnv: false,
    },
    opts,
  );
}
