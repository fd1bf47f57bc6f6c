/**
 * What `npm test` runs once the tools are set up: types, lint, and every test. Ends with one line,
 * `tests: N passed, N failed, N skipped`, where the type check and lint count as one test each.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { guardRun } from "./helpers/left-behind.ts";
import { nearestTests } from "./helpers/nearest-tests.ts";
import {
  addCounts,
  countTests,
  formatCounts,
  noTests,
  type TestCounts,
  type VitestReport,
  withSelection,
  withVerdicts,
} from "./helpers/test-counts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const ci = process.env.CI === "true" || process.env.CI === "1";

interface Part {
  readonly name: string;
  readonly seconds: number;
  readonly counts: TestCounts;
}

/** Arguments that cannot be used. */
class UsageError extends Error {}

/** Runs a program of node_modules; its output is shown at once ("inherit") or returned ("pipe"). */
async function run(program: string, args: readonly string[], output: "inherit" | "pipe") {
  const start = performance.now();
  const child = spawn(join(root, "node_modules/.bin", program), args, {
    cwd: root,
    stdio: ["ignore", output, "pipe"],
  });
  const chunks: string[] = [];
  const keep = (text: string) => chunks.push(text);
  child.stdout?.setEncoding("utf8").on("data", keep);
  // Its parser of arguments ends vitest by an error that nobody catches: where it is thrown, then its name and message.
  let thrown = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    if (thrown !== "" || /\/cac[^/]*\.js:\d+\n|Startup Error/.test(text)) thrown += text;
    else if (output === "pipe") keep(text);
    else process.stderr.write(text);
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (thrown !== "")
    throw new UsageError(/^CACError: (.*)/m.exec(thrown)?.[1] ?? noProject(thrown) ?? thrown);
  return { code: code ?? 1, output: chunks.join(""), seconds: (performance.now() - start) / 1000 };
}

/** The projects that there are, where vitest found none of a name. */
function noProject(thrown: string): string | undefined {
  const given = /filter matched no projects: (.*?)\. /.exec(thrown)?.[1];
  const names = [...thrown.matchAll(/"name": "(.*)"/g)].map(([, name]) => name);
  return given && `--project: expected ${names.join(", ")}; got ${given}`;
}

/** Runs a check that is no test; quiet unless it fails. */
async function check(name: string, program: string, args: readonly string[]): Promise<Part> {
  const { code, output, seconds } = await run(program, args, "pipe");
  if (code === 0) return { name, seconds, counts: { ...noTests, passed: 1 } };
  process.stdout.write(`\n${name}: ${program} ${args.join(" ")}\n${output}\n`);
  return { name, seconds, counts: { ...noTests, failed: 1, complaints: [`failed: ${name}, see above`] } };
}

async function vitest(name: string, args: readonly string[]): Promise<Part> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-tests-"));
  try {
    const file = join(directory, "report.json");
    const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
    const { code, seconds } = await run("vitest", ["run", ...reporters, ...args], "inherit");
    const report = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as VitestReport) : undefined;
    return { name, seconds, counts: countTests(report, code, ci) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const projects = (...names: readonly string[]) => names.flatMap((name) => ["--project", name]);

/** Runs checks two at a time: more would only starve one another of the processors, until a time limit is over. */
async function inPairs(checks: readonly (() => Promise<Part>)[]): Promise<Part[]> {
  const parts: Part[] = [];
  const waiting = [...checks.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) parts[next[0]] = await next[1]();
  };
  await Promise.all([worker(), worker()]);
  return parts;
}

/** Whether a document differs from the last commit that was pushed, or from HEAD where nothing is. */
function documentsChanged(): boolean {
  const git = (...words: string[]) => spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout.trim();
  const pushed = git("merge-base", "HEAD", "@{upstream}") || "HEAD";
  return git("diff", "--name-only", pushed, "--", "*.md", "docs") !== "";
}

/** Trials that take minutes: only `npm test -- --all` runs them, and who names them. */
const longTrials = [
  "tests/engine/command-plugin/*",
  "tests/lab/cli/matrix-*",
  "tests/lab/nat-instance/pair-failures.test.ts",
  "tests/lab/probes/{failover,outages}.test.ts",
  "tests/lab/stack/failover.test.ts",
];

async function everyTest({ all }: { readonly all: boolean }): Promise<Part[]> {
  const parts = await inPairs([
    () => check("types", "node", ["node_modules/typescript-native/bin/tsc", "--noEmit", "--singleThreaded"]),
    () => check("lint", "biome", ["check", "--error-on-warnings", "."]),
    () => check("imports", "depcruise", ["."]),
    () => check("unused code", "knip", ["--no-progress"]),
    // Its linter is WebAssembly, and a second of it does not repay a compiler that makes it quick.
    () => check("Python lint", "node", ["--liftoff-only", "tests/python-lint.ts"]),
    () => check("Python types", "pyright", ["-p", "agent"]),
    () => check("Python types of a pair", "pyright", ["-p", "components/nat-instance/pair"]),
    () => vitest("components", projects("components")),
    () => vitest("unit", projects("unit")),
  ]);
  const others = [
    ["agent", "programs", "engine", "lab", "browser"],
    ...(all || documentsChanged() ? [["documents"]] : []),
    ...(all ? [["model", "release", "guest"]] : []),
  ];
  const without = all ? [] : longTrials.flatMap((path) => ["--exclude", path]);
  for (const names of others) parts.push(await vitest(names.join(", "), [...projects(...names), ...without]));
  return parts;
}

/** Whoever names tests means that there are some. */
async function selected(args: readonly string[]): Promise<Part> {
  const part = await vitest("selected tests", args);
  return { ...part, counts: withSelection(part.counts, args) };
}

async function near(file: string): Promise<Part> {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" })
    .trim()
    .split("\n")
    .filter((one) => existsSync(join(root, one)));
  const path = relative(root, resolve(file));
  if (!files.includes(path)) throw new UsageError(`--near: expected a file of the project; got "${file}"`);
  const tests = nearestTests(root, files, path);
  if (tests.length === 0)
    throw new UsageError(`--near: no test imports "${file}"; try npm test -- tests/agent`);
  return selected(tests);
}

function leftBehind(left: string | null): Part[] {
  if (left === null) return [];
  return [{ name: "nothing left", seconds: 0, counts: { ...noTests, failed: 1, complaints: [left] } }];
}

function summarize(parts: readonly Part[]): TestCounts {
  const counts = withVerdicts(addCounts(parts.map((part) => part.counts)));
  console.log();
  for (const { name, seconds, counts } of parts) {
    console.log(`${name.padEnd(46)}${`${seconds.toFixed(1)} s`.padStart(8)}   ${formatCounts(counts)}`);
  }
  for (const complaint of counts.complaints) console.log(complaint);
  console.log(`tests: ${formatCounts(counts)}`);
  return counts;
}

const args = process.argv.slice(2);
if (args.includes("--help") || args.includes("-h")) {
  process.stdout.write(readFileSync(join(root, "tests/usage.txt"), "utf8"));
} else {
  // Whatever ends this process, the guard ends what it started.
  const guarded = guardRun();
  try {
    const all = args.join() === "--all";
    const parts =
      args.length === 0 || all
        ? await everyTest({ all })
        : [args[0] === "--near" ? await near(args[1] ?? "") : await selected(args)];
    parts.push(...leftBehind(await guarded.end()));
    process.exitCode = summarize(parts).failed === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`npm run ${process.env.npm_lifecycle_event ?? "test"}: ${error.message}\n`);
    process.exitCode = 2;
  }
}
