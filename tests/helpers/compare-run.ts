/** Runs `npm run compare` against the stand-in of Azure, in this process and with the real engine. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { labWorkspace, type StackWorkspace } from "../../cli/pulumi/workspace.ts";
import { compare } from "../../cli/run/command.ts";
import { startAttached } from "./attached/start.ts";
import { createAzureEngine } from "./azure-native-standin/engine.ts";

const INDEX = fileURLToPath(new URL("../../index.ts", import.meta.url));

/** Output of one run. */
interface Said {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Differences from a plain run. */
interface RunOptions {
  /** Interrupts the run as soon as stderr matches. */
  readonly until?: RegExp;
  /** Environment variables besides the engine's. */
  readonly environment?: Record<string, string>;
  /** Whether each write to stdout throws, as for a closed pipe. */
  readonly stdoutFails?: boolean;
  /** Whether the program gets its own process, as in normal use, although the runs share one. @default false */
  readonly ownProcess?: boolean;
}

/** A stack `direct` with two short cases, and the command that runs it. */
export type CompareRuns = Awaited<ReturnType<typeof openCompareRuns>>;

/**
 * Opens a stand-in whose remote commands print nothing, so that every case fails.
 *
 * @param shareProcess Whether the runs share one process for the program; otherwise each operation starts it, as in normal use.
 */
export async function openCompareRuns(shareProcess = false) {
  const directory = mkdtempSync(`${tmpdir()}/egress-bench-compare-`);
  const engine = createAzureEngine();
  const { project } = engine;
  const cases = ["connect", "sockperf"].map((tool) => ({ tool, durationSeconds: 1 }));
  engine.configure("direct", { "egress-bench:plan": { cases } });
  const cloudFile = join(project, "../cloud.json");
  const program = join(directory, "program.ts");
  // Its address differs from run to run, as does that of index.ts, which runs again.
  writeFileSync(
    program,
    `export const { results, summary } = await import("${INDEX}" + new URL(import.meta.url).search);\n`,
  );
  const attached = await startAttached(
    {
      ...{ providers: { "azure-native": cloudFile, command: null }, faults: join(project, "../fault.json") },
      ...(shareProcess ? { program } : {}),
    },
    project,
    engine.environment,
  );
  const workspace: StackWorkspace = {
    project: `${directory}/project`,
    stackFiles: `${project}/stacks`,
    environment: { ...engine.environment, ...attached.providers, ...attached.language },
  };
  return {
    engine,
    /** File of the stand-in's resources. */
    cloudFile,
    /** Directory of `out/`, where results go, and of the project. */
    directory,
    workspace,
    run: (argv: readonly string[], options: RunOptions = {}) =>
      run([...(argv.includes("--out") ? [] : ["--out", `${directory}/out`]), ...argv], options, workspace),
    isDeployed: () => existsSync(cloudFile) && Object.keys(engine.cloud().resources).length > 0,
    dispose: () => {
      attached.stop();
      engine.dispose();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function run(
  argv: readonly string[],
  { until, environment, stdoutFails, ownProcess = false }: RunOptions,
  workspace: StackWorkspace,
): Promise<Said> {
  const interrupt = new AbortController();
  const { PULUMI_DEBUG_LANGUAGES: _, ...apart } = workspace.environment;
  const own = {
    ...workspace,
    environment: { ...(ownProcess ? apart : workspace.environment), ...environment },
  };
  let [stdout, stderr] = ["", ""];
  const status = await compare(["--cloud", "azure", ...argv], {
    stdout: {
      write: (text) => {
        if (stdoutFails) throw Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
        stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        stderr += text;
        if (until?.test(text)) interrupt.abort();
      },
    },
    ask: null,
    onInterrupt: () => interrupt.signal,
    workspaces: { azure: own, aws: own, hosts: own, local: labWorkspace },
  });
  return { status, stdout, stderr };
}
