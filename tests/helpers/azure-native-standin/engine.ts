/** The real Pulumi engine with stand-ins for azure-native and command. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parseDocument, stringify } from "yaml";
import { type AttachedProcess, startAttached } from "../attached/start.ts";
import { type CloudFault, writeFault } from "../cloud-faults.ts";
import { createEngine, type Engine, savingAtEnd } from "../pulumi.ts";
import type { ComponentProgram } from "./component-program.ts";
import type { ArmState } from "./fake-arm.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** A resource in the state. */
export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly custom: boolean;
  readonly id?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly dependencies?: readonly string[];
}

export interface AzureEngine {
  /** The project's directory; its stack files are in `stacks`. */
  readonly project: string;
  /** See {@link Engine.environment}. */
  readonly environment: Engine["environment"];
  /**
   * Makes a stack from one of the project's stack files, for an operator at 203.0.113.7.
   *
   * @param overrides Configuration keys that replace the file's.
   */
  stack(file: string, program: Program, overrides?: Record<string, unknown>): Promise<Stack>;
  /** Makes a stack of components; {@link AzureEngine.program} changes their program. */
  componentStack(name: string, program: ComponentProgram): Promise<Stack>;
  /** Makes or updates a stack of components, each in its own network. */
  eachStack(components: ComponentProgram["components"]): Promise<Stack>;
  /** Sets the program of a stack of components. */
  program(program: ComponentProgram): void;
  /** Sets the current fault; undefined: none. */
  setFault(fault: CloudFault | undefined): void;
  /** Rewrites the stack's configuration. */
  configure(file: string, overrides: Record<string, unknown>): void;
  /** The cloud's present state. */
  cloud(): ArmState;
  /** Time and CPU of the last run of a `whole` program. */
  measured(): { readonly seconds: number; readonly cpuSeconds: number; readonly megabytes: number };
  resources(stack: Stack): Promise<StateResource[]>;
  /** The state as it is stored, secrets encrypted. */
  storedState(stack: Stack): string;
  dispose(): void;
}

/**
 * `topologies`: the cloud's resources without a benchmark, in a process that outlives an operation, like the stand-ins;
 * `whole`: the full `pulumi up`, in its own process as in normal use.
 */
type Program = "topologies" | "whole";

const programs: Record<Program, (measureFile: string) => string> = {
  topologies:
    () => `import { deployTopologies } from "${ROOT}tests/helpers/azure-native-standin/program.ts"; deployTopologies();
`,
  whole: (measureFile) => `import { writeFileSync } from "node:fs";
const measure = () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return { seconds: process.uptime(), cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, megabytes: maxRSS / 1024 };
};
process.on("exit", () => writeFileSync("${measureFile}", JSON.stringify(measure())));
await import("${ROOT}index.ts");
`,
};

/** Makes an engine with its own cloud. */
export function createAzureEngine(): AzureEngine {
  const engine = createEngine(savingAtEnd);
  const project = join(engine.directory, "project");
  const cloudFile = join(engine.directory, "cloud.json");
  const faultFile = join(engine.directory, "fault.json");
  const measureFile = join(engine.directory, "measured.json");
  mkdirSync(project);
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  const projectFile = readFileSync(join(ROOT, "Pulumi.yaml"), "utf8");
  writeFileSync(
    join(project, "Pulumi.yaml"),
    projectFile
      .replace(/^stackConfigDir: .*$/m, "stackConfigDir: stacks")
      .replace("./stacks/quick-start.ts", join(ROOT, "stacks/quick-start.ts")),
  );
  mkdirSync(join(project, "stacks"));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');

  const programFile = join(project, "index.ts");
  let attached: Promise<AttachedProcess> | undefined;
  const configure = (file: string, overrides: Record<string, unknown>) => {
    const path = join(project, "stacks", `Pulumi.${file}.yaml`);
    const document = parseDocument(readFileSync(join(ROOT, "stacks", `Pulumi.${file}.yaml`), "utf8")).toJS();
    const config = { ...document.config, "ssh:allowedCidrs": ["203.0.113.7/32"], ...overrides };
    writeFileSync(path, stringify({ ...document, config }));
  };
  const open = async (name: string, runsHere: boolean): Promise<Stack> => {
    const stack = await engine.projectStack(name, project);
    attached ??= startAttached(
      { providers: { "azure-native": cloudFile, command: null }, faults: faultFile, program: programFile },
      project,
      engine.environment,
    );
    const { providers, language } = await attached;
    Object.assign(stack.workspace.envVars, providers, runsHere ? language : {});
    return stack;
  };
  const write = (program: ComponentProgram) =>
    writeFileSync(
      programFile,
      `import { deployComponents } from "${ROOT}tests/helpers/azure-native-standin/component-program.ts";
deployComponents(${JSON.stringify(program)});
`,
    );
  return {
    project,
    environment: engine.environment,
    eachStack(components) {
      const program = `${ROOT}tests/helpers/azure-native-standin/component-program.ts`;
      writeFileSync(
        programFile,
        `import { deployEach } from "${program}";\ndeployEach(${JSON.stringify(components)});\n`,
      );
      writeFileSync(join(project, "stacks", "Pulumi.each.yaml"), "config: {}\n");
      return open("each", true);
    },
    configure,
    setFault: (fault) => writeFault(faultFile, fault),
    async stack(file, program, overrides = {}) {
      configure(file, overrides);
      writeFileSync(programFile, programs[program](measureFile));
      return open(file, program === "topologies");
    },
    program: write,
    componentStack(name, program) {
      write(program);
      writeFileSync(join(project, "stacks", `Pulumi.${name}.yaml`), "config: {}\n");
      return open(name, true);
    },
    cloud: () =>
      existsSync(cloudFile) ? JSON.parse(readFileSync(cloudFile, "utf8")) : { resources: {}, requests: [] },
    measured: () => JSON.parse(readFileSync(measureFile, "utf8")),
    resources: async ({ name }) =>
      JSON.parse(engine.storedState(name, "egress-bench")).checkpoint.latest.resources ?? [],
    storedState: ({ name }) => engine.storedState(name, "egress-bench"),
    dispose: () => {
      attached?.then(({ stop }) => stop());
      engine.dispose();
    },
  };
}
