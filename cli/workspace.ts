/**
 * Where the `local` commands keep what Pulumi needs: a project and a state of their own, inside the checkout, so
 * that neither a person's `pulumi login` nor the stack files of the repository are touched.
 *
 * @module
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";

const root = fileURLToPath(new URL("../", import.meta.url));

/** Absolute path of something in the checkout. */
export function inCheckout(path: string): string {
  return `${root}${path}`;
}

/** Creates or selects a stack whose configuration starts as `stacks/Pulumi.<name>.yaml` says. */
export async function openStack(name: string): Promise<Stack> {
  const { LocalWorkspace } = await import("@pulumi/pulumi/automation/index.js");
  const template = inCheckout(`stacks/Pulumi.${name}.yaml`);
  if (!existsSync(template)) {
    throw new Error(`There is no stack file stacks/Pulumi.${name}.yaml.`);
  }
  const workDir = inCheckout(".egress-bench/project");
  mkdirSync(workDir, { recursive: true });
  const project = parse(readFileSync(inCheckout("Pulumi.yaml"), "utf8"));
  writeFileSync(
    `${workDir}/Pulumi.yaml`,
    stringify({ ...project, main: "../../index.ts", stackConfigDir: "." }),
  );
  const file = `${workDir}/Pulumi.${name}.yaml`;
  // The copy gets the salt of its secrets from Pulumi; a stack that is there already keeps its own.
  if (!existsSync(file)) {
    copyFileSync(template, file);
  }
  // Also where a person has a backend of their own: nothing local belongs there.
  const envVars = {
    PULUMI_BACKEND_URL: `file://${inCheckout(".egress-bench/state")}`,
    PULUMI_CONFIG_PASSPHRASE_FILE: inCheckout(".egress-bench/passphrase"),
  };
  return LocalWorkspace.createOrSelectStack({ stackName: name, workDir }, { envVars });
}

/** Forgets a stack that has been destroyed. */
export async function forgetStack(stack: Stack): Promise<void> {
  await stack.workspace.removeStack(stack.name, { force: true });
  rmSync(inCheckout(`.egress-bench/project/Pulumi.${stack.name}.yaml`), { force: true });
}
