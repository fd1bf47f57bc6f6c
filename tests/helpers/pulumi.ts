import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type LocalWorkspaceOptions,
  PulumiCommand,
  type PulumiFn,
  type Stack,
} from "@pulumi/pulumi/automation/index.js";

import { OWN_RESULTS } from "../../cli/terminal/result-files.ts";
import { openStack, PASSPHRASE, withStoredAnswers } from "./stored-stack.ts";

const PROJECT = "egress-bench-test";
const STAND_IN = fileURLToPath(
  new URL("../../tools/command-standin/pulumi-resource-command", import.meta.url),
);

/**
 * The command plugin under test: the binary in EGRESS_BENCH_COMMAND_PLUGIN, else the stand-in.
 *
 * @throws if that file cannot be executed
 */
function commandPlugin(): string {
  const plugin = process.env.EGRESS_BENCH_COMMAND_PLUGIN || STAND_IN;
  try {
    accessSync(plugin, constants.X_OK);
  } catch (error) {
    throw new Error(
      `EGRESS_BENCH_COMMAND_PLUGIN must name an executable pulumi-resource-command, not ${plugin}`,
      { cause: error },
    );
  }
  return plugin;
}

/** Whether the tests run against the stand-in rather than against a real command plugin. */
export function isStandIn(): boolean {
  return commandPlugin() === STAND_IN;
}

/**
 * Whether the command plugin under test words its failures like version 1.2.1. Its directory has the version, as
 * Pulumi installs plugins; other places do not show it.
 */
export function isWordedAs121(plugin = commandPlugin()): boolean {
  const [, version = "1.2.1"] = /resource-command-v(\d+\.\d+\.\d+)/.exec(plugin) ?? [];
  return version === "1.2.1";
}

/** Environment that makes any Pulumi of a test use less CPU, without other effects. */
export const frugal: Readonly<Record<string, string>> = {
  // The SDK keeps a stack trace with every promise, and maps each frame to its source.
  NODE_OPTIONS: "--stack-trace-limit=1",
  // Compiling the SDK takes a fifth of a small program's time.
  NODE_COMPILE_CACHE: fileURLToPath(new URL("../../node_modules/.cache/tests", import.meta.url)),
  // The CLI ends before collecting garbage would pay off.
  GOGC: "400",
  // Backup copies of the state, which no test reads.
  PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
};

/**
 * For stacks whose engine is never killed: the state is saved only when an operation ends, also after a failure, instead of
 * after each of its hundred steps.
 */
export const savingAtEnd: Readonly<Record<string, string>> = { PULUMI_SKIP_CHECKPOINTS: "true" };

/**
 * Keeps the CLI from writing its log, 12 MB compressed for a lab's `up`: it skips the log if it cannot make the
 * directory.
 *
 * @param home PULUMI_HOME.
 */
export function withoutLogs(home: string): void {
  writeFileSync(join(home, "logs"), "");
}

let cli: Promise<PulumiCommand> | undefined;

/**
 * The Pulumi engine with its own home and state in a temporary directory, so that nothing of the user's is read or
 * changed. `pulumi` is the one on PATH.
 */
export interface Engine {
  /** The temporary directory; tests may keep files in it. */
  readonly directory: string;
  /** Environment for a `pulumi` started by hand to use this home and state. */
  readonly environment: Readonly<Record<string, string>>;
  /** Makes a stack from a function. @param projectName @default a project of tests */
  stack(name: string, program: PulumiFn, projectName?: string): Promise<Stack>;
  /** Makes, or selects, a stack of the project in `projectDirectory`. */
  projectStack(name: string, projectDirectory: string): Promise<Stack>;
  /** The stored state of a stack, with secrets encrypted. @param projectName @default a project of tests */
  storedState(name: string, projectName?: string): string;
  /** Removes the directory. Destroy stacks first if their resources would be left behind. */
  dispose(): void;
}

/**
 * Makes an engine whose home has only the command plugin.
 *
 * @param more Environment variables besides those of all test engines.
 */
export function createEngine(more: Readonly<Record<string, string>> = {}): Engine {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-engine-"));
  const home = join(directory, "home");
  const state = join(directory, "state");
  const pluginDirectory = join(home, "plugins", "resource-command-v1.2.1");
  mkdirSync(pluginDirectory, { recursive: true });
  mkdirSync(state);
  symlinkSync(commandPlugin(), join(pluginDirectory, "pulumi-resource-command"));
  withoutLogs(home);
  const environment = {
    PULUMI_HOME: home,
    // Without a checksum beside each file, which takes as long as writing it.
    PULUMI_BACKEND_URL: `file://${state}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: PASSPHRASE,
    PULUMI_SKIP_UPDATE_CHECK: "true",
    // A program whose main is the checkout's would write results there.
    [OWN_RESULTS]: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    // The command plugin fails on a stale agent even with a key.
    SSH_AUTH_SOCK: "",
    ...frugal,
    ...more,
  };
  const open = async (name: string, options: LocalWorkspaceOptions): Promise<Stack> => {
    cli ??= PulumiCommand.get();
    const common = { pulumiHome: home, envVars: environment, pulumiCommand: await cli };
    return withStoredAnswers(await openStack(state, name, { ...common, ...options }), state);
  };
  return {
    directory,
    environment,
    stack(stackName, program, projectName = PROJECT) {
      // Otherwise one is made outside, and stays.
      const workDir = mkdtempSync(join(directory, "program-"));
      const projectSettings = { name: projectName, runtime: "nodejs", main: process.cwd() };
      return open(stackName, { workDir, program, projectSettings });
    },
    projectStack: (stackName, workDir) => open(stackName, { workDir }),
    storedState: (name, projectName = PROJECT) =>
      readFileSync(join(state, ".pulumi", "stacks", projectName, `${name}.json`), "utf8"),
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  };
}
