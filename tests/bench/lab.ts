/** A lab stack for the benchmarks, beside those of the `local` commands. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation/index.js";
import { parse, stringify } from "yaml";
import { inCheckout } from "../../cli/pulumi/workspace.ts";
import { OWN_RESULTS } from "../../cli/terminal/result-files.ts";
import { labName } from "../../components/local/lab-name.ts";
import { guardLab } from "../helpers/left-behind.ts";

/** Counter of runs, so that each `up` measures afresh. */
let runs = 0;

/** Opens a stack of topology `nat-instance` in a project and state of its own. */
export async function openBenchLab(): Promise<Stack> {
  const workDir = mkdtempSync(`${tmpdir()}/egress-bench-figures-`);
  const project = parse(readFileSync(inCheckout("Pulumi.yaml"), "utf8"));
  const main = inCheckout("index.ts");
  writeFileSync(`${workDir}/Pulumi.yaml`, stringify({ ...project, main, stackConfigDir: "." }));
  const backend = `file://${workDir}`;
  const stackName = `figures-${process.pid}`;
  guardLab(labName(stackName, inCheckout(""), backend));
  const stack = await LocalWorkspace.createOrSelectStack(
    { stackName, workDir },
    {
      envVars: {
        PULUMI_BACKEND_URL: backend,
        PULUMI_CONFIG_PASSPHRASE: "figures",
        PULUMI_CONFIG_PASSPHRASE_FILE: "",
        // Figures of this machine's lab belong to no library of results.
        [OWN_RESULTS]: "true",
      },
    },
  );
  await stack.setConfig("egress-bench:cloud", { value: "local" });
  await stack.setConfig("egress-bench:topologies", { value: '["nat-instance"]' });
  return stack;
}

/** Gives the stack a plan and a new run. */
export async function plan(stack: Stack, document: unknown): Promise<void> {
  runs += 1;
  await stack.setConfig("egress-bench:plan", { value: JSON.stringify(document) });
  await stack.setConfig("egress-bench:runId", { value: String(runs) });
}

export async function closeBenchLab(stack: Stack): Promise<void> {
  await stack.destroy({ color: "never" });
  rmSync(stack.workspace.workDir, { recursive: true, force: true });
}
