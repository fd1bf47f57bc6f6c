/** YAML blocks of the documents match the schemas of a stack's configuration, a plan or a Pulumi program. */
import { readFileSync } from "node:fs";
import * as pulumi from "@pulumi/pulumi";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parsePlan } from "../../bench/index.ts";
import { stackOf } from "../../cli/run/cell-stack.ts";
import { expand } from "../../cli/run/expand.ts";
import { readMatrix } from "../../cli/run/matrix-file.ts";
import { aws } from "../../stacks/aws.ts";
import { azure } from "../../stacks/azure.ts";
import type { Cloud } from "../../stacks/cloud.ts";
import { check, readStackConfig, readTopologies } from "../../stacks/config.ts";
import { hosts } from "../../stacks/hosts.ts";
import { local } from "../../stacks/local.ts";
import { allBlocks, type DocBlock } from "../helpers/doc-blocks.ts";
import { pluginSchema } from "../helpers/plugin-schema.ts";

const clouds: Readonly<Record<string, Cloud>> = { azure, aws, local, hosts } as unknown as Record<
  string,
  Cloud
>;
const plugin = await pluginSchema();

beforeAll(() => {
  const refuse = (what: { type?: string; token?: string }) => {
    throw new Error(`nothing should be made: ${what.type ?? what.token}`);
  };
  pulumi.runtime.setMocks({ newResource: refuse, call: refuse }, "egress-bench", "some-stack");
});

/** Keys of a stack's file, besides the required ones. */
function checkConfiguration(keys: Readonly<Record<string, unknown>>, cloud: string): void {
  const all = { "egress-bench:cloud": cloud, "egress-bench:topologies": ["direct"], ...keys };
  const entries = Object.entries(all).map(([key, value]) => [
    key,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
  pulumi.runtime.setAllConfig(Object.fromEntries(entries));
  const config = readStackConfig();
  const module = clouds[cloud] as Cloud;
  readTopologies(config, module);
  check(module.settings, config.settings, cloud);
}

/** Resources of the component plugin: only existing inputs, and all required ones. */
function checkProgram({
  resources,
}: {
  readonly resources: Readonly<Record<string, { readonly type: string; readonly properties?: object }>>;
}): void {
  for (const { type, properties = {} } of Object.values(resources)) {
    const schema = plugin.resources[type.replace(/^([^:]*):([^:]*)$/, "$1:index:$2")];
    if (schema === undefined) throw new Error(`${type} is no component of the plugin`);
    expect(Object.keys(schema.inputProperties)).toEqual(expect.arrayContaining(Object.keys(properties)));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining([...schema.requiredInputs]));
  }
}

/** Steps of a GitHub workflow: inputs of the project's own action. */
function checkSteps(steps: readonly { readonly with: object }[]): void {
  const { inputs } = parse(readFileSync(new URL("../../action.yml", import.meta.url), "utf8"));
  for (const step of steps)
    expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step.with)));
}

function checkBlock({ text, words }: DocBlock): void {
  const value = parse(text);
  if (Array.isArray(value) && "uses" in value[0]) checkSteps(value);
  else if (Array.isArray(value)) parsePlan({ cases: value });
  else if ("resources" in value) checkProgram(value);
  else if ("axes" in value) expand(readMatrix(text)).map((cell) => stackOf(cell, value, "."));
  else if (Object.keys(value).every((key) => key.includes(":")))
    checkConfiguration(value, words[0] ?? "local");
  else
    throw new Error(
      `expected a list of cases, keys of a stack's file, a Pulumi program, a matrix, or a workflow's steps: ${Object.keys(value)}`,
    );
}

const blocks = allBlocks
  .filter(({ language }) => language === "yaml")
  .map((block) => [block.place, block] as const);

describe("YAML", () => {
  test.each(blocks)("%s", (_, block) => checkBlock(block));

  test.each([
    ["an unknown key", "egress-bench:plann: quick"],
    ["an unknown option", "egress-bench:topologies: [{ topology: nat-instance, sizze: large }]"],
    ["a list where a plan takes one value", "- { tool: iperf3, durationSeconds: [1, 2] }"],
    [
      "an input that the plugin has not",
      "resources: { nat: { type: 'egress-bench:AwsFckNat', properties: { subnet: a } } }",
    ],
    ["something else", "name: x"],
  ])("with %s is refused", (_, text) => {
    expect(() => checkBlock({ place: "here", language: "yaml", words: [], text })).toThrow();
  });
});
