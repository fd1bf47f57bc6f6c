/** `npm run local` with the name of a stack that has a cloud's resources: nothing is touched. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, expect, it } from "vitest";
import { pulumiCommand } from "../../../cli/pulumi/automation.ts";
import { cloudWorkspace, PROJECT, readyMade, type StackWorkspace } from "../../../cli/pulumi/workspace.ts";
import { local } from "../../../cli/run/command.ts";
import { createEngine } from "../../helpers/pulumi.ts";

const engine = createEngine();
const directory = mkdtempSync(join(tmpdir(), "egress-bench-local-cloud-"));
afterAll(() => {
  engine.dispose();
  rmSync(directory, { recursive: true, force: true });
});

const stackName = "local-compare";
const urn = (type: string, name: string) => `urn:pulumi:${stackName}::${PROJECT}::${type}::${name}`;
const root = urn("pulumi:pulumi:Stack", `${PROJECT}-${stackName}`);
const resources = [
  { urn: root, custom: false, type: "pulumi:pulumi:Stack" },
  {
    urn: urn("egress-bench:aws:NatInstance", "nat"),
    custom: false,
    type: "egress-bench:aws:NatInstance",
    parent: root,
  },
  {
    urn: urn("aws:ec2/eip:Eip", "address"),
    custom: true,
    id: "eipalloc-1",
    type: "aws:ec2/eip:Eip",
    parent: root,
  },
];

let stack: Stack;
const project = join(directory, "state");
beforeAll(async () => {
  mkdirSync(project);
  stack = await LocalWorkspace.createStack(
    { stackName, projectName: PROJECT, program: async () => ({}) },
    {
      workDir: project,
      envVars: engine.environment,
      pulumiCommand: await pulumiCommand(),
    },
  );
  const deployment = { manifest: { time: "2026-11-22T00:00:00Z", magic: "", version: "" }, resources };
  await stack.importStack({ version: 3, deployment });
});
const state = () =>
  readFileSync(join(engine.directory, "state/.pulumi/stacks", PROJECT, `${stackName}.json`), "utf8");

it.each([[[]], [["--down"]], [["--resume"]], [["--yes"]]])("%j", async (options) => {
  const before = state();
  expect(before).toContain("eipalloc-1");
  const workspace: StackWorkspace = {
    project: join(directory, "project"),
    stackFiles: readyMade,
    environment: engine.environment,
  };
  let stderr = "";
  const status = await local([...options, "--out", join(directory, "results.json")], {
    stdout: { write: () => {} },
    stderr: {
      write: (text) => {
        stderr += text;
      },
    },
    ask: null,
    onInterrupt: () => new AbortController().signal,
    workspaces: { azure: cloudWorkspace, aws: cloudWorkspace, hosts: cloudWorkspace, local: workspace },
  });
  expect(stderr).toContain(
    `stack ${stackName} holds resources of aws, which are not the local lab's; destroy them by hand: npm run pulumi -- destroy --stack ${stackName}`,
  );
  expect(stderr.includes("  destroy: npm run local -- --down\n")).toBe(options.includes("--down"));
  expect(status).toBeGreaterThan(0);
  expect(state()).toBe(before);
});
