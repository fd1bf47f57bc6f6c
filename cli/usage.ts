/**
 * The help texts of the commands. They are files, so that a machine where nothing is set up yet can show them too.
 */
import { readFileSync } from "node:fs";

/** @param command A directory of cli/. */
export function usageOf(command: string): string {
  return readFileSync(new URL(`./${command}/usage.txt`, import.meta.url), "utf8");
}
