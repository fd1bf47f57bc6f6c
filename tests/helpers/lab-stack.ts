/** A stack of the whole program on the local lab, as in normal use: project file, configuration, `up`. */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { OutputMap, UpOptions } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import { type Results, resultsSchema } from "../../bench/results/index.ts";
import { runInHost } from "../../components/local/lab/enter.ts";
import { endHost } from "../../components/local/lab/hosts.ts";
import { labName } from "../../components/local/lab-name.ts";
import { hostsOf } from "./lab-hosts.ts";
import { guardLab } from "./left-behind.ts";
import { createEngine } from "./pulumi.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Results and outputs of an `up`. */
export interface LabUp {
  readonly results: Results;
  readonly outputs: OutputMap;
  readonly changes: Record<string, number>;
}

export type LabStack = Awaited<ReturnType<typeof openLabStack>>;

/** Unusual properties of a stack. */
export interface LabStackOptions {
  /** See {@link createEngine}. */
  readonly environment?: Readonly<Record<string, string>>;
  /** @default a unique name */
  readonly name?: string;
  /** Text of a program that uses the library, in its own directory. @default this checkout's */
  readonly program?: string;
}

/** Opens a stack with `configuration` as its file. */
export async function openLabStack(
  configuration: Record<string, unknown>,
  { environment, name = `test-${randomUUID().slice(0, 8)}`, program }: LabStackOptions = {},
) {
  const engine = createEngine(environment);
  const workDir = `${engine.directory}/project`;
  mkdirSync(workDir);
  const project = parse(readFileSync(`${root}Pulumi.yaml`, "utf8"));
  const main = program === undefined ? { main: `${root}index.ts` } : {};
  writeFileSync(`${workDir}/Pulumi.yaml`, stringify({ ...project, ...main, stackConfigDir: "." }));
  if (program !== undefined) {
    writeProgram(workDir, program);
  }
  const stack = await engine.projectStack(name, workDir);
  const stackFile = `${workDir}/Pulumi.${name}.yaml`;
  const configure = (values: Record<string, unknown>) => {
    const { config, ...secrets } = parse(readFileSync(stackFile, "utf8"));
    const named = Object.entries(values).map(([key, value]) => [
      key.includes(":") ? key : `egress-bench:${key}`,
      value,
    ]);
    writeFileSync(stackFile, stringify({ ...secrets, config: { ...config, ...Object.fromEntries(named) } }));
  };
  configure({ cloud: "local", ...configuration });
  const lab = labName(name, program === undefined ? root : workDir, engine.environment.PULUMI_BACKEND_URL);
  guardLab(lab);
  const storedState = () =>
    readFileSync(`${engine.directory}/state/.pulumi/stacks/${project.name}/${name}.json`, "utf8");
  return {
    stack,
    /** Name of its lab on the machine. */
    lab,
    /** Sets keys of `egress-bench:` in the stack's file, including structured ones; removes those that are `undefined`. */
    configure,
    /** Runs `up`, and returns the stack's results and all outputs. */
    up: async (options?: UpOptions): Promise<LabUp> => {
      const { outputs, summary } = await stack.up({ color: "never", ...options });
      const results = resultsSchema.parse(outputs.results?.value);
      return { results, outputs, changes: summary.resourceChanges ?? {} };
    },
    onHost: (host: string, script: string) => runInHost(lab, host, script),
    /** Names of living hosts. */
    hosts: () =>
      hostsOf(lab)
        .map(({ host }) => host)
        .sort(),
    storedState,
    /** Destroys everything and removes the stack. */
    dispose: async () => {
      try {
        if (JSON.parse(storedState()).checkpoint.latest?.resources !== undefined) {
          await stack.destroy({ color: "never" });
        }
      } finally {
        // An abandoned `up` still holds the stack, and makes hosts as long as it finds its project.
        engine.dispose();
        await Promise.all(hostsOf(lab).map(endHost));
      }
    },
  };
}

/** Writes another project's program, which uses this checkout as the library, with the packages that Pulumi.yaml needs. */
function writeProgram(directory: string, program: string): void {
  for (const name of ["node_modules", "stacks"]) {
    symlinkSync(`${root}${name}`, `${directory}/${name}`);
  }
  writeFileSync(`${directory}/package.json`, '{ "type": "module" }');
  const entry = (path = "") => (path === "/bench" ? "bench" : `components${path}`);
  writeFileSync(
    `${directory}/index.ts`,
    program.replaceAll(/"egress-bench(\/\w+)?"/g, (_, path) => `"${root}${entry(path)}/index.ts"`),
  );
}

/** A short iperf3 case with a limited rate, since full rate would take all CPUs. */
export function shortCase(id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, tool: "iperf3", durationSeconds: 1, bitrate: "20M", ...more };
}
