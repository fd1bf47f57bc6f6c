/** Reads the commands' help texts, which are files so that a machine without a set-up can show them too. */
import { readFileSync } from "node:fs";

/** @param command A directory of cli/. */
export function usageOf(command: string): string {
  return readFileSync(new URL(`./${command}/usage.txt`, import.meta.url), "utf8");
}
