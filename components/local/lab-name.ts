import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Name of a stack's lab: two clones, or two backends of one project, have labs of their own for one stack name.
 *
 * @param directory Where the program runs.
 * @param backendUrl Where the state is, as `PULUMI_BACKEND_URL` has it; undefined: where the user is logged in.
 */
export function labName(stack: string, directory: string, backendUrl: string | undefined): string {
  const real = existsSync(directory) ? realpathSync(directory) : resolve(directory);
  const place = JSON.stringify([real, backendUrl ?? ""]);
  return `${stack}@${createHash("sha256").update(place).digest("hex").slice(0, 12)}`;
}
