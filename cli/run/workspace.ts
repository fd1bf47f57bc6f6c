/**
 * Where the commands keep what Pulumi needs: a project of their own inside the checkout, so that the stack files of
 * the repository are only read. The lab's stacks have a state of their own as well, whatever a person's
 * `pulumi login`; a cloud's stacks are in the backend that the person has chosen.
 *
 * @module
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import { labName } from "../../components/local/lab-name.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Absolute path of something in the checkout. */
export function inCheckout(path: string): string {
  return `${root}${path}`;
}

/** Directory of the repository's stack files. */
export const stackFiles = inCheckout("stacks");

/** Where stacks are opened. */
export interface Place {
  /** Directory of the project and its stacks' configuration. */
  readonly project: string;
  /** Directory of the stack files that configuration starts from. */
  readonly stackFiles: string;
  /** What the engine gets beside this process's environment. */
  readonly environment: Readonly<Record<string, string>>;
}

const project = inCheckout(".egress-bench/project");

export const labPlace: Place = {
  project,
  stackFiles,
  environment: {
    PULUMI_BACKEND_URL: `file://${inCheckout(".egress-bench/state")}`,
    PULUMI_CONFIG_PASSPHRASE_FILE: inCheckout(".egress-bench/passphrase"),
  },
};

/** Name of a stack's lab as the machine knows it. */
export function labOf(stack: string, place: Place = labPlace): string {
  return labName(stack, place.project, place.environment.PULUMI_BACKEND_URL);
}

export const cloudPlace: Place = { project, stackFiles, environment: {} };

/** Creates or selects a stack whose configuration starts as `Pulumi.<name>.yaml` of the stack files says. */
export async function openStack(name: string, place: Place): Promise<Stack> {
  const { LocalWorkspace } = await import("@pulumi/pulumi/automation/index.js");
  const template = `${place.stackFiles}/Pulumi.${name}.yaml`;
  if (!existsSync(template)) {
    throw new Error(`There is no stack file stacks/Pulumi.${name}.yaml.`);
  }
  mkdirSync(place.project, { recursive: true });
  const own = parse(readFileSync(inCheckout("Pulumi.yaml"), "utf8"));
  // Another command may be reading the file.
  writeIfOther(
    `${place.project}/Pulumi.yaml`,
    stringify({ ...own, main: inCheckout("index.ts"), stackConfigDir: "." }),
  );
  // The copy gets the salt of its secrets from Pulumi; a stack that is there already keeps its own.
  if (!existsSync(configOf(name, place))) {
    writeFileSync(configOf(name, place), readFileSync(template));
  }
  return LocalWorkspace.createOrSelectStack(
    { stackName: name, workDir: place.project },
    { envVars: { ...place.environment } },
  );
}

/** Brings the configuration of a stack up to its stack file, which a person may have edited since. */
export function refreshConfig(name: string, place: Place): void {
  const { config: _, ...secrets } = parse(readFileSync(configOf(name, place), "utf8")) ?? {};
  const template = parse(readFileSync(`${place.stackFiles}/Pulumi.${name}.yaml`, "utf8"));
  writeFileSync(configOf(name, place), stringify({ ...secrets, ...template }));
}

/** Forgets a stack that has been destroyed. */
export async function forgetStack(stack: Stack, place: Place): Promise<void> {
  await stack.workspace.removeStack(stack.name, { force: true });
  rmSync(configOf(stack.name, place), { force: true });
}

function configOf(name: string, { project: directory }: Place): string {
  return `${directory}/Pulumi.${name}.yaml`;
}

function writeIfOther(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    writeFileSync(file, text);
  }
}
