/**
 * The program of the packed package, in a directory without a clone: Pulumi, DuckDB and the clouds' clients are not
 * installed, and ECharts only where a test links it. Not proved: what `npx` does to fetch it from a registry.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packLibrary, ROOT } from "../helpers/consumers.ts";

const directory = mkdtempSync(`${tmpdir()}/egress-bench-program-`);
// Beside the library's directory, not in it: that has a node_modules with everything.
const installed = mkdtempSync(`${tmpdir()}/egress-bench-installed-`);
const place = join(installed, "empty");
const own = join(installed, "node_modules/egress-bench");
let program = "";
afterAll(() => {
  for (const made of [directory, installed]) rmSync(made, { recursive: true, force: true });
});

beforeAll(async () => {
  const { tarball } = await packLibrary(directory);
  mkdirSync(own, { recursive: true });
  mkdirSync(place);
  execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", own]);
  const { bin, dependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  program = join(own, bin["egress-bench"]);
  for (const name of Object.keys(dependencies)) link(name);
}, 300_000);

function link(name: string): string {
  const to = join(own, "..", name);
  mkdirSync(dirname(to), { recursive: true });
  symlinkSync(join(ROOT, "node_modules", name), to);
  return to;
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: place,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

test("answers --help, of itself and of every command, and makes nothing", () => {
  const { status, stdout } = run("--help");
  const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name = ""]) => name);
  expect({ status, names }).toMatchObject({
    status: 0,
    names: expect.arrayContaining(["choose", "advise", "nat"]),
  });
  for (const name of names) {
    expect(run(name, "--help")).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringContaining(`egress-bench ${name}`),
    });
  }
  expect(readdirSync(place)).toEqual([]);
});

test("chooses, and reports a results file, whose charts need ECharts", () => {
  expect(run("choose")).toMatchObject({ status: 0, stderr: "" });
  copyFileSync(`${ROOT}tests/fixtures/results/small-run.json`, join(place, "results.json"));
  expect(run("report", "results.json")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("npm install echarts"),
  });
  const charts = link("echarts");
  expect(run("report", "results.json").stdout).toContain("Report: out/report.html");
  expect(readdirSync(join(place, "out"))).toEqual(expect.arrayContaining(["choose.html", "report.html"]));
  rmSync(charts);
});

test("advises from metrics without DuckDB", () => {
  copyFileSync(`${ROOT}tests/fixtures/advise/sum-and-average.json`, join(place, "metrics.json"));
  expect(run("advise", "metrics.json", "--region", "us-east-1", "--period", "3600")).toMatchObject({
    status: 0,
    stdout: expect.stringContaining("USD a month"),
  });
  expect(readdirSync(join(place, "out"))).toContain("advice.html");
});

test("names the package or the clone that a command lacks, and the option that was meant", () => {
  writeFileSync(join(place, "a.log"), "version srcaddr dstaddr bytes start end\n");
  expect(run("advise", "a.log")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("npm install @duckdb/node-api"),
  });
  expect(run("local")).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("a clone of the repository"),
  });
  expect(run("choose", "--pricse", "x")).toEqual({
    status: 2,
    stdout: "",
    stderr: "egress-bench choose: unknown option '--pricse'; did you mean --prices?\n",
  });
});

test("bash completes commands and options", () => {
  const complete = (...words: string[]) =>
    execFileSync(
      "bash",
      [
        "-c",
        `${run("completion", "bash").stdout}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _egress_bench; echo "\${COMPREPLY[*]}"`,
        "bash",
        ...words,
      ],
      { encoding: "utf8" },
    ).trim();
  expect(complete("egress-bench", "ch")).toBe("choose");
  expect(complete("egress-bench", "choose", "--p")).toBe("--prices");
  expect(complete("egress-bench", "nat", "sc")).toBe("script");
});
