/**
 * The package as other projects get it: packed, installed, compiled, imported, previewed by the real engine. Does not
 * prove what a registry does to it, nor that the clouds' real providers take what is previewed.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ConsumerArgs,
  makeConsumer,
  type Packed,
  packLibrary,
  previewConsumer,
  ROOT,
  readmeProgram,
  run,
} from "../helpers/consumers.ts";
import { typeErrors } from "../helpers/type-errors.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-package-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let packed: Packed;
beforeAll(async () => {
  packed = await packLibrary(directory);
});

const entries = ["", "/azure", "/aws", "/local", "/bench", "/report"].map((path) => `egress-bench${path}`);

describe("the package", () => {
  test("holds what runs and nothing of the tests, the tools or the state", () => {
    expect(packed.files).toContain("dist/agent/agent.py");
    expect(packed.files).toContain("dist/components/local/lab/main.js");
    expect(packed.files).toContain("dist/components/index.d.ts");
    const expected =
      /^(dist\/((agent|bench|components|report|results|_virtual)\/|package\.json$|zod-types\.d\.ts$)|[A-Z]+\.md$|LICENSE$|package\.json$)/;
    expect(packed.files.filter((path) => !expected.test(path))).toEqual([]);
  });

  test("is clean to publint", async () => {
    expect(await run(`${ROOT}node_modules/.bin/publint`, ["--strict", packed.tarball], ROOT)).toContain(
      "All good!",
    );
  });

  test("has the right types for every way to resolve it", async () => {
    const told = await run(`${ROOT}node_modules/.bin/attw`, [packed.tarball, "--format", "json"], ROOT);
    const { analysis } = JSON.parse(told);
    expect(Object.keys(analysis.entrypoints)).toHaveLength(entries.length + 1);
    expect(analysis.problems).toEqual([]);
  });

  test("brings little, one SDK, and no cloud's provider that nobody asked for", async () => {
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
      fflate: "0.8.3",
      jstat: expect.any(String),
      sshpk: expect.any(String),
      yaml: expect.any(String),
      zod: expect.any(String),
    });
  });

  test("runs its own programs from where it is installed", async () => {
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
      const program = `const entries = ${JSON.stringify(entries)};
${use}.then(([root, azure, aws, local, bench, report]) => console.log(JSON.stringify([
  [root.BenchmarkRun, azure.NatInstance, aws.FckNat, local.NatInstance, report.toHtml].map((value) => typeof value),
  bench.parsePlan("quick").cases.length,
])));`;
      const told = await run(process.execPath, [`--input-type=${type}`, "--eval", program], directory);
      expect(JSON.parse(told)).toEqual([Array(5).fill("function"), 7]);
    },
  );
});

const compilerOptions = {
  strict: true,
  target: "es2020",
  noEmit: true,
  noFallthroughCasesInSwitch: true,
  noImplicitReturns: true,
};

describe("its declarations compile without skipLibCheck", () => {
  test.each([
    ["commonjs", "node", "commonjs"],
    ["node16", "node16", "commonjs"],
    ["nodenext", "nodenext", "module"],
    ["esnext", "bundler", "commonjs"],
  ])("with module %s and moduleResolution %s in a package of type %s", (module, moduleResolution, type) => {
    const library = join(packed.packages, "egress-bench");
    const own = makeConsumer(directory, {
      name: `types-${moduleResolution}`,
      files: {
        "package.json": JSON.stringify({ type }),
        "tsconfig.json": JSON.stringify({
          compilerOptions: { ...compilerOptions, module, moduleResolution },
        }),
        "azure.ts": readmeProgram("azure"),
        "aws.ts": readmeProgram("aws"),
        "all.ts": entries.map((entry, at) => `export * as entry${at} from "${entry}";`).join("\n"),
      },
    });
    const isOurs = (file: string) => file.startsWith(own) || file.startsWith(library);
    // Of Pulumi's template all that `tsc` checks, the clouds' SDKs too: as long again as the other three together.
    const whose = moduleResolution === "node" ? () => true : isOurs;
    expect(typeErrors(own, whose)).toEqual([]);
  });

  test("and are those of the sources, although they name no zod", async () => {
    const same = (name: string) => `Same<Built.${name}, Source.${name}>`;
    const names = ["Results", "Plan", "Case", "RunReport", "RunSpec", "Summary"];
    const own = makeConsumer(directory, {
      name: "same",
      files: {
        "package.json": '{ "type": "module" }',
        "same.ts": `import type * as Built from "egress-bench/bench";
import type * as Source from "${ROOT}bench/index.ts";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export const same: [${names.map(same)}] = [${names.map(() => true)}];
`,
      },
    });
    writeFileSync(
      join(own, "tsconfig.json"),
      JSON.stringify({
        extends: `${ROOT}tsconfig.json`,
        compilerOptions: { rewriteRelativeImportExtensions: false },
        // jStat comes without declarations; the sources have their own.
        include: ["same.ts", `${ROOT}bench/statistics/jstat.d.ts`],
      }),
    );
    await run(process.execPath, [`${ROOT}node_modules/typescript/bin/tsc`, "-p", "."], own);
  });
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
const azureTypes = ["egress-bench:azure:NatInstance", "azure-native:compute:VirtualMachine"];
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
    expect(await previewConsumer(directory, args)).toEqual(expect.arrayContaining([...types]));
  });
});

const clients = { privateCidrs: "10.0.1.0/24, 10.0.2.0/24", sshAllowedCidrs: "203.0.113.7/32" };

describe.concurrent("a project that `pulumi new` makes", () => {
  test("of aws-nat-instance", async () => {
    const place = { vpcId: "vpc-12345678", publicSubnetId: "subnet-12345678", "aws:region": "us-east-1" };
    const config = { ...place, ...clients, privateRouteTableIds: "rtb-12345678,rtb-23456789" };
    const types = await previewConsumer(directory, { name: "aws-new", template: "aws-nat-instance", config });
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
    const types = await previewConsumer(directory, {
      name: "azure-new",
      template: "azure-nat-instance",
      config,
    });
    expect(types).toContain("egress-bench:azure:NatInstance");
  });
});
