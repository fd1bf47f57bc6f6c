/** What a change of each argument does to a deployed component: writes `docs/reference/changes.md`. */
import { writeFileSync } from "node:fs";
import { inCheckout } from "../../cli/run/workspace.ts";
import { changesPage } from "../helpers/changes/page.ts";
import { awsOutcomes, azureOutcomes } from "../helpers/changes/run.ts";

/** @returns What is wrong with a change, if anything is, and where the page is. */
export async function changes(): Promise<string[]> {
  const page = "docs/reference/changes.md";
  const clouds = { AWS: await awsOutcomes(), Azure: await azureOutcomes() };
  writeFileSync(inCheckout(page), changesPage(clouds));
  const count = Object.values(clouds)
    .flatMap((outcomes) => [...outcomes.values()])
    .reduce((sum, all) => sum + all.length, 0);
  return [`${count} changes in ${page}`];
}
