import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createSetupProject, type SetupProject } from "../../helpers/setup-project.ts";

const nodeModules = fileURLToPath(new URL("../../../node_modules", import.meta.url));
const CREDENTIALS = '{"current":"https://pulumi.example"}';

let project: SetupProject;
beforeEach(() => {
  project = createSetupProject();
  mkdirSync(join(project.root, ".tools/bin"), { recursive: true });
  const pulumi = execFileSync("/bin/sh", ["-c", "command -v pulumi"], { encoding: "utf8" }).trim();
  symlinkSync(pulumi, join(project.root, ".tools/bin/pulumi"));
  symlinkSync(nodeModules, join(project.root, "node_modules"));
  project.parts(["state"], "ensure_state");
  project.file("package.json", '{"name":"own-login","type":"module"}');
  project.file(
    "Pulumi.yaml",
    "name: own-login\nmain: index.ts\nruntime: {name: nodejs, options: {typescript: false}}\n",
  );
  project.file(
    "index.ts",
    'import * as pulumi from "@pulumi/pulumi";\nexport const stack: string = pulumi.getStack();\n',
  );
});
afterEach(() => project.dispose());

/** Every file below a directory, with its content. */
function contents(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), "utf8"),
    ]),
  );
}

it.each(["bash setup/with-tools.sh pulumi", ". setup/activate && pulumi"])(
  "`%s` deploys into the project's own state, and leaves ~/.pulumi and its login as they were",
  (pulumi) => {
    const own = join(project.home, ".pulumi");
    mkdirSync(own);
    writeFileSync(join(own, "credentials.json"), CREDENTIALS);
    // Another Pulumi's language host, which must not be used.
    project.program("pulumi-language-nodejs", "exit 1");

    const run = (args: string) => project.bash(`${pulumi} ${args} --non-interactive`);
    expect(run("stack init one").status).toBe(0);
    const up = run("up --yes --skip-preview --stack one");
    expect(up).toMatchObject({ status: 0, stderr: "" });
    expect(up.stdout).not.toMatch(/warning/i);
    const state = JSON.parse(project.read(".egress-bench/state/.pulumi/stacks/own-login/one.json"));
    expect(state.checkpoint.latest.resources[0].outputs).toEqual({ stack: "one" });
    expect(contents(project.home)).toEqual({ [join(own, "credentials.json")]: CREDENTIALS });
  },
);

it("does not even make ~/.pulumi", () => {
  expect(project.bash("bash setup/with-tools.sh pulumi stack ls --all").status).toBe(0);
  expect(readdirSync(project.home)).toEqual([]);
});
