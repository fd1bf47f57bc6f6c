import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { local } from "@pulumi/command";
import * as pulumi from "@pulumi/pulumi";
import { quote } from "../../bench/shell.ts";
import { gzipBase64 } from "../shared/gzip.ts";
import { siblingProgram } from "../shared/shell.ts";
import { bootInForce } from "./lab/boot.ts";
import { findHost, type LivingHost } from "./lab/living-hosts.ts";
import { asRoot, isRoot } from "./lab/machine.ts";

export interface LabCommandArgs {
  readonly operation: "host-up" | "link" | "boot";
  /** The operation's JSON document, on stdin: secret where a part of it is. */
  readonly spec: pulumi.Input<Record<string, unknown>>;
  /** The operation is repeated when one of these changes. */
  readonly triggers: pulumi.Input<unknown>[];
  /** Operation that undoes it on delete, with the same document. @default nothing */
  readonly undo?: "host-down";
}

const program = asRoot(siblingProgram(import.meta.url, "lab/main"));

/** Runs one operation of `lab/main.ts`; its answer is the command's stdout. */
export function labCommand(
  name: string,
  args: LabCommandArgs,
  opts: pulumi.CustomResourceOptions,
): local.Command {
  return new local.Command(
    name,
    {
      create: `${program} ${args.operation}`,
      ...(args.undo === undefined ? {} : { delete: `${program} ${args.undo}` }),
      stdin: pulumi.jsonStringify(args.spec),
      triggers: args.triggers,
      logging: local.Logging.None,
      addPreviousOutputInEnv: false,
    },
    opts,
  );
}

export interface BootedHost {
  readonly labName: string;
  readonly name: string;
  readonly identity: string;
}

/**
 * Boots a host with a script, packed because the state keeps it twice. @param boot Distinguishes one boot from the next.
 */
export function bootCommand(
  name: string,
  { labName: lab, name: host, identity }: BootedHost,
  { script, boot }: { readonly script: string; readonly boot?: string },
  opts: pulumi.CustomResourceOptions,
): local.Command {
  const digest = createHash("sha256").update(script).digest("hex");
  const spec = { lab, host, script: gzipBase64(script), ...(boot === undefined ? {} : { boot }) };
  const triggers = [identity, digest, ...(boot === undefined ? [] : [boot])];
  return labCommand(name, { operation: "boot", spec, triggers }, opts);
}

/** Hosts as root sees them; asked once for everything that a program makes in one go. */
let hostsOfRoot: readonly LivingHost[] | undefined;

/** Generation of the running host. @returns undefined when it does not run. */
export function livingGeneration(lab: string, host: string): string | undefined {
  if (isRoot()) {
    return findHost(lab, host)?.generation;
  }
  if (hostsOfRoot === undefined) {
    const { status, stdout } = spawnSync("sh", ["-c", `${program} hosts '{}'`], { encoding: "utf8" });
    // Without root there is no lab; making a host will report that.
    hostsOfRoot = status === 0 ? (JSON.parse(stdout) as LivingHost[]) : [];
    setImmediate(() => {
      hostsOfRoot = undefined;
    });
  }
  return hostsOfRoot.find((living) => living.lab === lab && living.host === host)?.generation;
}

/** Boot of a forwarding host that is in force. @returns undefined when none is. */
export function standingBoot(lab: string, host: string): string | undefined {
  if (isRoot()) {
    return bootInForce(lab, host);
  }
  const spec = JSON.stringify({ lab, host });
  const { status, stdout } = spawnSync("sh", ["-c", `${program} booted ${quote(spec)}`], {
    encoding: "utf8",
  });
  return status === 0 ? (JSON.parse(stdout) as { boot?: string }).boot : undefined;
}
