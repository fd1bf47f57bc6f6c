/**
 * The package as other projects get it: packed, installed, imported, previewed by the real engine; its types:
 * `types.test.ts`. Does not
 * prove what a registry does to it, nor that the clouds' real providers take what is previewed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AttachedProcess } from "../helpers/attached/start.ts";
import {
  type ConsumerArgs,
  ENTRIES,
  makeConsumer,
  type Packed,
  packLibrary,
  previewConsumer,
  ROOT,
  readmeProgram,
  run,
  startStandIns,
} from "../helpers/consumers.ts";
import { blocksOf } from "../helpers/doc-blocks.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-package-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let packed: Packed;
let standIns: AttachedProcess;
beforeAll(async () => {
  packed = await packLibrary(directory);
  standIns = await startStandIns(directory);
});
afterAll(() => standIns.stop());

test("the unit test of docs/library.md passes in a project", async () => {
  const text = blocksOf("docs/library.md").find(({ words }) => words[0] === "test")?.text ?? "";
  const files = { "package.json": '{ "type": "module" }', "stack.test.ts": text };
  const own = makeConsumer(directory, { name: "unit-test", files });
  expect(await run(process.execPath, ["--test", "--test-reporter=tap"], own)).toContain("# pass 2\n");
});

test.each(["aws", "azure", "local"])("README's program runs with the mocks: %s", async (cloud) => {
  const text = `
    import { test } from "node:test";
    import * as pulumi from "@pulumi/pulumi";
    import { mocks } from "egress-bench/testing";
    await pulumi.runtime.setMocks(mocks());
    test("known", async () => {
      const outputs = Object.entries(await import("./index.ts"));
      for (const [name, output] of outputs) {
        await new Promise((known) => pulumi.output(output).apply(known));
        console.log("known:", name);
      }
    });`;
  const files = {
    "package.json": '{ "type": "module" }',
    "index.ts": readmeProgram(cloud),
    "stack.test.ts": text,
  };
  const own = makeConsumer(directory, { name: `mocked-${cloud}`, files });
  const said = await run(process.execPath, ["--test", "--test-reporter=tap"], own);
  expect(said).toContain("# pass 1\n");
  expect(said).toMatch(/known: (publicIps|appsSubnetId|results)/);
});

describe("the package", () => {
  test("contains the running code and nothing of the tests, the tools or the state", () => {
    expect(packed.files).toContain("dist/agent/agent.py");
    expect(packed.files).toContain("dist/components/aws/operators/route_switch.py");
    expect(packed.files).toContain("dist/components/local/lab/host-init.sh");
    expect(packed.files).toContain("dist/components/local/lab/main.js");
    expect(packed.files).toContain("dist/components/index.d.ts");
    const expected =
      /^(dist\/((agent|bench|cli|components|packages|report|results|stacks|_virtual)\/|package\.json$|zod-types\.d\.ts$)|[A-Z]+\.md$|LICENSE$|package\.json$)/;
    expect(packed.files.filter((path) => !expected.test(path))).toEqual([]);
  });

  test("passes publint", async () => {
    expect(await run(`${ROOT}node_modules/.bin/publint`, ["--strict", packed.tarball], ROOT)).toContain(
      "All good!",
    );
  });

  test("has the right types for every way to resolve it", async () => {
    const reported = await run(`${ROOT}node_modules/.bin/attw`, [packed.tarball, "--format", "json"], ROOT);
    const { analysis } = JSON.parse(reported);
    expect(Object.keys(analysis.entrypoints)).toHaveLength(ENTRIES.length + 1);
    expect(analysis.problems).toEqual([]);
  });

  test("installs little, one SDK, and no unrequested provider of a cloud", async () => {
    const own = makeConsumer(directory, {
      name: "installed",
      files: {
        "package.json": JSON.stringify({
          dependencies: { "@pulumi/pulumi": "^3.113.0", "egress-bench": packed.tarball },
        }),
      },
    });
    rmSync(join(own, "node_modules"));
    const quick = ["--package-lock-only", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    await run("npm", ["install", ...quick], own);
    const { packages } = JSON.parse(await run("cat", ["package-lock.json"], own));
    const names = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ""));
    expect(names.filter((name) => name === "@pulumi/pulumi")).toHaveLength(1);
    expect(names.filter((name) => /^(@pulumi\/(aws|azure-native)|echarts)$/.test(name))).toEqual([]);
    expect(packages["node_modules/egress-bench"].dependencies).toEqual({
      commander: expect.any(String),
      "ipaddr.js": expect.any(String),
      "fastest-levenshtein": expect.any(String),
      fflate: "0.8.3",
      "p-limit": expect.any(String),
      jstat: expect.any(String),
      sshpk: expect.any(String),
      yaml: expect.any(String),
      zod: expect.any(String),
    });
  });

  test("runs its own programs from its installation", async () => {
    const program = join(packed.packages, "egress-bench/dist/components/shared/generate-key-pair.js");
    expect(JSON.parse(await run(process.execPath, [program], directory)).publicKey).toMatch(/^ssh-ed25519 /);
  });

  test.each(["module", "commonjs"])(
    "has the same names and classes for a program of type %s",
    async (type) => {
      const use =
        type === "module"
          ? `Promise.all(entries.map((entry) => import(entry)))`
          : `Promise.all(entries.map((entry) => require(entry)))`;
      const program = `const entries = ${JSON.stringify(ENTRIES)};
${use}.then(([root, azure, aws, local, bench, report]) => console.log(JSON.stringify([
  [root.BenchmarkRun, azure.NatInstance, aws.FckNat, local.NatInstance, report.toHtml].map((value) => typeof value),
  bench.parsePlan("quick").cases.length,
])));`;
      const reported = await run(process.execPath, [`--input-type=${type}`, "--eval", program], directory);
      expect(JSON.parse(reported)).toEqual([Array(5).fill("function"), 7]);
    },
  );
});

/** tsconfig.json of Pulumi's TypeScript templates; they had `commonjs` and `node` until March 2026. */
function templateConfig(module: string, moduleResolution: string): string {
  return JSON.stringify({
    compilerOptions: {
      strict: true,
      outDir: "bin",
      target: "es2020",
      module,
      moduleResolution,
      sourceMap: true,
      experimentalDecorators: true,
      pretty: true,
      noFallthroughCasesInSwitch: true,
      noImplicitReturns: true,
      forceConsistentCasingInFileNames: true,
    },
    files: ["index.ts"],
  });
}

function javaScript(program: string): string {
  const { CommonJS: module } = ts.ModuleKind;
  return ts.transpile(program, { module, target: ts.ScriptTarget.ES2022 });
}

const template = { "package.json": '{ "name": "template", "main": "index.ts" }' };
const azureTypes = ["egress-bench:azure:NatGatewayEgress", "azure-native:network:NatGateway"];
const awsTypes = ["egress-bench:aws:NatInstance", "aws:autoscaling/group:Group"];

const consumers: readonly [what: string, args: ConsumerArgs, types: readonly string[]][] = [
  [
    "Pulumi's TypeScript template, ts-node, CommonJS, on the oldest Node",
    {
      name: "template-commonjs",
      node: "20.0.0",
      files: {
        ...template,
        "tsconfig.json": templateConfig("commonjs", "node"),
        "index.ts": readmeProgram("azure"),
      },
    },
    azureTypes,
  ],
  [
    "Pulumi's TypeScript template, ts-node, nodenext",
    {
      name: "template-nodenext",
      files: {
        ...template,
        "tsconfig.json": templateConfig("nodenext", "nodenext"),
        "index.ts": readmeProgram("aws"),
      },
    },
    awsTypes,
  ],
  [
    "an ES module, its types stripped by Node",
    {
      name: "es-module",
      options: { typescript: false },
      files: {
        "package.json": '{ "name": "es-module", "type": "module", "main": "index.ts" }',
        "index.ts": readmeProgram("azure"),
      },
    },
    azureTypes,
  ],
  [
    "Pulumi's JavaScript template, on the oldest Node",
    {
      name: "javascript",
      node: "20.0.0",
      options: { typescript: false },
      files: {
        "package.json": '{ "name": "javascript", "main": "index.js" }',
        "index.js": javaScript(readmeProgram("aws")),
      },
    },
    awsTypes,
  ],
  [
    "a project with tsx",
    {
      name: "tsx",
      node: "22.12.0",
      options: { typescript: false, nodeargs: "--import tsx" },
      files: {
        "package.json": '{ "name": "tsx", "type": "module", "main": "index.ts" }',
        "index.ts": readmeProgram("aws"),
      },
    },
    awsTypes,
  ],
];

describe.concurrent("a preview in a project of one's own", () => {
  test.each(consumers)("%s", async (_, args, types) => {
    // Types are checked in types.test.ts, except those of the present template.
    const checksTypes = args.name === "template-nodenext";
    const made = await previewConsumer(directory, args, { standIns, checksTypes });
    expect(made).toEqual(expect.arrayContaining([...types]));
  });
});

const clients = { privateCidrs: "10.0.1.0/24, 10.0.2.0/24", sshAllowedCidrs: "203.0.113.7/32" };

describe.concurrent("a project that `pulumi new` makes", () => {
  test("of aws-nat-instance", async () => {
    const place = { vpcId: "vpc-12345678", publicSubnetId: "subnet-12345678", "aws:region": "us-east-1" };
    const config = { ...place, ...clients, privateRouteTableIds: "rtb-12345678,rtb-23456789" };
    const args = { name: "aws-new", template: "aws-nat-instance", config };
    const types = await previewConsumer(directory, args, { standIns });
    expect(types).toContain("egress-bench:aws:NatInstance");
    expect(types.filter((type) => type === "aws:ec2/route:Route")).toHaveLength(2);
  });

  test("of azure-nat-instance", async () => {
    const place = {
      resourceGroupName: "rg",
      location: "japaneast",
      subnetId: "/subscriptions/s/subnets/nat",
    };
    const config = { ...place, ...clients };
    const args = { name: "azure-new", template: "azure-nat-instance", config };
    const types = await previewConsumer(directory, args, { standIns });
    expect(types).toContain("egress-bench:azure:NatInstance");
  });
});
