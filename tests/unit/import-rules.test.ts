/**
 * The linter's rules on who may import whom, tried on files that break them. That the tree keeps them is the lint
 * part of `npm test`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = mkdtempSync(`${tmpdir()}/egress-bench-imports-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const { vcs: _, ...rules } = JSON.parse(readFileSync(`${root}biome.json`, "utf8"));
writeFileSync(`${directory}/biome.json`, JSON.stringify({ ...rules, $schema: undefined }));

/** By file its lines, an import each, tried at once: it is the linter's start that takes time. */
const tried = new Map<string, string[]>();

/** Writes that import down for that file. @returns its place, as {@link refusedPlaces} has it */
function tryImport(file: string, module: string): string {
  const lines = [...(tried.get(file) ?? []), `export * from "${module}";`];
  tried.set(file, lines);
  return `${file}:${lines.length}`;
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

const allRooms = rooms();
const pairs = [...allRooms].flatMap(([from, may]) =>
  [...allRooms.keys()]
    .filter((to) => to !== from && to !== "index.ts" && !nested(from, to))
    .map((to) => {
      const file = from.endsWith(".ts") ? from : `${from}/to-${to.replaceAll("/", "-")}.ts`;
      const path = relative(dirname(file), `${to}/other.ts`).replace(/^(?!\.)/, "./");
      return { from, to, allowed: allows(may, to), place: tryImport(file, path) };
    }),
);
const single = (may: boolean) => (pair: readonly [file: string, module: string]) =>
  [...pair, may, tryImport(...pair)] as const;
const singles = [
  ...(
    [
      ["bench/a.ts", "@pulumi/pulumi"],
      ["bench/a.ts", "node:fs"],
      ["report/a.ts", "@pulumi/pulumi"],
      ["components/a.ts", "./azure/index.ts"],
      ["components/a.ts", "@pulumi/aws/ec2/instance.js"],
      ["components/local/lab/a.ts", "../../azure/index.ts"],
      ["advise/sql/a.ts", "@duckdb/node-api"],
      ["advise/a.ts", "node:fs"],
    ] as const
  ).map(single(false)),
  ...(
    [
      ["bench/a.ts", "zod"],
      ["components/azure/a.ts", "@pulumi/azure-native/network/subnet.js"],
      ["cli/advise/a.ts", "@duckdb/node-api"],
    ] as const
  ).map(single(true)),
];

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string; readonly start: { readonly line: number } };
}

/** `file:line` of each import that the linter refuses. */
function complaints(): Set<string> {
  for (const [file, lines] of tried) {
    mkdirSync(dirname(`${directory}/${file}`), { recursive: true });
    writeFileSync(`${directory}/${file}`, lines.join("\n"));
  }
  const lint = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
  const options = { cwd: directory, encoding: "utf8", maxBuffer: 2 ** 26 } as const;
  const { stdout } = spawnSync(`${root}node_modules/.bin/biome`, lint, options);
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  return new Set(
    diagnostics
      .filter(({ category }) => category === "lint/style/noRestrictedImports")
      .map(({ location }) => `${location.path}:${location.start.line}`),
  );
}
const refusedPlaces = complaints();

test("the linter refuses every pair of rooms that ARCHITECTURE.md's column does not name, and no other", () => {
  expect(allRooms.size).toBeGreaterThan(15);
  const wrong = pairs.filter(({ allowed, place }) => allowed === refusedPlaces.has(place));
  expect(wrong).toEqual([]);
  expect(pairs.filter(({ allowed }) => !allowed).length).toBeGreaterThan(100);
});

test.each(singles)("imports run one way: %s, %s: %s", (_file, _module, may, place) => {
  expect(refusedPlaces.has(place)).toBe(!may);
});
