/** Effects of each argument's change on a deployed component: writes `docs/reference/changes.md`. */
import { writeFileSync } from "node:fs";
import { inCheckout } from "../../cli/pulumi/workspace.ts";
import { awsOutcomes, azureOutcomes } from "../helpers/changes/run.ts";
import { changesPage } from "../helpers/changes/table.ts";

/** Makes the page. @returns Problems of changes, if any, and the page's path. */
export async function changes(): Promise<string[]> {
  const page = "docs/reference/changes.md";
  const clouds = { AWS: await awsOutcomes(), Azure: await azureOutcomes() };
  writeFileSync(inCheckout(page), changesPage(clouds));
  const count = Object.values(clouds)
    .flatMap((outcomes) => [...outcomes.values()])
    .reduce((sum, all) => sum + all.length, 0);
  return [`${count} changes in ${page}`];
}
