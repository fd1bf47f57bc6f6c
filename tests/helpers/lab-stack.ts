/**
 * A stack of the whole program on the local lab, as a person would run it: project file, configuration, `up`.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Stack, UpOptions } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import { type Results, resultsSchema } from "../../bench/results/index.ts";
import { runInHost } from "../../components/local/lab/hosts.ts";
import { hostsOf } from "./lab-hosts.ts";
import { createEngine } from "./pulumi.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

export interface LabStack {
  readonly stack: Stack;
  /** Sets keys of `egress-bench:`, structured ones too. */
  configure(values: Record<string, unknown>): Promise<void>;
  /** `up`, and the results that the stack then outputs. */
  up(options?: UpOptions): Promise<{ results: Results; changes: Record<string, number> }>;
  /** Runs a shell script on a host of the lab. */
  onHost(host: string, script: string): string;
  /** Names of the hosts that live. */
  hosts(): string[];
  storedState(): string;
  /** Destroys what is there and forgets the stack. */
  dispose(): Promise<void>;
}

/** Opens a stack with a name of its own, `configuration` as its file would have it. */
export async function openLabStack(configuration: Record<string, unknown>): Promise<LabStack> {
  const engine = createEngine();
  const name = `test-${randomUUID().slice(0, 8)}`;
  const workDir = `${engine.directory}/project`;
  mkdirSync(workDir);
  const project = parse(readFileSync(`${root}Pulumi.yaml`, "utf8"));
  writeFileSync(
    `${workDir}/Pulumi.yaml`,
    stringify({ ...project, main: `${root}index.ts`, stackConfigDir: "." }),
  );
  const stack = await engine.projectStack(name, workDir);
  const configure = async (values: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(values)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      await stack.setConfig(key.includes(":") ? key : `egress-bench:${key}`, { value: text });
    }
  };
  await configure({ cloud: "local", ...configuration });
  return {
    stack,
    configure,
    up: async (options) => {
      const { outputs, summary } = await stack.up({ color: "never", ...options });
      return { results: resultsSchema.parse(outputs.results?.value), changes: summary.resourceChanges ?? {} };
    },
    onHost: (host, script) => runInHost(name, host, script),
    hosts: () =>
      hostsOf(name)
        .map(({ host }) => host)
        .sort(),
    storedState: () =>
      readFileSync(`${engine.directory}/state/.pulumi/stacks/${project.name}/${name}.json`, "utf8"),
    dispose: async () => {
      await stack.destroy({ color: "never" });
      engine.dispose();
    },
  };
}

/** An iperf3 case that is over soon. */
export function shortCase(id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, tool: "iperf3", durationSeconds: 1, ...more };
}
