/** The real Pulumi engine with stand-ins for aws and command. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parseDocument, stringify } from "yaml";
import { type AttachedProcess, startAttached } from "../attached/start.ts";
import type { StateResource } from "../azure-native-standin/engine.ts";
import { type CloudFault, writeFault } from "../cloud-faults.ts";
import { installPlugin } from "../plugin-program.ts";
import { createEngine, savingAtEnd } from "../pulumi.ts";
import type { Ec2State } from "./fake-ec2.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

export interface AwsEngine {
  /** The project's directory; its stack files are in `stacks`. */
  readonly project: string;
  /**
   * Makes a stack from one of the project's stack files, for an operator at 203.0.113.7, without a benchmark. The program
   * and the stand-ins run in a process that outlives an operation.
   *
   * @param overrides Configuration keys that replace the file's.
   */
  stack(file: string, overrides?: Record<string, unknown>): Promise<Stack>;
  /**
   * {@link AwsEngine.stack} with the project's whole program, including the benchmark, whose commands print nothing.
   * The program runs in its own process, as in normal use.
   */
  wholeStack(file: string, overrides?: Record<string, unknown>): Promise<Stack>;
  /** Sets the current fault; undefined: none. */
  setFault(fault: CloudFault | undefined): void;
  /** Makes a stack from a program's text in the project's root, run like {@link AwsEngine.stack}. */
  programStack(program: string): Promise<Stack>;
  /** Rewrites the stack's configuration. */
  configure(file: string, overrides: Record<string, unknown>): void;
  /** The cloud's present state. */
  cloud(): Ec2State;
  /** The provider's last configuration. */
  configured(): {
    readonly args: Record<string, unknown>;
    readonly environment: Record<string, string | null>;
  };
  /** Changes the cloud behind Pulumi's back. */
  changeCloud(change: (state: Ec2State) => void): void;
  /** Time and memory of the last run of a {@link AwsEngine.wholeStack}. */
  measured(): { readonly seconds: number; readonly megabytes: number };
  resources(stack: Stack): Promise<StateResource[]>;
  dispose(): void;
}

interface AwsEngineOptions {
  /** The operator's environment variables, besides those of all tests. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether each operation starts program and plugins, as in normal use. @default false */
  readonly startsAll?: boolean;
}

/** Makes an engine with its own cloud. */
export function createAwsEngine({ environment = {}, startsAll = false }: AwsEngineOptions = {}): AwsEngine {
  const engine = createEngine({ ...savingAtEnd, ...environment });
  const project = join(engine.directory, "project");
  const cloudFile = join(engine.directory, "cloud.json");
  const faultFile = join(engine.directory, "fault.json");
  const measureFile = join(engine.directory, "measured.json");
  const home = engine.environment.PULUMI_HOME as string;
  mkdirSync(join(project, "stacks"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  const projectFile = readFileSync(join(ROOT, "Pulumi.yaml"), "utf8");
  writeFileSync(
    join(project, "Pulumi.yaml"),
    projectFile
      .replace(/^stackConfigDir: .*$/m, "stackConfigDir: stacks")
      .replace("./stacks/quick-start.ts", join(ROOT, "stacks/quick-start.ts")),
  );
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  if (startsAll) {
    installPlugin(home, "aws", "7.48.0", new URL("aws.ts", import.meta.url), cloudFile, faultFile);
    const command = new URL("../azure-native-standin/command.ts", import.meta.url);
    installPlugin(home, "command", "1.2.1", command, faultFile);
  }

  let attached: Promise<AttachedProcess> | undefined;
  /** @param runsProgram Whether the stand-ins' process runs the program. */
  const openStack = async (name: string, program: string, runsProgram: boolean): Promise<Stack> => {
    const file = join(project, "index.ts");
    writeFileSync(file, program);
    const stack = await engine.projectStack(name, project);
    if (!startsAll) {
      attached ??= startAttached(
        { providers: { aws: cloudFile, command: null }, faults: faultFile, program: file },
        project,
        engine.environment,
      );
      const { providers, language } = await attached;
      Object.assign(stack.workspace.envVars, providers, runsProgram ? language : {});
    }
    return stack;
  };
  const cloud = (): Ec2State => JSON.parse(readFileSync(cloudFile, "utf8"));
  const configure = (file: string, overrides: Record<string, unknown>) => {
    const name = `Pulumi.${file}.yaml`;
    const path = join(project, "stacks", name);
    const document = parseDocument(readFileSync(join(ROOT, "stacks", name), "utf8")).toJS();
    const config = { ...document.config, "ssh:allowedCidrs": ["203.0.113.7/32"], ...overrides };
    writeFileSync(path, stringify({ ...document, config }));
  };
  return {
    project,
    configure,
    cloud,
    setFault: (fault) => writeFault(faultFile, fault),
    stack(file, overrides = {}) {
      configure(file, overrides);
      return openStack(file, topologiesProgram, true);
    },
    wholeStack(file, overrides = {}) {
      configure(file, overrides);
      return openStack(file, wholeProgram(measureFile), false);
    },
    programStack: (program) => openStack("program", program.replaceAll('from "./', `from "${ROOT}`), true),
    configured: () => JSON.parse(readFileSync(`${cloudFile}.configured`, "utf8")),
    changeCloud(change) {
      const state = cloud();
      change(state);
      writeFileSync(cloudFile, JSON.stringify(state));
    },
    measured: () => JSON.parse(readFileSync(measureFile, "utf8")),
    resources: async ({ name }) =>
      JSON.parse(engine.storedState(name, "egress-bench")).checkpoint.latest.resources ?? [],
    dispose: () => {
      attached?.then(({ stop }) => stop());
      engine.dispose();
    },
  };
}

const topologiesProgram = `import { deployTopologies } from "${ROOT}tests/helpers/aws-standin/program.ts";
deployTopologies();
`;

function wholeProgram(measureFile: string): string {
  return `import { writeFileSync } from "node:fs";
import { readStackConfig } from "${ROOT}stacks/config.ts";
import { deploy } from "${ROOT}stacks/deploy.ts";
process.on("exit", () => writeFileSync("${measureFile}", JSON.stringify({ seconds: process.uptime(), megabytes: process.resourceUsage().maxRSS / 1024 })));
await deploy(readStackConfig());
`;
}
