/**
 * Where the commands keep what Pulumi needs: a project of their own inside the checkout, so that stack files are only
 * read. The lab's stacks have a state of their own as well, whatever a person's
 * `pulumi login`; a cloud's stacks are in the backend that the person has chosen.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import { labName } from "../../components/local/lab-name.ts";
import { automation, pulumiCommand } from "./automation.ts";
import { OWN_RESULTS } from "./result-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Absolute path of something in the checkout. */
export function inCheckout(path: string): string {
  return `${root}${path}`;
}

/** Directory of the ready-made stack files. */
export const readyMade = inCheckout("stacks");

/** Directory of a person's own copies of them, which set-up makes and `pulumi config set` writes. */
export const ownStackFiles = inCheckout(".egress-bench/stacks");

/** Name of the Pulumi project. */
export const PROJECT = "egress-bench";

/** Where stacks are opened. */
export interface StackWorkspace {
  /** Directory of the project and its stacks' configuration. */
  readonly project: string;
  /** Directory of the stack files that configuration starts from; what it lacks, the ready-made ones have. */
  readonly stackFiles: string;
  /** Environment variables for the engine beside this process's own. */
  readonly environment: Readonly<Record<string, string>>;
}

const project = inCheckout(".egress-bench/project");

/** The lab's stacks: always in the clone's own state. */
export const labWorkspace: StackWorkspace = {
  project,
  stackFiles: ownStackFiles,
  environment: {
    PULUMI_BACKEND_URL: `file://${inCheckout(".egress-bench/state")}`,
    PULUMI_CONFIG_PASSPHRASE_FILE: inCheckout(".egress-bench/passphrase"),
    [OWN_RESULTS]: "true",
  },
};

/** Name of a stack's lab as the machine knows it. */
export function labOf(stack: string, workspace: StackWorkspace = labWorkspace): string {
  return labName(stack, root, backendUrl(workspace));
}

/** A cloud's stacks: in the backend of the environment. */
export const cloudWorkspace: StackWorkspace = {
  project,
  stackFiles: ownStackFiles,
  environment: { [OWN_RESULTS]: "true" },
};

/** Where a workspace's stacks are kept; undefined: where the person is logged in to. */
export function backendUrl({ environment }: StackWorkspace): string | undefined {
  return environment.PULUMI_BACKEND_URL ?? process.env.PULUMI_BACKEND_URL;
}

/** The same for people. */
export function backendName(workspace: StackWorkspace): string {
  return backendUrl(workspace) ?? "the backend that you are logged in to";
}

/** A stack's file in a directory, or the ready-made one; the file need not be there. */
export function stackFileOf(name: string, directory: string): string {
  const file = `${directory}/Pulumi.${name}.yaml`;
  return existsSync(file) ? file : `${readyMade}/Pulumi.${name}.yaml`;
}

/** A file beside a stack's configuration. */
export function besideConfig(
  name: string,
  { project: directory }: StackWorkspace,
  extension: string,
): string {
  return `${directory}/${name}.${extension}`;
}

/** Makes the project, unless it is there. */
export function makeProject(workspace: StackWorkspace): void {
  mkdirSync(workspace.project, { recursive: true });
  const own = parse(readFileSync(inCheckout("Pulumi.yaml"), "utf8"));
  // Another command may be reading the file.
  writeIfOther(
    `${workspace.project}/Pulumi.yaml`,
    stringify({ ...own, main: inCheckout("index.ts"), stackConfigDir: "." }),
  );
}

/** A stack that was opened. */
export interface OpenedStack {
  readonly stack: Stack;
  /** Whether it was made just now, and holds nothing. */
  readonly isNew: boolean;
}

/**
 * Creates or selects a stack whose configuration starts as `Pulumi.<name>.yaml` of the stack files says.
 *
 * @param mustExist Whether it is only selected.
 * @throws {Error} where it must exist and does not
 */
export async function openStack(
  name: string,
  workspace: StackWorkspace,
  mustExist: boolean,
): Promise<OpenedStack> {
  const { LocalWorkspace } = await automation();
  makeProject(workspace);
  // The copy gets the salt of its secrets from Pulumi; an existing stack keeps its own.
  if (!existsSync(configOf(name, workspace))) {
    writeFileSync(configOf(name, workspace), readFileSync(stackFileOf(name, workspace.stackFiles)));
  }
  const args = { stackName: name, workDir: workspace.project };
  const options = { envVars: { ...workspace.environment }, pulumiCommand: await pulumiCommand() };
  try {
    return { stack: withoutReview(await LocalWorkspace.selectStack(args, options)), isNew: false };
  } catch (error) {
    if ((error as Error).name !== "StackNotFoundError") {
      throw error;
    }
    if (mustExist) {
      throw notInBackend(name, workspace, error);
    }
    return { stack: withoutReview(await LocalWorkspace.createStack(args, options)), isNew: true };
  }
}

/**
 * After each operation the Automation API has the CLI tell the stack's outputs and what was done, in three calls that
 * take as long as a small update. The commands read the state instead, when they need it.
 */
function withoutReview(stack: Stack): Stack {
  return Object.assign(stack, { outputs: async () => ({}), info: async () => undefined });
}

function notInBackend(name: string, workspace: StackWorkspace, cause: unknown): Error {
  return new Error(
    `an earlier run deployed it, and ${backendName(workspace)} has no stack of that name; log in to the one that it was deployed with (PULUMI_BACKEND_URL or \`pulumi login\`), or, if you removed the stack yourself, delete ${besideConfig(name, workspace, "runs")}`,
    { cause },
  );
}

/**
 * Brings the configuration of a stack up to its stack file, which a person may have edited since.
 *
 * @param own Keys that it has beside those, or in their place.
 */
export function refreshConfig(
  name: string,
  workspace: StackWorkspace,
  own: Readonly<Record<string, string>>,
): void {
  const { config: _, ...secrets } = parse(readFileSync(configOf(name, workspace), "utf8")) ?? {};
  const { config, ...template } = parse(readFileSync(stackFileOf(name, workspace.stackFiles), "utf8"));
  writeFileSync(
    configOf(name, workspace),
    stringify({ ...secrets, ...template, config: { ...config, ...own } }),
  );
}

/** A value of a stack's configuration; undefined: not set. */
export function configured(name: string, workspace: StackWorkspace, key: string): string | undefined {
  const value = parse(readFileSync(configOf(name, workspace), "utf8"))?.config?.[key];
  return value === undefined ? undefined : String(value);
}

/**
 * Remembers that a command has started this run of a stack: also in the person's own stack file, so that a `pulumi preview`
 * of the stack does not plan to measure all of it anew. A run that the person has set there stays.
 */
export function recordRun(name: string, workspace: StackWorkspace, runId: string): void {
  appendFileSync(besideConfig(name, workspace, "runs"), `${runId}\n`);
  rewriteOwn(name, workspace, (text) => {
    const others = text.replace(RECORDED_RUN, "");
    const set = (comma: string) => `  egress-bench:runId: "${runId}"${comma} # the run that is deployed\n`;
    return /egress-bench:runId['"]?:/.test(others)
      ? others
      : others
          .replace(/^config:[ \t]*(#.*)?\r?\n/m, (head) => `${head}${set("")}`)
          .replace(/^config:[ \t]*\{/m, (head) => `${head}${set(",")} `);
  });
}

/** The lines that {@link recordRun} writes into a stack file; Pulumi may have changed their quotes since. */
const RECORDED_RUN =
  /[ \t]*['"]?egress-bench:runId['"]?: *['"]?\d+['"]?(?:, # the run that is deployed\n | # the run that is deployed\n)/;

/** Changes a person's own copy of a stack file, where there is one. */
function rewriteOwn(name: string, { stackFiles }: StackWorkspace, change: (text: string) => string): void {
  const file = `${stackFiles}/Pulumi.${name}.yaml`;
  if (stackFiles !== readyMade && existsSync(file)) {
    writeIfOther(file, change(readFileSync(file, "utf8")));
  }
}

/** All runs of a stack that commands have started since the stack was made. */
export function recordedRuns(name: string, workspace: StackWorkspace): ReadonlySet<string> {
  const file = besideConfig(name, workspace, "runs");
  return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
}

/**
 * Forgets a stack that has been destroyed.
 *
 * @throws {Error} where it still has resources: their state is all that tells of them.
 */
export async function forgetStack(stack: Stack, workspace: StackWorkspace): Promise<void> {
  await stack.workspace.removeStack(stack.name);
  rmSync(configOf(stack.name, workspace), { force: true });
  rmSync(besideConfig(stack.name, workspace, "runs"), { force: true });
  rewriteOwn(stack.name, workspace, (text) => text.replace(RECORDED_RUN, ""));
}

function configOf(name: string, { project: directory }: StackWorkspace): string {
  return `${directory}/Pulumi.${name}.yaml`;
}

function writeIfOther(file: string, text: string): void {
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) {
    writeFileSync(file, text);
  }
}
