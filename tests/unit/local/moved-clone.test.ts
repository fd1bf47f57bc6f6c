/** Commands that the state keeps, of a clone that has moved meanwhile. The real lab is taken down by hand only. */
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { siblingProgram } from "../../../components/shared/shell.ts";
import { directoryOfTest } from "../../helpers/temporary.ts";

/** A clone with one module, its path full of what a shell reads, and the command of a Node that is in it. */
function clone() {
  const directory = directoryOfTest();
  const [old, moved] = ["it's $HOME", 'a `new` "place" }'].map((name) => join(directory, name)) as [
    string,
    string,
  ];
  const modules = join(old, "components/local/lab");
  mkdirSync(modules, { recursive: true });
  writeFileSync(join(modules, "main.ts"), "process.stdout.write(import.meta.dirname + process.argv[2]);");
  const own = process.execPath;
  onTestFinished(() => {
    process.execPath = own;
  });
  process.execPath = join(old, "node_modules/node/bin/node");
  const command = siblingProgram(
    pathToFileURL(join(old, "components/local/lab-command.ts")).href,
    "lab/main",
  );
  const run = (environment: object) =>
    execFileSync("sh", ["-c", `${command} " ran"`], {
      env: { PATH: process.env.PATH, ...environment },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  return { old, moved, run };
}

test("a module runs where it was, with set-up's environment and without", () => {
  const { old, run } = clone();
  expect(run({})).toBe(join(old, "components/local/lab ran"));
  expect(run({ EGRESS_BENCH_ROOT: old })).toBe(join(old, "components/local/lab ran"));
});

test("a module of a clone that has moved runs in its new place", () => {
  const { old, moved, run } = clone();
  renameSync(old, moved);
  expect(run({ EGRESS_BENCH_ROOT: moved })).toBe(join(moved, "components/local/lab ran"));
  expect(() => run({})).toThrow();
});
