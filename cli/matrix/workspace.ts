/** The workspace of a matrix's stacks. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../run/result-files.ts";
import type { StackWorkspace } from "../run/workspace.ts";
import type { MatrixFile } from "./file.ts";

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
