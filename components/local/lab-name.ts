import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";

/**
 * Name of a stack's lab: for one stack name, two clones or two backends of one project have separate labs.
 * @param directory The program's working directory.
 * @param backendUrl The state's URL, as in `PULUMI_BACKEND_URL`; undefined: where the user is logged in.
 */
export function labName(stack: string, directory: string, backendUrl: string | undefined): string {
  const real = existsSync(directory) ? realpathSync(directory) : resolve(directory);
  const place = JSON.stringify([real, backendUrl ?? ""]);
  return `${stack}@${createHash("sha256").update(place).digest("hex").slice(0, 12)}`;
}
