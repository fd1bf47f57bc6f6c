/**
 * The types of the package as other projects get it: its declarations, the templates, and every TypeScript block of the
 * documents and every `@example` of an exported component class. That an example does what it says is not proved here.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ENTRIES,
  makeConsumer,
  type Packed,
  packLibrary,
  ROOT,
  readmeProgram,
} from "../helpers/consumers.ts";
import { allBlocks } from "../helpers/doc-blocks.ts";
import { exportedClasses } from "../helpers/exported-classes.ts";
import { typeErrors } from "../helpers/type-errors.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-types-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let packed: Packed;
beforeAll(async () => {
  packed = await packLibrary(directory);
});

/** The library's files and a project's. All others come with Pulumi's SDKs, and take longer than everything else. */
const oursOr = (project: string) => (file: string) =>
  file.startsWith(project) || file.startsWith(join(packed.packages, "egress-bench/"));

describe("declarations compile without skipLibCheck", () => {
  const compilerOptions = {
    strict: true,
    target: "es2020",
    noEmit: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
  };
  test.each([
    ["commonjs", "node", "commonjs"],
    ["node16", "node16", "commonjs"],
    ["nodenext", "nodenext", "module"],
    ["esnext", "bundler", "commonjs"],
  ])("with module %s and moduleResolution %s in a package of type %s", (module, moduleResolution, type) => {
    const own = makeConsumer(directory, {
      name: `types-${moduleResolution}`,
      files: {
        "package.json": JSON.stringify({ type }),
        "tsconfig.json": JSON.stringify({
          compilerOptions: { ...compilerOptions, module, moduleResolution },
        }),
        "azure.ts": readmeProgram("azure"),
        "aws.ts": readmeProgram("aws"),
        "all.ts": ENTRIES.map((entry, at) => `export * as entry${at} from "${entry}";`).join("\n"),
      },
    });
    // For Pulumi's template, everything that `tsc` checks, including the clouds' SDKs.
    const whose = moduleResolution === "node" ? () => true : oursOr(own);
    expect(typeErrors(own, whose)).toEqual([]);
  });

  test.each(["aws-nat-instance", "azure-nat-instance"])(
    "in a project that `pulumi new` makes of %s",
    (template) => {
      const own = makeConsumer(directory, { name: template, template, config: {} });
      expect(typeErrors(own, oursOr(own))).toEqual([]);
    },
  );

  test("and equal the sources' types, although they do not name zod", () => {
    const same = (name: string) => `Same<Built.${name}, Source.${name}>`;
    const names = ["Results", "Plan", "Case", "RunReport", "RunSpec", "Summary"];
    const own = makeConsumer(directory, {
      name: "same",
      files: {
        "package.json": '{ "type": "module" }',
        "same.ts": `import type * as Built from "egress-bench/bench";
import type * as Source from "${ROOT}bench/index.ts";
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same: [${names.map(same)}] = [${names.map(() => true)}];
`,
        "tsconfig.json": JSON.stringify({
          extends: `${ROOT}tsconfig.json`,
          compilerOptions: { rewriteRelativeImportExtensions: false },
          // jStat has no declarations; the sources have their own.
          include: ["same.ts", `${ROOT}bench/statistics/jstat.d.ts`],
        }),
      },
    });
    expect(typeErrors(own, (file) => file.startsWith(own), ROOT)).toEqual([]);
  });
});

test("an editor shows an option's description in the schema, or the comment above it", () => {
  const own = makeConsumer(directory, {
    name: "hover",
    files: {
      "package.json": '{ "type": "module" }',
      "tsconfig.json": JSON.stringify({ compilerOptions: { module: "nodenext", strict: true } }),
      "hover.ts":
        'import type { BenchPairArgs, NatInstanceArgs } from "egress-bench/aws";\nexport declare const args: BenchPairArgs & NatInstanceArgs;\n',
    },
  });
  const program = ts.createProgram([`${own}/hover.ts`], { module: ts.ModuleKind.NodeNext, strict: true });
  const checker = program.getTypeChecker();
  const declared = program.getSourceFile(`${own}/hover.ts`)?.statements[1] as ts.VariableStatement;
  const type = checker.getTypeAtLocation(declared.declarationList.declarations[0] as ts.Node);
  const words = (name: string) =>
    ts.displayPartsToString(type.getProperty(name)?.getDocumentationComment(checker));
  expect(words("autoHeal")).toContain("Puts the machine into an Auto Scaling group of one");
  expect(words("publicIpCount")).toContain("Public addresses");
  expect(words("clientSubnetId")).toContain("The client's subnet: public where the egress");
});

describe("examples", () => {
  const classes = exportedClasses(
    ["", "azure/", "aws/", "local/"].map((room) => join(ROOT, "components", room, "index.ts")),
  );
  const blocks = allBlocks.filter(({ language }) => language === "ts");
  const programs = [
    ...classes.flatMap(({ name, examples }) => examples.map((text) => [name, text] as const)),
    ...blocks.map(({ place, text }) => [place, text] as const),
  ];

  test("every exported class has one and states its cost", () => {
    console.log(`examples: ${programs.length - blocks.length} of classes, ${blocks.length} of documents`);
    expect(programs.length).toBeGreaterThan(35);
    expect(classes.length).toBeGreaterThan(30);
    expect(classes.filter(({ examples }) => examples.length === 0).map(({ name }) => name)).toEqual([]);
    expect(classes.filter(({ words }) => !/\bcosts?\b/i.test(words)).map(({ name }) => name)).toEqual([]);
  });

  const compilerOptions = {
    ...{
      skipLibCheck: true,
      strict: true,
      target: "es2022",
      module: "nodenext",
      moduleResolution: "nodenext",
    },
    ...{ moduleDetection: "force", noEmit: true },
  };
  test.each(["azure", "aws", "local"] as const)("of %s compile", (cloud) => {
    const own = programs.filter(([, text]) => cloudOf(text) === cloud);
    expect(own.length).toBeGreaterThan(3);
    const project = makeConsumer(directory, {
      name: `examples-${cloud}`,
      files: {
        "package.json": '{ "type": "module" }',
        "tsconfig.json": JSON.stringify({ compilerOptions }),
        "names.d.ts": ambientNames[cloud],
        ...Object.fromEntries(own.map(([name, text]) => [`${name.replaceAll(/[^\w]/g, "-")}.ts`, text])),
      },
    });
    expect(typeErrors(project, (file) => file.startsWith(project))).toEqual([]);
  });
});

/** Names that examples use without declaring them, as an existing project would have them. */

const common: Readonly<Record<string, string>> = {
  pulumi: 'declare const pulumi: typeof import("@pulumi/pulumi");',
  operator: 'declare const operator: import("egress-bench").SshKeyPair;',
  text: "declare const text: string;",
};

const azure: Readonly<Record<string, string>> = {
  ...common,
  group: 'declare const group: import("@pulumi/azure-native/resources/resourceGroup.js").ResourceGroup;',
  network: 'declare const network: import("egress-bench/azure").Network;',
  clientNetwork: 'declare const clientNetwork: import("egress-bench/azure").Network;',
  serverNetwork: 'declare const serverNetwork: import("egress-bench/azure").Network;',
  nat: 'declare const nat: import("egress-bench/azure").NatInstance;',
  pair: 'declare const pair: import("egress-bench/azure").BenchPair;',
  server: 'declare const server: import("egress-bench/azure").BenchServer;',
  ssh: 'declare const ssh: import("egress-bench/azure").SshArgs;',
  ...Object.fromEntries(
    ["natSubnet", "appSubnet", "serverSubnet", "clientGatewaySubnet", "serverGatewaySubnet"].map((name) => [
      name,
      `declare const ${name}: import("@pulumi/azure-native/network/subnet.js").Subnet;`,
    ]),
  ),
};

const ec2 = (name: string, file: string, type: string) =>
  `declare const ${name}: import("@pulumi/aws/ec2/${file}.js").${type};`;

const aws: Readonly<Record<string, string>> = {
  ...common,
  vpc: ec2("vpc", "vpc", "Vpc"),
  otherVpc: ec2("otherVpc", "vpc", "Vpc"),
  publicSubnet: ec2("publicSubnet", "subnet", "Subnet"),
  privateRoutes: ec2("privateRoutes", "routeTable", "RouteTable"),
  publicA: ec2("publicA", "subnet", "Subnet"),
  publicB: ec2("publicB", "subnet", "Subnet"),
  routesA: ec2("routesA", "routeTable", "RouteTable"),
  routesB: ec2("routesB", "routeTable", "RouteTable"),
  network: 'declare const network: import("egress-bench/aws").Network;',
  outside: 'declare const outside: import("egress-bench/aws").NetworkSubnet;',
  apps: 'declare const apps: import("egress-bench/aws").NetworkSubnet;',
  otherRoutes: ec2("otherRoutes", "routeTable", "RouteTable"),
  internetGatewayRoute: ec2("internetGatewayRoute", "route", "Route"),
  nat: 'declare const nat: import("egress-bench/aws").NatInstance;',
  pair: 'declare const pair: import("egress-bench/aws").BenchPair;',
  server: 'declare const server: import("egress-bench/aws").BenchServer;',
  jump: 'declare const jump: import("egress-bench/aws").LinuxHost;',
  ssh: 'declare const ssh: import("egress-bench/aws").SshArgs;',
};

const local: Readonly<Record<string, string>> = {
  ...common,
  far: 'declare const far: import("egress-bench/local").BenchServers;',
  client: 'declare const client: import("egress-bench/local").LabHost;',
  server: 'declare const server: import("egress-bench/local").LabHost;',
};

/** The cloud that an example imports from; `aws` without such an import. */
function cloudOf(example: string): "azure" | "aws" | "local" {
  return /egress-bench\/azure|azure-native/.test(example)
    ? "azure"
    : /egress-bench\/local/.test(example)
      ? "local"
      : "aws";
}

/** Declarations for every file of a program, by cloud; an example's own declarations take precedence. */
const ambientNames = {
  azure: Object.values(azure).join("\n"),
  aws: Object.values(aws).join("\n"),
  local: Object.values(local).join("\n"),
};
