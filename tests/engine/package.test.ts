/**
 * The package as another project gets it: packed, installed, imported. Does not prove what a registry does to it.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const directory = mkdtempSync(`${tmpdir()}/egress-bench-package-`);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const user = `${directory}/user`;

function run(program: string, args: string[], cwd = user): string {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Evaluates an expression in the other project. */
function evaluate(imports: string, expression: string): unknown {
  const program = `${imports}; console.log(JSON.stringify(${expression}))`;
  return JSON.parse(run(process.execPath, ["--input-type=module", "--eval", program]));
}

let files: string[];

beforeAll(() => {
  const [packed] = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", directory], root)) as [
    { filename: string; files: { path: string }[] },
  ];
  files = packed.files.map(({ path }) => path);
  mkdirSync(user);
  writeFileSync(`${user}/package.json`, JSON.stringify({ name: "user", type: "module", private: true }));
  const quick = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--no-progress"];
  run("npm", ["install", ...quick, `${directory}/${packed.filename}`]);
});

describe("the package", () => {
  test("holds what runs and nothing of the tests, the tools or the state", () => {
    expect(files).toContain("dist/agent/agent.py");
    expect(files).toContain("dist/components/local/lab/main.js");
    expect(files).toContain("dist/components/index.d.ts");
    expect(
      files.filter(
        (path) =>
          !/^(dist\/(agent|bench|components|report)\/|[A-Z]+\.md$|LICENSE$|package\.json$)/.test(path),
      ),
    ).toEqual([]);
  });

  test.each([
    ["egress-bench", ["BenchmarkRun"]],
    ["egress-bench/azure", ["NatInstance", "NatGatewayEgress"]],
    ["egress-bench/aws", ["NatInstance", "BenchPair"]],
    ["egress-bench/local", ["NatInstance"]],
    ["egress-bench/bench", ["parsePlan"]],
  ])("exports from %s: %j", (entry, names) => {
    const types = `${JSON.stringify(names)}.map((name) => typeof entry[name])`;
    expect(evaluate(`import * as entry from "${entry}"`, types)).toEqual(names.map(() => "function"));
  });

  test("can be required by a CommonJS program", () => {
    const program = 'console.log(typeof require("egress-bench/local").NatInstance)';
    expect(run(process.execPath, ["--input-type=commonjs", "--eval", program])).toBe("function\n");
  });

  test("makes plans", () => {
    expect(
      evaluate('import { parsePlan } from "egress-bench/bench"', 'parsePlan("quick").cases.length'),
    ).toBe(7);
  });

  test("runs its own programs from where it is installed", () => {
    const program = `${user}/node_modules/egress-bench/dist/components/shared/generate-key-pair.js`;
    expect(JSON.parse(run(process.execPath, [program])).publicKey).toMatch(/^ssh-ed25519 /);
  });
});
