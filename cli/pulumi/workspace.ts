/**
 * Workspaces: Pulumi's files in the checkout, in a project of the commands' own, so that stack files are only read. The lab's
 * stacks also have their own state, independent of `pulumi login`; a cloud's stacks use the backend that the person has chosen.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import { labName } from "../../components/local/lab-name.ts";
import { OWN_RESULTS } from "../terminal/result-files.ts";
import { pulumiCommand } from "./automation.ts";
import { brokenState, contentsOf } from "./backend.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export function inCheckout(path: string): string {
  return `${root}${path}`;
}

export const readyMade = inCheckout("stacks");

/** Directory of a person's own copies, which set-up creates and `pulumi config set` writes. */
export const ownStackFiles = inCheckout(".egress-bench/stacks");

export const PROJECT = "egress-bench";

export interface StackWorkspace {
  readonly project: string;
  /** Directory of the stack files that configuration starts from; missing ones are ready-made. */
  readonly stackFiles: string;
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

export function labOf(stack: string, workspace: StackWorkspace = labWorkspace): string {
  return labName(stack, root, backendUrl(workspace));
}

/** A cloud's stacks: in the backend of the environment. */
export const cloudWorkspace: StackWorkspace = {
  project,
  stackFiles: ownStackFiles,
  environment: { [OWN_RESULTS]: "true" },
};

/** Backend of a workspace's stacks; undefined: the person's current login. */
export function backendUrl({ environment }: StackWorkspace): string | undefined {
  return environment.PULUMI_BACKEND_URL ?? process.env.PULUMI_BACKEND_URL;
}

export function backendName(workspace: StackWorkspace): string {
  return backendUrl(workspace) ?? "the backend that you are logged in to";
}

/** Path of a stack's file in a directory, or of the ready-made one; it need not exist. */
export function stackFileOf(name: string, directory: string): string {
  const file = `${directory}/Pulumi.${name}.yaml`;
  return existsSync(file) ? file : `${readyMade}/Pulumi.${name}.yaml`;
}

function besideConfig(name: string, { project: directory }: StackWorkspace, extension: string): string {
  return `${directory}/${name}.${extension}`;
}

/** Creates the project, unless it exists. */
export function makeProject(workspace: StackWorkspace): void {
  mkdirSync(workspace.project, { recursive: true });
  const own = parse(readFileSync(inCheckout("Pulumi.yaml"), "utf8"));
  // Written only if different: another command may be reading the file.
  writeIfOther(
    `${workspace.project}/Pulumi.yaml`,
    stringify({ ...own, main: inCheckout("index.ts"), stackConfigDir: "." }),
  );
}

/**
 * Those of some stacks that have resources. In a directory the states are read, which is quicker than asking Pulumi; one that
 * cannot be read counts.
 *
 * @throws {Error} where the backend cannot be asked
 */
export async function deployedStacks(
  names: readonly string[],
  workspace: StackWorkspace,
): Promise<readonly string[]> {
  const url = backendUrl(workspace);
  const contents = new Map(
    names.map((name) => {
      const isBroken = brokenState(url, PROJECT, name) !== null;
      return [name, isBroken ? "resources" : contentsOf(url, PROJECT, name)];
    }),
  );
  const unknown = names.filter((name) => contents.get(name) === "unknown");
  const listed = unknown.length === 0 ? [] : await listStacks(workspace);
  return names.filter((name) => contents.get(name) === "resources" || listed.includes(name));
}

/** Names of all stacks of the backend that may have resources. */
async function listStacks(workspace: StackWorkspace): Promise<string[]> {
  const { LocalWorkspace } = await import("@pulumi/pulumi/automation/index.js");
  makeProject(workspace);
  const opened = await LocalWorkspace.create({
    workDir: workspace.project,
    envVars: { ...workspace.environment },
    pulumiCommand: await pulumiCommand(),
  });
  const stacks = await opened.listStacks();
  return stacks.flatMap(({ name, resourceCount }) => (resourceCount === 0 ? [] : [name]));
}

export interface OpenedStack {
  readonly stack: Stack;
  readonly isNew: boolean;
}

/**
 * Creates or selects a stack, whose configuration starts as `Pulumi.<name>.yaml` of the stack files.
 *
 * @param mustExist Whether to select only.
 * @throws {Error} where it must exist and does not
 */
export async function openStack(
  name: string,
  workspace: StackWorkspace,
  mustExist: boolean,
): Promise<OpenedStack> {
  const { LocalWorkspace } = await import("@pulumi/pulumi/automation/index.js");
  makeProject(workspace);
  // Pulumi adds the salt of its secrets to the copy; an existing stack keeps its own.
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
 * Skips the Automation API's three CLI calls after each operation for outputs and summary, which take as long as a small
 * update. The commands read the state instead, when they need it.
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
 * Updates the configuration of a stack from its stack file, which a person may have edited since.
 *
 * @param own Keys that are added or replaced.
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

export function configured(name: string, workspace: StackWorkspace, key: string): string | undefined {
  const value = parse(readFileSync(configOf(name, workspace), "utf8"))?.config?.[key];
  return value === undefined ? undefined : String(value);
}

/**
 * Records a run that a command has started, also in the person's own stack file, so that a `pulumi preview`
 * of the stack does not plan to measure everything again. A run that the person has set there stays.
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

/** Changes a person's own copy of a stack file, if there is one. */
function rewriteOwn(name: string, { stackFiles }: StackWorkspace, change: (text: string) => string): void {
  const file = `${stackFiles}/Pulumi.${name}.yaml`;
  if (stackFiles !== readyMade && existsSync(file)) {
    writeIfOther(file, change(readFileSync(file, "utf8")));
  }
}

/** All runs that commands have started since the stack was created. */
export function recordedRuns(name: string, workspace: StackWorkspace): ReadonlySet<string> {
  const file = besideConfig(name, workspace, "runs");
  return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
}

/**
 * Removes a destroyed stack.
 *
 * @throws {Error} if it still has resources, which only its state records.
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
