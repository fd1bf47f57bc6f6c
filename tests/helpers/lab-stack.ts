/**
 * A stack of the whole program on the local lab, as a person would run it: project file, configuration, `up`.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { OutputMap, Stack, UpOptions } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import { type Results, resultsSchema } from "../../bench/results/index.ts";
import { runInHost } from "../../components/local/lab/enter.ts";
import { endHost } from "../../components/local/lab/hosts.ts";
import { labName } from "../../components/local/lab-name.ts";
import { hostsOf } from "./lab-hosts.ts";
import { guardLab } from "./left-behind.ts";
import { createEngine } from "./pulumi.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** What an `up` did. */
export interface LabUp {
  readonly results: Results;
  readonly outputs: OutputMap;
  readonly changes: Record<string, number>;
}

export interface LabStack {
  readonly stack: Stack;
  /** Name of its lab, as the machine knows it. */
  readonly lab: string;
  /** Sets keys of `egress-bench:`, structured ones too, in the stack's file; takes out those that are `undefined`. */
  configure(values: Record<string, unknown>): void;
  /** `up`, the results that the stack then outputs, and all that it outputs. */
  up(options?: UpOptions): Promise<LabUp>;
  /** Runs a shell script on a host of the lab. */
  onHost(host: string, script: string): string;
  /** Names of the hosts that live. */
  hosts(): string[];
  storedState(): string;
  /** Destroys what is there and forgets the stack. */
  dispose(): Promise<void>;
}

/** What a stack has that is not usual. */
export interface LabStackOptions {
  /** As {@link createEngine} takes it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** @default a name that no other stack has */
  readonly name?: string;
  /** Text of a program that uses the library, in a directory of its own. @default this checkout's */
  readonly program?: string;
}

/** Opens a stack, `configuration` as its file would have it. */
export async function openLabStack(
  configuration: Record<string, unknown>,
  { environment, name = `test-${randomUUID().slice(0, 8)}`, program }: LabStackOptions = {},
): Promise<LabStack> {
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
    lab,
    configure,
    up: async (options) => {
      const { outputs, summary } = await stack.up({ color: "never", ...options });
      const results = resultsSchema.parse(outputs.results?.value);
      return { results, outputs, changes: summary.resourceChanges ?? {} };
    },
    onHost: (host, script) => runInHost(lab, host, script),
    hosts: () =>
      hostsOf(lab)
        .map(({ host }) => host)
        .sort(),
    storedState,
    dispose: async () => {
      try {
        if (JSON.parse(storedState()).checkpoint.latest?.resources !== undefined) {
          await stack.destroy({ color: "never" });
        }
      } finally {
        // An `up` that was given up holds the stack, and makes hosts as long as it finds its project.
        engine.dispose();
        await Promise.all(hostsOf(lab).map(endHost));
      }
    },
  };
}

/** A program of another project, for which the library is this checkout, and what Pulumi.yaml asks for beside it. */
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

/**
 * Has the state as it was while the lab's hosts were ended by a command that names them, while a resource made each host's
 * link, and another one copied the agent there.
 */
export async function storeOldCommands({ stack, lab }: LabStack): Promise<void> {
  const state = await stack.exportStack();
  const { resources } = state.deployment;
  for (const host of [...resources]) {
    if (host.inputs?.delete?.endsWith(" host-down")) {
      const name = host.urn.split("::").at(-1);
      const spec = { lab, host: name, generation: host.inputs.triggers[0] };
      for (const one of [host.inputs, host.outputs]) {
        one.delete += ` '${JSON.stringify(spec)}'`;
        const { agent: _, link: __, ...before } = JSON.parse(JSON.parse(one.stdin.plaintext));
        one.stdin.plaintext = JSON.stringify(JSON.stringify(before));
      }
      const { parent, provider } = host;
      const copied = {
        connection: { host: "127.0.0.1" },
        remotePath: ".egress-bench-agent.pyz",
        triggers: [],
      };
      for (const [end, type, inputs] of [
        ["link", "command:local:Command", { create: "false", triggers: [] }],
        ["agent-files", "command:remote:CopyToRemote", copied],
      ] as const) {
        const urn = host.urn.replace(/command:local:Command::.*/, `${type}::${name}-${end}`);
        resources.push({ urn, custom: true, id: end, type, inputs, outputs: inputs, parent, provider });
      }
    }
  }
  await stack.importStack(state);
}

/** An iperf3 case that is over soon, and leaves the processors to others: at full rate it takes all of them. */
export function shortCase(id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, tool: "iperf3", durationSeconds: 1, bitrate: "20M", ...more };
}
