/** `--help` and wrong options of separate programs; those of cli/ are called in tests/unit/cli/usage.test.ts. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

describe("npm run bench:", () => {
  const bench = (...args: string[]) => {
    const ended = spawnSync(process.execPath, [`${root}tests/bench/run.ts`, ...args], { encoding: "utf8" });
    return { status: ended.status, stdout: ended.stdout, stderr: ended.stderr };
  };

  test("npm run bench: --help names every benchmark, and runs none", () => {
    const { status, stdout } = bench("--help");
    expect(status).toBe(0);
    const [, table = ""] =
      /const benchmarks.*?= \{([\s\S]*?)^\};/m.exec(readFileSync(`${root}tests/bench/run.ts`, "utf8")) ?? [];
    const all = [...table.matchAll(/^ {2}"?([a-z-]+)"?[:,]/gm)].map(([, name]) => name);
    const helped = [...stdout.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name);
    expect(helped.sort()).toEqual(all.sort());
  });

  test.each([["nonsense"], ["--nonsense"]])("npm run bench: %j ends with 2", (argument) => {
    const { status, stdout, stderr } = bench(argument);
    expect(stderr).toMatch(/^npm run bench: .*nonsense/);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  });
});

describe("npm run docs:", () => {
  const docs = (...args: string[]) =>
    spawnSync("bash", [`${root}setup/run.sh`, "docs", ...args], { encoding: "utf8" });

  test("npm run docs: --help is help, and makes no directory of that name", () => {
    expect(docs("--help")).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^Usage: npm run docs/),
    });
  });

  test("npm run docs: a wrong option ends with 2", () => {
    const { status, stderr } = docs("--nonsense");
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('npm run docs: expected one directory; got "--nonsense"'),
    });
  });
});

describe.each(["sample", "typecheck", "lint", "format", "reference", "build"])("npm run %s:", (script) => {
  const run = (argument: string) => {
    const directory = mkdtempSync(`${tmpdir()}/egress-bench-usage-`);
    const words = [`${root}setup/run.sh`, script, argument];
    const { status, stdout, stderr } = spawnSync("bash", words, { encoding: "utf8", cwd: directory });
    const made = readdirSync(directory);
    rmSync(directory, { recursive: true });
    return { status, stdout, stderr, made };
  };

  test("--help is help, and makes nothing", () => {
    const stdout = expect.stringMatching(`^Usage: npm run ${script}[^]*Exit status: 0 `);
    expect(run("--help")).toEqual({ status: 0, stdout, stderr: "", made: [] });
  });

  test("an unknown option is refused, and makes nothing", () => {
    const stderr = expect.stringContaining("--nonsense");
    expect(run("--nonsense")).toEqual({ status: 2, stdout: "", stderr, made: [] });
  });
});

test("a removed current directory is reported in a sentence", () => {
  const away = 'cd "$(mktemp -d)" && rmdir "$PWD" && bash "$1" choose';
  const { status, stderr } = spawnSync("bash", ["-c", away, "sh", `${root}setup/run.sh`], {
    encoding: "utf8",
  });
  expect(status).toBe(1);
  expect(stderr).toContain("setup: error: the current directory was removed.");
  expect(stderr).not.toContain("    at ");
});

describe("npm test:", () => {
  const npmTest = (script: string, ...args: string[]) => {
    const env = { ...process.env, npm_lifecycle_event: script };
    const command = [`${root}tests/run.ts`, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8", env });
    return { status, stdout, stderr };
  };

  test("an option unknown to vitest ends with 2, reported in the script's name", () => {
    const stderr = "npm run guest: Unknown option `--nonsense`\n";
    expect(npmTest("guest", "--nonsense")).toEqual({ status: 2, stdout: "", stderr });
  });

  test("an unknown project ends with 2, and the line lists the known ones", () => {
    const { status, stderr } = npmTest("test", "--project", "nope");
    expect(stderr).toMatch(/^npm run test: --project: expected unit, components, .*system; got nope\n$/);
    expect(status).toBe(2);
  });

  test.each([
    ["a selection of passing tests ends with 0", "tests/unit/bench/shell.test.ts", 0],
    ["an empty selection ends with 1", "tests/unit/no-such.test.ts", 1],
  ])("%s", (_, file, status) => {
    expect(npmTest("test", "--project", "unit", file)).toMatchObject({ status });
  });
});

describe("the agent's programs", () => {
  test.each(["agent", "search", "under_load", "nat_limits", "nat_responder"])("%s.py", (program) => {
    const python = (argument: string) =>
      spawnSync("python3", [`${root}agent/${program}.py`, argument], { input: "", encoding: "utf8" });
    expect(python("--help")).toMatchObject({ status: 0, stderr: "" });
    const wrong = python("--nonsense");
    expect(wrong).toMatchObject({ status: 2, stdout: "" });
    expect(wrong.stderr).toMatch(/^\S+\.py.*--nonsense.*\n$/);
  });
});

describe("npm run report", () => {
  test("ends in order when the reader of its output ends first", () => {
    const results = `${root}tests/fixtures/results/small-run.json`;
    const out = mkdtempSync(`${tmpdir()}/egress-bench-pipe-`);
    const script = `"$1" "$2" "$3" "$4" --out "$5" --json | head -c 1 >/dev/null; echo "\${PIPESTATUS[0]}"`;
    const words = [process.execPath, `${root}cli/main.ts`, "report", results, out];
    const ended = spawnSync("bash", ["-c", script, "bash", ...words], { encoding: "utf8", cwd: root });
    rmSync(out, { recursive: true });
    expect(ended.stderr).not.toMatch(/EPIPE|at .*\.ts/);
    expect(ended.stdout).toBe("0\n");
  });
});
