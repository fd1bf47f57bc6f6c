/** Pulumi's writes to stack files go to copies: a user's stacks leave the checkout unchanged. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allBlocks, commandsOf } from "../../helpers/doc-blocks.ts";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

let project: SetupProject;
beforeAll(() => {
  project = createSetupProject();
  mkdirSync(join(project.root, ".tools/bin"), { recursive: true });
  const pulumi = execFileSync("/bin/sh", ["-c", "command -v pulumi"], { encoding: "utf8" }).trim();
  symlinkSync(pulumi, join(project.root, ".tools/bin/pulumi"));
  symlinkSync(join(root, "node_modules"), join(project.root, "node_modules"));
  cpSync(join(root, "stacks"), join(project.root, "stacks"), { recursive: true });
  project.parts(["state"], "ensure_state; ensure_stack_files");
});
afterAll(() => project.dispose());

const readyMade = () =>
  readdirSync(join(project.root, "stacks"))
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => [name, project.read(`stacks/${name}`)]);

test("`stack init`, `config set` and `stack rm` leave stacks/ as it was", () => {
  const before = readyMade();
  const run = (args: string) => project.bash(`. setup/activate && pulumi ${args} --non-interactive`);
  expect(run("stack init local-pairs")).toMatchObject({ status: 0 });
  expect(run("config set plan standard --stack local-pairs")).toMatchObject({ status: 0 });
  expect(run("config get cloud --stack local-pairs").stdout).toBe("local\n");
  const copy = project.read(".egress-bench/stacks/Pulumi.local-pairs.yaml");
  expect(copy).toMatch(/^encryptionsalt: /m);
  expect(copy).toMatch(/^ +egress-bench:plan: standard$/m);
  expect(run("stack rm --yes local-pairs")).toMatchObject({ status: 0 });
  expect(project.exists(".egress-bench/stacks/Pulumi.local-pairs.yaml")).toBe(false);
  expect(readyMade()).toEqual(before);
});

test("the documents' commands that only need Pulumi run in turn", () => {
  const commands = allBlocks.filter(({ words }) => words[0] === "pulumi").flatMap(commandsOf);
  expect(commands.length).toBeGreaterThan(3);
  for (const command of commands) {
    const { status, stderr } = project.bash(`. setup/activate && ${command} --non-interactive`);
    expect({ command, status, stderr: status === 0 ? "" : stderr }).toEqual({
      command,
      status: 0,
      stderr: "",
    });
  }
  // A key without a namespace belongs to egress-bench, and a path reaches into a section.
  const config = project.read(".egress-bench/stacks/Pulumi.aws-nat-instance.yaml");
  expect(config).toMatch(/egress-bench:plan: quick/);
  expect(config).toMatch(/clientInstanceType: c7g\.large/);
});

test("a file removed by `stack rm` is back after the next set-up", () => {
  project.parts(["state"], "ensure_stack_files");
  expect(project.read(".egress-bench/stacks/Pulumi.local-pairs.yaml")).toBe(
    readFileSync(join(root, "stacks/Pulumi.local-pairs.yaml"), "utf8"),
  );
});
