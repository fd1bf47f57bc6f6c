/** The real Pulumi engine with stand-ins for aws and command. */
import { readFileSync, writeFileSync } from "node:fs";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { type CloudEngine, createCloudEngine, ROOT, topologiesProgram } from "../cloud-engine.ts";
import { storedCloud } from "../cloud-service.ts";
import { installPlugin } from "../plugin-program.ts";
import { type Ec2State, FakeEc2 } from "./fake-ec2.ts";

export interface AwsEngine extends CloudEngine {
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
  cloud(): Ec2State;
  /** The provider's last configuration. */
  configured(): {
    readonly args: Record<string, unknown>;
    readonly environment: Record<string, string | null>;
  };
  /** Changes the cloud behind Pulumi's back. */
  changeCloud(change: (state: Ec2State) => void): void;
}

interface AwsEngineOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether each operation starts program and plugins, as in normal use. @default false */
  readonly startsAll?: boolean;
}

export function createAwsEngine(options: AwsEngineOptions = {}): AwsEngine {
  const engine = createCloudEngine({ provider: "aws", ...options });
  const { common, open, cloudFile, faultFile, measuring } = engine;
  if (options.startsAll) {
    const home = common.environment.PULUMI_HOME as string;
    installPlugin(home, "aws", "7.48.0", new URL("aws.ts", import.meta.url), cloudFile, faultFile);
    const command = new URL("../azure-native-standin/command.ts", import.meta.url);
    installPlugin(home, "command", "1.2.1", command, faultFile);
  }
  const cloud = () => storedCloud<Ec2State>(cloudFile) ?? new FakeEc2().state;
  return {
    ...common,
    cloud,
    async stack(file, overrides = {}) {
      common.configure(file, overrides);
      return open(file, topologiesProgram("aws"), true);
    },
    async wholeStack(file, overrides = {}) {
      common.configure(file, overrides);
      return open(file, `${measuring}${wholeProgram}`, false);
    },
    configured: () => JSON.parse(readFileSync(`${cloudFile}.configured`, "utf8")),
    changeCloud(change) {
      const state = cloud();
      change(state);
      writeFileSync(cloudFile, JSON.stringify(state));
    },
  };
}

const wholeProgram = `import { readStackConfig } from "${ROOT}stacks/config.ts";
import { deploy } from "${ROOT}stacks/deploy.ts";
await deploy(readStackConfig());
`;
