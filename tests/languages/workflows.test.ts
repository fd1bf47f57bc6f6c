/** The example workflows, read by actionlint: syntax, expressions, inputs of actions, and shellcheck for what they run. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const examples = fileURLToPath(new URL("../../docs/examples/", import.meta.url));
const isWorkflow = (name: string) =>
  name.endsWith(".yml") && /^jobs:/m.test(readFileSync(`${examples}${name}`, "utf8"));

const program = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.7";
const actionlint = (files: readonly string[], input = "") => {
  const { status, stdout, stderr } = spawnSync("go", ["run", program, "-no-color", ...files], {
    ...{ cwd: examples, input, encoding: "utf8" },
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  return { status, said: stdout + stderr.replace(/^go: downloading .*\n/gm, "") };
};

it("finds nothing", () => {
  const workflows = readdirSync(examples).filter(isWorkflow);
  expect(workflows.length).toBeGreaterThan(3);
  expect(actionlint(workflows)).toEqual({ status: 0, said: "" });
});

it("finds an input that is not declared", () => {
  const broken = readFileSync(`${examples}matrix.yml`, "utf8").replace("inputs.matrix }}", "inputs.matrx }}");
  const { status, said } = actionlint(["-"], broken);
  expect(status).not.toBe(0);
  expect(said).toContain('property "matrx" is not defined');
});
