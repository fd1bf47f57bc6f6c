/**
 * The linter's rules on who may import whom, tried on files that break them. That the tree keeps them is the lint
 * part of `npm test`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, relative } from "node:path";
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

/** The rooms of ARCHITECTURE.md that have a column of their own, and what it names. */
function rooms(): Map<string, readonly string[]> {
  const [, table = ""] = readFileSync(`${root}ARCHITECTURE.md`, "utf8").split("## The rooms");
  const rows = [...table.matchAll(/^\| (`.*?) \| .* \| ([^|]+) \|$/gm)].filter(
    ([, , may = ""]) => may.trim() !== "",
  );
  return new Map(
    rows.flatMap(([, names = "", may = ""]) =>
      named(names).map((name): [string, readonly string[]] => [name, named(may)]),
    ),
  );
}

/** `a/`, `b` as their paths. */
const named = (cell: string) => [...cell.matchAll(/`([^`]+?)\/?`/g)].map(([, name = ""]) => name);

/** A room that holds another, or is held by it, is no pair. */
const nested = (a: string, b: string) => `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);

/** Whether a column that names a room means this one, or one that it is a part of. */
const allows = (column: readonly string[], room: string) =>
  column.some((one) => `${room}/`.startsWith(`${one}/`));

test("the linter refuses every pair of rooms that ARCHITECTURE.md's column does not name, and no other", () => {
  const all = rooms();
  expect(all.size).toBeGreaterThan(15);
  const own = `${directory}/pairs`;
  mkdirSync(own);
  writeFileSync(`${own}/biome.json`, JSON.stringify({ ...rules, $schema: undefined }));
  const pairs = [...all].flatMap(([from, may]) =>
    [...all.keys()]
      .filter((to) => to !== from && to !== "index.ts" && !nested(from, to))
      .map((to) => ({ from, to, allowed: allows(may, to) })),
  );
  const files = new Map<string, string[]>();
  const places = pairs.map(({ from, to }) => {
    const file = from.endsWith(".ts") ? from : `${from}/to-${to.replaceAll("/", "-")}.ts`;
    const path = relative(dirname(file), `${to}/other.ts`).replace(/^(?!\.)/, "./");
    const lines = [...(files.get(file) ?? []), `export * from "${path}";`];
    files.set(file, lines);
    return `${file}:${lines.length}`;
  });
  for (const [file, lines] of files) {
    mkdirSync(dirname(`${own}/${file}`), { recursive: true });
    writeFileSync(`${own}/${file}`, lines.join("\n"));
  }
  const refusedPlaces = complaints(own);
  const wrong = pairs.filter(({ allowed }, index) => allowed === refusedPlaces.has(places[index] as string));
  expect(wrong).toEqual([]);
  expect(pairs.filter(({ allowed }) => !allowed).length).toBeGreaterThan(100);
});

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

/** `file:line` of each import that the linter refuses in a directory. */
function complaints(cwd: string): Set<string> {
  const lint = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
  const options = { cwd, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
  const { stdout } = spawnSync(`${root}node_modules/.bin/biome`, lint, options);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  return new Set(
    diagnostics
      .filter(({ category }) => category === "lint/style/noRestrictedImports")
      .map(({ location }) => `${location.path}:${location.start.line}`),
  );
}

describe("imports run one way", () => {
  test.each([
    ["bench/a.ts", "@pulumi/pulumi"],
    ["bench/a.ts", "node:fs"],
    ["report/a.ts", "@pulumi/pulumi"],
    ["components/a.ts", "./azure/index.ts"],
    ["components/a.ts", "@pulumi/aws/ec2/instance.js"],
    ["components/local/lab/a.ts", "../../azure/index.ts"],
    ["advise/sql/a.ts", "@duckdb/node-api"],
    ["advise/a.ts", "node:fs"],
  ])("%s may not import %s", (file, module) => {
    expect(refused(file, module)).toBe(true);
  });

  test.each([
    ["bench/a.ts", "zod"],
    ["components/azure/a.ts", "@pulumi/azure-native/network/subnet.js"],
    ["cli/advise/a.ts", "@duckdb/node-api"],
  ])("%s may import %s", (file, module) => {
    expect(refused(file, module)).toBe(false);
  });
});
