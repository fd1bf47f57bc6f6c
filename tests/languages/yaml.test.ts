/**
 * A program in YAML, run by Pulumi's own YAML language host: it deploys a way out, measures it and exports the figures. In
 * the lab it runs; in both clouds, whose providers are stand-ins, it is previewed. Opt-in: `npm test -- --project
 * languages` builds the host first, 42 s of a processor's time, and keeps it in the user's cache. Not proved: that the host
 * starts the plugin by PulumiPlugin.yaml, and the clouds' real providers.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { resultsSchema } from "../../bench/results/index.ts";
import type { AttachedProcess } from "../helpers/attached/start.ts";
import { type ComponentPlugin, installPlugin, startComponentPlugin } from "../helpers/component-plugin.ts";
import { packLibrary, startStandIns } from "../helpers/consumers.ts";
import { blocksOf } from "../helpers/doc-blocks.ts";
import { createEngine, type Engine, savingAtEnd } from "../helpers/pulumi.ts";
import { languageTools } from "./tools.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-yaml-`);
const documented = blocksOf("packages/pulumi-plugin/README.md").find(({ words }) => words[0] === "program");
let standIns: AttachedProcess;
let plugin: ComponentPlugin;
const engines: Engine[] = [];

beforeAll(async () => {
  await packLibrary(directory);
  standIns = await startStandIns(directory);
  plugin = await startComponentPlugin(directory);
});
afterAll(() => {
  plugin?.stop();
  standIns?.stop();
  for (const engine of engines) engine.dispose();
  rmSync(directory, { recursive: true, force: true });
});

interface Program {
  readonly name: string;
  readonly resources: Readonly<
    Record<"pair" | "run", { readonly type: string; readonly properties: object }>
  > & { readonly key?: object };
}

/** The documented program, for another cloud. */
function programOf(pair: string, properties: object, run: object): Program {
  const { resources, ...rest } = parse(documented?.text ?? "") as Program;
  return {
    ...rest,
    resources: {
      ...(pair !== "LocalBenchPair" && resources.key && { key: resources.key }),
      pair: { type: `egress-bench:${pair}`, properties },
      run: { ...resources.run, properties: { ...resources.run.properties, ...run } },
    },
  };
}

/** The program as a stack. @param providers Providers beside the component plugin */
async function stackOf(name: string, program: Program, providers: string) {
  const engine = createEngine({
    ...savingAtEnd,
    PATH: `${languageTools()}:${process.env.PATH}`,
    PULUMI_IGNORE_AMBIENT_PLUGINS: "false",
    PULUMI_DEBUG_PROVIDERS: [providers, `egress-bench:${plugin.port}`].filter(Boolean).join(","),
  });
  engines.push(engine);
  installPlugin(engine, plugin);
  const own = join(engine.directory, "program");
  mkdirSync(own);
  writeFileSync(join(own, "Pulumi.yaml"), stringify(program));
  return engine.projectStack(name, own);
}

const { ssh } = (parse(documented?.text ?? "") as Program).resources.pair.properties as { ssh: object };
const aws = { zone: "us-east-1a", egress: "nat-instance", instanceType: "c7g.8xlarge", ssh };
const azure = {
  resourceGroupName: "rg",
  location: "japaneast",
  egress: "nat-instance",
  size: "Standard_D2ls_v5",
  ssh,
};

test("the documented program has at most thirty lines", () => {
  expect(documented?.text.split("\n").length).toBeLessThanOrEqual(30);
});

describe("a program in YAML", () => {
  test.each([
    ["aws", programOf("AwsBenchPair", aws, {}), "aws:ec2/instance:Instance"],
    ["azure", programOf("AzureBenchPair", azure, { cloud: "azure" }), "azure-native:compute:VirtualMachine"],
  ])("plans client, NAT instance, server and the benchmark on %s", async (cloud, program, machine) => {
    const stack = await stackOf(cloud, program, standIns.providers.PULUMI_DEBUG_PROVIDERS as string);
    const types: string[] = [];
    await stack.preview({
      onEvent: ({ resourcePreEvent }) => {
        if (resourcePreEvent?.metadata.op === "create") types.push(resourcePreEvent.metadata.type);
      },
    });
    expect(types.filter((type) => type === machine).length).toBeGreaterThanOrEqual(3);
    expect(types).toContain("egress-bench:index:BenchmarkRun");
    expect(types.filter((type) => type === "command:remote:CopyToRemote")).toHaveLength(3);
  });

  test("names a missing argument", async () => {
    const wrong = programOf("LocalBenchPair", { egres: "direct" }, { cloud: "local" });
    const stack = await stackOf("wrong", wrong, "");
    await expect(stack.preview()).rejects.toThrow(/Missing required property 'egress'/);
  });

  test.runIf(process.getuid?.() === 0)("measures the lab and outputs results and summary", async () => {
    const plan = JSON.stringify({ cases: [{ tool: "iperf3", protocol: "tcp", durationSeconds: 1 }] });
    const lab = programOf("LocalBenchPair", { egress: "nat-instance" }, { cloud: "local", plan });
    const stack = await stackOf(`yaml-${process.pid}`, lab, "");
    try {
      const { outputs } = await stack.up();
      const results = resultsSchema.parse(JSON.parse(outputs.results?.value));
      expect(results.cases).toMatchObject([{ topology: "nat-instance", status: "ok" }]);
      expect(results.topologies).toMatchObject([{ path: { status: "proved" } }]);
      expect(results.topologies[0]?.hosts.map(({ role }) => role)).toEqual(["client", "nat"]);
      expect(outputs.summary?.value).toMatch(/^case +nat-instance\n.*\n\S+ +.*bit\/s/);
      const again = await stack.preview();
      expect(again.changeSummary).toEqual({ same: expect.any(Number) });
    } finally {
      await stack.destroy();
    }
  });
});
