import { readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
});
afterEach(() => project.dispose());

const ensureState = () => project.parts(["state"], "umask 000; ensure_state");
const mode = (path: string) => (statSync(join(project.root, path)).mode & 0o777).toString(8);

it("makes a state directory and a random passphrase that only the user can read", () => {
  expect(ensureState().status).toBe(0);
  expect(mode(".egress-bench")).toBe("700");
  expect(mode(".egress-bench/passphrase")).toBe("600");
  expect(statSync(join(project.root, ".egress-bench/state")).isDirectory()).toBe(true);
  expect(project.read(".egress-bench/passphrase")).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
});

it("makes another passphrase for another clone", () => {
  const other = createSetupProject();
  ensureState();
  other.parts(["state"], "ensure_state");
  expect(other.read(".egress-bench/passphrase")).not.toBe(project.read(".egress-bench/passphrase"));
  other.dispose();
});

it("never replaces a passphrase, and is silent when there is nothing to do", () => {
  project.file(".egress-bench/passphrase", "old");
  expect(ensureState().status).toBe(0);
  expect(ensureState()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(project.read(".egress-bench/passphrase")).toBe("old");
});

it("refuses to make a new passphrase for stacks that an old one encrypted", () => {
  project.file(".egress-bench/state/.pulumi/stacks/egress-bench/a.json", "{}");
  const { status, stderr } = ensureState();
  expect(status).toBe(1);
  expect(stderr).toContain(`their passphrase is gone: ${project.root}/.egress-bench/passphrase`);
  expect(stderr).toContain(`rm -r ${project.root}/.egress-bench`);
  expect(project.exists(".egress-bench/passphrase")).toBe(false);
});

const ensureStackFiles = () => project.parts(["state"], "ensure_stack_files");
const own = ".egress-bench/stacks/Pulumi.one.yaml";
/** A change of a ready-made stack, newer than any copy. */
const ready = (content: string) => {
  const file = project.file("stacks/Pulumi.one.yaml", content);
  const later = new Date(Date.now() + 60_000);
  utimesSync(file, later, later);
};

it("copies ready-made stacks to where Pulumi writes, and writes none of them itself", () => {
  ready("config: {a: 1}\n");
  expect(ensureStackFiles().status).toBe(0);
  expect(project.read(own)).toBe("config: {a: 1}\n");
  project.file(own, "encryptionsalt: v1\nconfig: {a: 2}\n");
  expect(ensureStackFiles()).toEqual({ status: 0, stdout: "", stderr: "" });
  expect(project.read(own)).toBe("encryptionsalt: v1\nconfig: {a: 2}\n");
  expect(project.read("stacks/Pulumi.one.yaml")).toBe("config: {a: 1}\n");
});

it("lets an unchanged copy follow its stack, and keeps a changed one", () => {
  ready("a");
  ensureStackFiles();
  ready("b");
  expect(ensureStackFiles().stdout).toBe("");
  expect(project.read(own)).toBe("b");
  project.file(own, "mine");
  ready("c");
  expect(ensureStackFiles().stdout).toContain(`which stays: ${own}`);
  expect(project.read(own)).toBe("mine");
});

it("restores a copy that `pulumi stack rm` removed, and leaves manual files alone", () => {
  ready("a");
  project.file(own, "mine");
  ensureStackFiles();
  expect(project.read(own)).toBe("mine");
  rmSync(join(project.root, own));
  ensureStackFiles();
  expect(project.read(own)).toBe("a");
});

it("keeps only the newest logs and copies of states that engines leave", () => {
  const logs = ".tools/pulumi-home/logs";
  const backups = ".egress-bench/state/.pulumi/backups/egress-bench/one";
  for (let age = 0; age < 14; age++) {
    for (const path of [
      `${logs}/a+b-${age}.log`,
      `${backups}/one.${age}.json`,
      `${backups}/one.${age}.json.attrs`,
    ]) {
      const time = new Date(Date.now() - age * 1000);
      utimesSync(project.file(path, "x"), time, time);
    }
  }
  project.file(`${logs}/other.txt`, "mine");
  const prune = () => project.parts(["state", "pulumi-cli"], "prune_leftovers");
  expect([prune(), prune()]).toEqual(Array(2).fill({ status: 0, stdout: "", stderr: "" }));
  const left = (directory: string) => readdirSync(join(project.root, directory)).length;
  expect([left(logs), left(backups)]).toEqual([11, 20]);
  expect([0, 9, 10].map((age) => project.exists(`${logs}/a+b-${age}.log`))).toEqual([true, true, false]);
});
