/**
 * The kill matrix: puts small faults into the product, one at a time, and says which test files find each. So it shows
 * what no test finds, and which file finds what no other does. It works in a clone of HEAD, which it removes.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createVitest, type TestSpecification } from "vitest/node";
import { type Mutation, mutationsOf } from "./helpers/mutations.ts";
import { nearestTests } from "./helpers/nearest-tests.ts";

const usage = `Usage: node tests/mutants.ts [options] [directory, file or test ...]

Faults of the product's files, or of those that a named test imports, and which of the nearest tests find them.

  --mutants N    faults, over all files; default 300
  --tests N      test files that each fault meets at most; default 20
  --seed TEXT    another choice of faults; default 1
  --projects A,B kinds of tests; default unit,components
`;

const ROOMS = ["bench", "cli", "components", "packages", "report", "stacks", "tools"];
const root = fileURLToPath(new URL("..", import.meta.url));
const git = (cwd: string, ...words: string[]) => execFileSync("git", words, { cwd, encoding: "utf8" });

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: "boolean", short: "h", default: false },
    mutants: { type: "string", default: "300" },
    tests: { type: "string", default: "20" },
    seed: { type: "string", default: "1" },
    projects: { type: "string", default: "unit,components" },
  },
});

/** The product's files that a path of the command line names. */
function named(clone: string, files: readonly string[], path: string): string[] {
  if (!path.endsWith(".test.ts")) return files.filter((file) => file === path || file.startsWith(`${path}/`));
  const text = readFileSync(join(clone, path), "utf8");
  const imported = [...text.matchAll(/from "(\.[^"]+)"/g)].map(([, to = ""]) => join(path, "..", to));
  return files.filter((file) => imported.includes(file));
}

/** Test files that fail, of those given. */
type Judge = (tests: readonly string[]) => Promise<string[]>;

/** Starts the tests' runner once. @returns what tells it that a file has changed, what runs tests, and what ends it */
async function runner(clone: string, projects: readonly string[]) {
  process.chdir(clone);
  const options = {
    root: clone,
    project: [...projects],
    watch: false,
    reporters: [{}],
    passWithNoTests: true,
  };
  const vitest = await createVitest(options);
  await vitest.standalone();
  const all = await vitest.globTestSpecifications();
  const path = ({ moduleId }: TestSpecification) => relative(clone, moduleId);
  const failing: Judge = async (tests) => {
    const { testModules } = await vitest.runTestSpecifications(
      all.filter((one) => tests.includes(path(one))),
    );
    process.exitCode = 0;
    return testModules.filter((one) => !one.ok()).map((one) => relative(clone, one.moduleId));
  };
  return {
    failing,
    changed: (file: string) => vitest.invalidateFile(join(clone, file)),
    known: all.map(path),
    end: () => vitest.close(),
  };
}

/** @returns the test files that find each fault, of those that pass without one */
async function matrix(clone: string): Promise<Map<Mutation, string[]>> {
  const files = git(clone, "ls-files").trim().split("\n");
  const product = files.filter(
    (file) => file.endsWith(".ts") && ROOMS.includes(file.split("/")[0] as string),
  );
  const chosen =
    positionals.length === 0 ? product : positionals.flatMap((path) => named(clone, product, path));
  const mutations = [...new Set(chosen)]
    .flatMap((file) => mutationsOf(file, readFileSync(join(clone, file), "utf8"), values.seed))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, Number(values.mutants));
  const { failing, changed, known, end } = await runner(clone, values.projects.split(","));
  const near = new Map<string, string[]>();
  for (const { file } of mutations)
    near.set(
      file,
      nearestTests(clone, files, file, files.length)
        .filter((one) => known.includes(one))
        .slice(0, Number(values.tests)),
    );
  const broken = await failing([...new Set([...near.values()].flat())]);
  if (broken.length > 0) console.log(`left out, as they fail without a fault: ${broken.join(", ")}`);
  const found = new Map<Mutation, string[]>();
  for (const mutation of mutations) {
    const { file, line, change, text } = mutation;
    const whole = readFileSync(join(clone, file), "utf8");
    writeFileSync(join(clone, file), text);
    changed(file);
    const killers = (await failing(near.get(file) ?? [])).filter((one) => !broken.includes(one));
    writeFileSync(join(clone, file), whole);
    changed(file);
    found.set(mutation, killers);
    const by = killers.map((one) => one.replace(/^tests\/(.*)\.test\.ts$/, "$1")).join(" ");
    console.log(`${file}:${line}  ${change.slice(0, 100)}  ${by === "" ? "SURVIVES" : by}`);
  }
  await end();
  return found;
}

function summarize(found: ReadonlyMap<Mutation, readonly string[]>): void {
  const killed = [...found.values()].filter((killers) => killers.length > 0);
  console.log(`\nfaults found: ${killed.length} of ${found.size}`);
  console.log("found   alone   test file");
  for (const file of [...new Set(killed.flat())].sort()) {
    const by = killed.filter((killers) => killers.includes(file));
    const alone = by.filter((killers) => killers.length === 1);
    console.log(`${String(by.length).padStart(5)}${String(alone.length).padStart(8)}   ${file}`);
  }
}

if (values.help) process.stdout.write(usage);
else {
  const clone = mkdtempSync(join(tmpdir(), "egress-bench-mutants-"));
  process.on("exit", () => rmSync(clone, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
  git(root, "clone", "--quiet", "--shared", ".", clone);
  for (const name of ["node_modules", ".tools"]) symlinkSync(join(root, name), join(clone, name));
  summarize(await matrix(clone));
}
