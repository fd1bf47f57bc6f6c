/**
 * The library with the oldest packages that its peer ranges allow, installed by npm as somebody else's project would:
 * compiled and previewed.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AttachedProcess } from "../helpers/attached/start.ts";
import {
  makeConsumer,
  packLibrary,
  previewConsumer,
  ROOT,
  readmeProgram,
  run,
  startStandIns,
} from "../helpers/consumers.ts";
import { typeErrors } from "../helpers/type-errors.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-lowest-`);
const project = join(directory, "project");
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const { peerDependencies, devDependencies } = JSON.parse(
  readFileSync(`${ROOT}package.json`, "utf8"),
) as Record<"peerDependencies" | "devDependencies", Record<string, string>>;
/** `^3.209.0` allows 3.209.0 first. */
const lowest = Object.entries(peerDependencies).map(
  ([name, range]) => [name, range.replace(/^\^/, "")] as const,
);

beforeAll(async () => {
  const { tarball } = await packLibrary(directory);
  mkdirSync(project);
  const own = {
    typescript: devDependencies["typescript-5"]?.replace(/^npm:typescript@/, ""),
    "@types/node": devDependencies["@types/node"],
  };
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ dependencies: { ...Object.fromEntries(lowest), ...own, "egress-bench": tarball } }),
  );
  await run("npm", ["install", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], project);
}, 300_000);

test("are installed, one copy each, in the ranges' lowest versions", () => {
  for (const [name, version] of lowest) {
    const manifest = JSON.parse(readFileSync(join(project, "node_modules", name, "package.json"), "utf8"));
    expect([name, manifest.version]).toEqual([name, version]);
  }
  const { packages } = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8"));
  const sdks = Object.keys(packages).filter((path) => path.endsWith("node_modules/@pulumi/pulumi"));
  expect(sdks).toEqual(["node_modules/@pulumi/pulumi"]);
});

test("compile, without skipLibCheck for our own declarations", () => {
  const own = makeConsumer(project, {
    name: "types",
    files: {
      "package.json": '{ "type": "module" }',
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          strict: true,
          target: "es2020",
          noEmit: true,
          module: "nodenext",
          moduleResolution: "nodenext",
        },
      }),
      "azure.ts": readmeProgram("azure"),
      "aws.ts": readmeProgram("aws"),
      "report.ts": 'export { toHtml } from "egress-bench/report";\n',
    },
  });
  const library = join(project, "node_modules/egress-bench/");
  const isOurs = (file: string) => file.startsWith(own) || file.startsWith(library);
  expect(typeErrors(own, isOurs)).toEqual([]);
});

let standIns: AttachedProcess;
beforeAll(async () => {
  standIns = await startStandIns(directory);
});
afterAll(() => standIns.stop());

test.each([
  ["azure", "azure-native:network:NatGateway"],
  ["aws", "aws:autoscaling/group:Group"],
] as const)("preview README's program on %s", async (cloud, type) => {
  const args = {
    name: `preview-${cloud}`,
    options: { typescript: false },
    files: {
      "package.json": JSON.stringify({ name: `preview-${cloud}`, type: "module", main: "index.ts" }),
      "index.ts": readmeProgram(cloud),
    },
  };
  const types = await previewConsumer(project, args, { standIns });
  expect(types).toContain(type);
});

test("draw the report", async () => {
  const program = `import { makeReport, readInput, toHtml } from "egress-bench/report";
import { readFileSync } from "node:fs";
const read = readInput("results", readFileSync(process.argv[1], "utf8"));
console.log(toHtml(makeReport(read, { madeAt: "2026-11-22T00:00:00Z" })).length > 10_000);`;
  const results = `${ROOT}tests/fixtures/results/small-run.json`;
  expect(await run(process.execPath, ["--input-type=module", "--eval", program, results], project)).toBe(
    "true\n",
  );
});
