/** `npm run local` on a local stack's name under which a cloud's resources are deployed: nothing is touched. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { afterAll, expect, it } from "vitest";
import { local } from "../../../cli/local/command.ts";
import { cloudWorkspace, PROJECT, readyMade, type StackWorkspace } from "../../../cli/run/workspace.ts";
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

it.each([[[]], [["--down"]], [["--resume"]], [["--yes"]]])("%j", async (options) => {
  const project = join(directory, "state");
  mkdirSync(project, { recursive: true });
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName, projectName: PROJECT, program: async () => ({}) },
    { workDir: project, pulumiHome: engine.environment.PULUMI_HOME ?? "", envVars: engine.environment },
  );
  const { deployment } = await stack.exportStack();
  await stack.importStack({ version: 3, deployment: { ...deployment, resources } });
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
    workspaces: { azure: cloudWorkspace, aws: cloudWorkspace, local: workspace },
  });
  expect(stderr).toContain(
    `stack ${stackName} holds resources of aws, which are not the local lab's; destroy them by hand: npm run pulumi -- destroy --stack ${stackName}`,
  );
  expect(status).toBeGreaterThan(0);
  const after = (await stack.exportStack()).deployment.resources as readonly { readonly urn: string }[];
  expect(after.map((one) => one.urn)).toEqual(resources.map((one) => one.urn));
});
