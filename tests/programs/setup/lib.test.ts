import { chownSync, lstatSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
});
afterEach(() => project.dispose());

it.each([
  ["v3.238.0", "3.238.0", true],
  ["3.250.1", "3.238.0", true],
  ["v4.0.0", "3.238.0", true],
  ["v3.99.0", "3.238.0", false],
  ["v22.9.0", "22.18.0", false],
  ["v24.21.0", "22.18.0", true],
  ["v0", "22.18.0", false],
])("version_at_least %s %s is %s", (version, minimum, expected) => {
  expect(project.parts([], `version_at_least ${version} ${minimum}`).status === 0).toBe(expected);
});

it("path_without drops every such entry and keeps the order of the rest", () => {
  const { stdout } = project.parts([], 'PATH="/x y:/bin:/usr/bin:/x y" && path_without "/x y"');
  expect(stdout).toBe("/bin:/usr/bin");
});

describe("logged", () => {
  it("keeps a command's output in a log and returns its status", () => {
    const result = project.parts([], 'logged some bash -c "echo out; echo err >&2; exit 7" || echo "was $?"');
    expect(result).toEqual({ status: 0, stdout: "was 7\n", stderr: "" });
    expect(project.read(".tools/log/some.log")).toBe("out\nerr\n");
  });

  it("shows the log's end, the remedy and the log's path when the command has failed", () => {
    const script =
      'logged some bash -c "seq 100; exit 1" || fail_with_log some "no luck." "Try again."; echo on';
    const { status, stdout, stderr } = project.parts([], script);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr.split("\n")).toEqual([
      ...Array.from({ length: 15 }, (_, i) => `setup:   | ${86 + i}`),
      "setup: error: no luck.",
      "setup:   Try again.",
      `setup:   The whole output: ${project.root}/.tools/log/some.log`,
      "",
    ]);
  });
});

describe.runIf(process.getuid?.() === 0)("give_back, as root in another user's clone", () => {
  it("hands over root's files, without following links out of the clone", () => {
    const outside = join(project.home, "outside");
    project.file(".tools/made/by-root", "");
    project.bash(`touch '${outside}'`);
    symlinkSync(outside, join(project.root, ".tools/link"));
    chownSync(project.root, 1234, 1235);
    expect(project.parts([], 'give_back "$TOOLS" "$ROOT/missing"').status).toBe(0);
    for (const path of [".tools", ".tools/made/by-root", ".tools/link"]) {
      const { uid, gid } = lstatSync(join(project.root, path));
      expect({ path, uid, gid }).toEqual({ path, uid: 1234, gid: 1235 });
    }
    expect(lstatSync(outside).uid).toBe(0);
  });
});

it("pins the versions that set-up requests", () => {
  const { stdout } = project.parts(
    ["node", "pulumi-cli"],
    "for a in x64 arm64; do printf '%s\\n' pulumi-v$PULUMI_VERSION-linux-$a.tar.gz npm-$NPM_VERSION.tgz; done",
  );
  const { devDependencies } = JSON.parse(
    readFileSync(new URL("../../../package.json", import.meta.url), "utf8"),
  );
  const nodes = ["x64", "arm64"].map((processor) => `node-linux-${processor}@${devDependencies.node}`);
  const pinned = project
    .read("setup/checksums")
    .split("\n")
    .filter((line) => /^[0-9a-f]{64} {2}/.test(line));
  for (const name of [...stdout.trim().split("\n"), ...nodes]) {
    expect(pinned.filter((line) => line.slice(66) === name)).toHaveLength(1);
  }
});
