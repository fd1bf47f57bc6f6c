/** The real Pulumi engine with stand-ins for a cloud's provider and for command. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { parseDocument, stringify } from "yaml";
import { type AttachedProcess, startAttached } from "./attached/start.ts";
import { type CloudFault, writeFault } from "./cloud-faults.ts";
import { createEngine, type Engine, savingAtEnd } from "./pulumi.ts";

/** The checkout, with a slash at its end. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

export interface StateResource {
  readonly urn: string;
  readonly type: string;
  readonly custom: boolean;
  readonly id?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly dependencies?: readonly string[];
}

export interface CloudEngine {
  /** The project's directory; its stack files are in `stacks`. */
  readonly project: string;
  /** See {@link Engine.environment}. */
  readonly environment: Engine["environment"];
  /** Rewrites a stack's configuration: the file's, for an operator at 203.0.113.7, with these keys replaced. */
  configure(file: string, overrides: Record<string, unknown>): void;
  /** Makes a stack from a program's text in the project's root, run in a process that outlives an operation. */
  programStack(program: string): Promise<Stack>;
  /** Sets the current fault; undefined: none. */
  setFault(fault: CloudFault | undefined): void;
  /** Time, CPU and memory of the last program that begins with {@link measuring}. */
  measured(): { readonly seconds: number; readonly cpuSeconds: number; readonly megabytes: number };
  resources(stack: Stack): Promise<StateResource[]>;
  /** The state as it is stored, secrets encrypted. */
  storedState(stack: Stack): string;
  dispose(): void;
}

interface CloudEngineArgs {
  readonly provider: "aws" | "azure-native";
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether each operation starts program and plugins, as in normal use. */
  readonly startsAll?: boolean;
}

export function createCloudEngine({ provider, environment = {}, startsAll = false }: CloudEngineArgs) {
  const engine = createEngine({ ...savingAtEnd, ...environment });
  const [project, cloudFile, faultFile, measureFile] = [
    "project",
    "cloud.json",
    "fault.json",
    "measured.json",
  ].map((name) => join(engine.directory, name)) as [string, string, string, string];
  mkdirSync(join(project, "stacks"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  const projectFile = readFileSync(join(ROOT, "Pulumi.yaml"), "utf8").replace(
    /^stackConfigDir: .*$/m,
    "stackConfigDir: stacks",
  );
  writeFileSync(join(project, "Pulumi.yaml"), projectFile);
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');

  const programFile = join(project, "index.ts");
  let attached: Promise<AttachedProcess> | undefined;
  /**
   * Opens a stack of a program, which runs with the stand-ins in a process that outlives an operation.
   *
   * @param runsProgram Whether that process also runs the program, rather than one of its own.
   */
  const open = async (name: string, program: string, runsProgram: boolean): Promise<Stack> => {
    writeFileSync(programFile, program);
    const stack = await engine.projectStack(name, project);
    if (!startsAll) {
      attached ??= startAttached(
        { providers: { [provider]: cloudFile, command: null }, faults: faultFile, program: programFile },
        project,
        engine.environment,
      );
      const { providers, language } = await attached;
      Object.assign(stack.workspace.envVars, providers, runsProgram ? language : {});
    }
    return stack;
  };
  const storedState = ({ name }: Stack) => engine.storedState(name, "egress-bench");
  const common: CloudEngine = {
    project,
    environment: engine.environment,
    configure(file, overrides) {
      const name = `Pulumi.${file}.yaml`;
      const document = parseDocument(readFileSync(join(ROOT, "stacks", name), "utf8")).toJS();
      const config = { ...document.config, "ssh:allowedCidrs": ["203.0.113.7/32"], ...overrides };
      writeFileSync(join(project, "stacks", name), stringify({ ...document, config }));
    },
    programStack: (program) => open("program", program.replaceAll('from "./', `from "${ROOT}`), true),
    setFault: (fault) => writeFault(faultFile, fault),
    measured: () => JSON.parse(readFileSync(measureFile, "utf8")),
    resources: async (stack) => JSON.parse(storedState(stack)).checkpoint.latest.resources ?? [],
    storedState,
    dispose: () => {
      attached?.then(({ stop }) => stop());
      engine.dispose();
    },
  };
  return { common, open, programFile, cloudFile, faultFile, measuring: measuring(measureFile) };
}

/** The text of a program that deploys a stack file's topologies, without a benchmark. */
export function topologiesProgram(cloud: "aws" | "azure"): string {
  return `import { ${cloud} } from "${ROOT}stacks/${cloud}.ts";
import { deployTopologies } from "${ROOT}tests/helpers/stack-program.ts";
deployTopologies("${cloud}", ${cloud});
`;
}

/** The start of a program that writes down its time, CPU and memory at its end. */
const measuring = (file: string) => `import { writeFileSync } from "node:fs";
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
  const measured = { seconds: process.uptime(), cpuSeconds, megabytes: maxRSS / 1024 };
  writeFileSync("${file}", JSON.stringify(measured));
});
`;
