/** Stacks of a matrix that stand, whoever left them: as their backends have it. */
import { existsSync } from "node:fs";
import type { CommandIo } from "../compare/request.ts";
import { automation, pulumiCommand } from "../run/automation.ts";
import { besideConfig, makeProject, recordedRuns, type StackWorkspace } from "../run/workspace.ts";
import type { MatrixPlan } from "./plan.ts";
import { matrixWorkspace } from "./workspace.ts";

/** A stack that stands. */
export interface Standing {
  readonly name: string;
  /** Null: the backend does not tell. */
  readonly resources: number | null;
  /** Whether this checkout made it, so that its run can go on. */
  readonly isOurs: boolean;
}

/** Stacks of the matrix's name in the backends of its clouds, with resources; of a shard, its own cells alone. */
export async function standingStacks(
  plan: MatrixPlan,
  workspaces: CommandIo["workspaces"],
): Promise<Standing[]> {
  const clouds = [...new Set(plan.all.map(({ stack }) => stack.cloud))];
  const byBackend = new Map<string, StackWorkspace>();
  for (const cloud of clouds) {
    const workspace = matrixWorkspace(workspaces[cloud], plan);
    byBackend.set(JSON.stringify(workspace.environment), workspace);
  }
  const found = await Promise.all([...byBackend.values()].map((workspace) => standingIn(workspace, plan)));
  return [...new Map(found.flat().map((one) => [one.name, one])).values()];
}

async function standingIn(workspace: StackWorkspace, plan: MatrixPlan): Promise<Standing[]> {
  const { LocalWorkspace } = await automation();
  makeProject(workspace);
  const opened = await LocalWorkspace.create({
    workDir: workspace.project,
    envVars: { ...workspace.environment },
    pulumiCommand: await pulumiCommand(),
  });
  const stacks = await opened.listStacks();
  return stacks
    .filter(({ name, resourceCount }) => isOfMatrix(name, plan) && resourceCount !== 0)
    .map(({ name, resourceCount }) => ({
      name,
      resources: resourceCount ?? null,
      isOurs: existsSync(besideConfig(name, workspace, "runs")) && recordedRuns(name, workspace).size > 0,
    }));
}

/** Names end with eight digits of the cell's digest. */
function isOfMatrix(name: string, { file, cells, all, shard }: MatrixPlan): boolean {
  const isOwn = cells.some((cell) => cell.name === name);
  const isOther = all.some((cell) => cell.name === name) && !isOwn;
  return (
    isOwn || (shard === null && !isOther && name.startsWith(`${file.name}-`) && /-[0-9a-f]{8}$/.test(name))
  );
}
