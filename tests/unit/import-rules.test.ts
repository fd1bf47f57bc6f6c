/**
 * The linter's rules on who may import whom, tried on files that break them. That the tree keeps them is the lint
 * part of `npm test`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = mkdtempSync(`${tmpdir()}/egress-bench-imports-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const { vcs: _, ...rules } = JSON.parse(readFileSync(`${root}biome.json`, "utf8"));
writeFileSync(`${directory}/biome.json`, JSON.stringify({ ...rules, $schema: undefined }));

/** Whether the linter refuses a file at that place that imports that module. */
function refused(file: string, module: string): boolean {
  const path = `${directory}/${file}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `import * as other from "${module}";\n\nexport const use = other;\n`);
  const biome = `${root}node_modules/.bin/biome`;
  const { stdout, stderr } = spawnSync(biome, ["lint", file], { cwd: directory, encoding: "utf8" });
  expect(stderr + stdout).toContain("Checked 1 file");
  return `${stdout}${stderr}`.includes("lint/style/noRestrictedImports");
}

describe("imports run one way", () => {
  test.each([
    ["bench/a.ts", "@pulumi/pulumi"],
    ["bench/tools/a.ts", "../../components/shared/host.ts"],
    ["bench/a.ts", "node:fs"],
    ["report/a.ts", "@pulumi/pulumi"],
    ["report/charts/a.ts", "../../components/shared/host.ts"],
    ["agent/protocol.ts", "../components/shared/host.ts"],
    ["components/a.ts", "./azure/index.ts"],
    ["components/benchmark/a.ts", "../azure/index.ts"],
    ["components/shared/a.ts", "../aws/index.ts"],
    ["components/tuning/a.ts", "../azure/index.ts"],
    ["components/nat-instance/a.ts", "../local/index.ts"],
    ["components/a.ts", "@pulumi/aws/ec2/instance.js"],
    ["components/azure/a.ts", "../aws/index.ts"],
    ["components/aws/a.ts", "../azure/index.ts"],
    ["components/local/lab/a.ts", "../../azure/index.ts"],
    ["components/aws/a.ts", "../../stacks/config.ts"],
    ["stacks/a.ts", "../cli/progress.ts"],
    ["stacks/a.ts", "../report/index.ts"],
    ["advise/a.ts", "../cli/advise/database.ts"],
    ["advise/sql/a.ts", "@duckdb/node-api"],
    ["advise/a.ts", "node:fs"],
    ["report/a.ts", "../advise/advice.ts"],
  ])("%s may not import %s", (file, module) => {
    expect(refused(file, module)).toBe(true);
  });

  test.each([
    ["bench/a.ts", "zod"],
    ["report/a.ts", "../bench/index.ts"],
    ["components/a.ts", "../bench/index.ts"],
    ["components/azure/a.ts", "@pulumi/azure-native/network/subnet.js"],
    ["components/local/a.ts", "../nat-instance/index.ts"],
    ["stacks/a.ts", "../components/azure/index.ts"],
    ["cli/a.ts", "../report/index.ts"],
    ["advise/a.ts", "../report/index.ts"],
    ["cli/advise/a.ts", "@duckdb/node-api"],
  ])("%s may import %s", (file, module) => {
    expect(refused(file, module)).toBe(false);
  });
});
