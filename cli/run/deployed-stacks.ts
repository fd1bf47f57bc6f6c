/** Finds deployed stacks of a matrix in their backends, from any run. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { automation, pulumiCommand } from "../pulumi/automation.ts";
import { besideConfig, makeProject, recordedRuns, type StackWorkspace } from "../pulumi/workspace.ts";
import { makeDirectory } from "../terminal/result-files.ts";
import type { MatrixFile } from "./matrix-file.ts";
import type { MatrixPlan } from "./plan-cells.ts";
import type { CommandIo } from "./request.ts";

/** A deployed stack. */
export interface Standing {
  readonly name: string;
  /** Null: the backend does not report it. */
  readonly resources: number | null;
  /** Whether this checkout made it, so that its run can be resumed. */
  readonly isOurs: boolean;
}

/**
 * Deployed stacks of the matrix in the backends of its clouds: those in its file (for a shard its own cells only), and those
 * that have left the file.
 *
 * @param known Stacks that commands of this matrix have started. Another matrix's name may begin with this one's.
 */
export async function standingStacks(
  plan: MatrixPlan,
  workspaces: CommandIo["workspaces"],
  known: ReadonlySet<string>,
): Promise<Standing[]> {
  const clouds = [...new Set(plan.all.map(({ stack }) => stack.cloud))];
  const byBackend = new Map<string, StackWorkspace>();
  for (const cloud of clouds) {
    const workspace = matrixWorkspace(workspaces[cloud], plan);
    byBackend.set(JSON.stringify(workspace.environment), workspace);
  }
  const found = await Promise.all(
    [...byBackend.values()].map((workspace) => standingIn(workspace, plan, known)),
  );
  return [...new Map(found.flat().map((one) => [one.name, one])).values()];
}

async function standingIn(
  workspace: StackWorkspace,
  plan: MatrixPlan,
  known: ReadonlySet<string>,
): Promise<Standing[]> {
  const { LocalWorkspace } = await automation();
  makeProject(workspace);
  const opened = await LocalWorkspace.create({
    workDir: workspace.project,
    envVars: { ...workspace.environment },
    pulumiCommand: await pulumiCommand(),
  });
  const stacks = await opened.listStacks();
  return stacks
    .filter(({ name, resourceCount }) => isOfMatrix(name, plan, known) && resourceCount !== 0)
    .map(({ name, resourceCount }) => ({
      name,
      resources: resourceCount ?? null,
      isOurs: existsSync(besideConfig(name, workspace, "runs")) && recordedRuns(name, workspace).size > 0,
    }));
}

function isOfMatrix(name: string, { cells, all, shard }: MatrixPlan, known: ReadonlySet<string>): boolean {
  const isOwn = cells.some((cell) => cell.name === name);
  const isOther = all.some((cell) => cell.name === name) && !isOwn;
  return isOwn || (shard === null && !isOther && known.has(name));
}

/** A cloud's workspace with the matrix's own stack files, and its backend if it names one. */
export function matrixWorkspace(
  base: StackWorkspace,
  { file }: { readonly file: Pick<MatrixFile, "name" | "backend"> },
): StackWorkspace {
  const stackFiles = join(base.project, "matrix", file.name);
  if (!existsSync(stackFiles)) {
    makeDirectory(stackFiles);
  }
  const backend = file.backend === undefined ? {} : { PULUMI_BACKEND_URL: file.backend };
  return { ...base, stackFiles, environment: { ...base.environment, ...backend } };
}
