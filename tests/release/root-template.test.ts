/**
 * `pulumi new` of this repository, which is a template too: "compare in my account". Previewed with stand-ins for the clouds,
 * after what docs/library.md says to do next, but for the download of packages.
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { AttachedProcess } from "../helpers/attached/start.ts";
import { freshCheckout } from "../helpers/checkout.ts";
import { ROOT, startStandIns } from "../helpers/consumers.ts";
import { createEngine, type Engine } from "../helpers/pulumi.ts";

const directory = mkdtempSync(join(tmpdir(), "egress-bench-template-"));
const project = join(directory, "project");
let engine: Engine;
let standIns: AttachedProcess;

beforeAll(async () => {
  const checkout = join(directory, "checkout");
  freshCheckout(checkout);
  const quietly = ["--name", "egress-bench", "--generate-only", "--yes", "--force"];
  execFileSync("pulumi", ["new", checkout, ...quietly, "--dir", project], { stdio: "pipe" });
  symlinkSync(join(ROOT, "node_modules"), join(project, "node_modules"));
  cpSync(join(project, "stacks"), join(project, ".egress-bench/stacks"), { recursive: true });
  standIns = await startStandIns(directory);
  engine = createEngine(standIns.providers);
});
afterAll(() => {
  standIns.stop();
  engine.dispose();
  rmSync(directory, { recursive: true, force: true });
});

test("makes a project with the name in its stack files", () => {
  const { name, main } = parse(readFileSync(join(project, "Pulumi.yaml"), "utf8"));
  expect({ name, main }).toEqual({ name: "egress-bench", main: "index.ts" });
  expect(existsSync(join(project, "package-lock.json"))).toBe(true);
});

test.each([
  ["compare", ["azure-native:network:NatGateway", "azure-native:compute:VirtualMachine"]],
  ["aws-compare", ["aws:ec2/natGateway:NatGateway", "aws:ec2/instance:Instance"]],
])("previews %s", async (stackName, expected) => {
  appendFileSync(
    join(project, `.egress-bench/stacks/Pulumi.${stackName}.yaml`),
    '  ssh:allowedCidrs: ["203.0.113.7/32"]\n',
  );
  const stack = await engine.projectStack(stackName, project);
  const types: string[] = [];
  await stack.preview({
    onEvent: ({ resourcePreEvent }) => {
      if (resourcePreEvent?.metadata.op === "create") types.push(resourcePreEvent.metadata.type);
    },
  });
  expect(types).toEqual(expect.arrayContaining([...expected, "command:remote:Command"]));
});
