/** The real Pulumi engine with stand-ins for azure-native and command. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { type CloudEngine, createCloudEngine, ROOT, topologiesProgram } from "../cloud-engine.ts";
import { storedCloud } from "../cloud-service.ts";
import type { ComponentProgram } from "./component-program.ts";
import type { ArmState } from "./fake-arm.ts";

export interface AzureEngine extends CloudEngine {
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
  cloud(): ArmState;
}

/**
 * `topologies`: the cloud's resources without a benchmark, in a process that outlives an operation, like the stand-ins;
 * `whole`: the full `pulumi up`, in its own process as in normal use.
 */
type Program = "topologies" | "whole";

export function createAzureEngine(): AzureEngine {
  const { common, open, programFile, cloudFile, measuring } = createCloudEngine({ provider: "azure-native" });
  const components = (deploy: string, what: object) =>
    `import { ${deploy} } from "${ROOT}tests/helpers/azure-native-standin/component-program.ts";
${deploy}(${JSON.stringify(what)});
`;
  const openComponents = (name: string, program: string) => {
    writeFileSync(join(common.project, "stacks", `Pulumi.${name}.yaml`), "config: {}\n");
    return open(name, program, true);
  };
  return {
    ...common,
    async stack(file, program, overrides = {}) {
      common.configure(file, overrides);
      return program === "topologies"
        ? open(file, topologiesProgram("azure"), true)
        : open(file, `${measuring}await import("${ROOT}index.ts");\n`, false);
    },
    eachStack: (cases) => openComponents("each", components("deployEach", cases)),
    componentStack: (name, program) => openComponents(name, components("deployComponents", program)),
    program: (program) => writeFileSync(programFile, components("deployComponents", program)),
    cloud: () => storedCloud<ArmState>(cloudFile) ?? { resources: {}, requests: [] },
  };
}
