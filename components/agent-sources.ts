/**
 * The host agent's source files, as they are copied to every host.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";

/** Text of each Python file of `bench/host-agent/`, by file name. */
export function agentSources(): Record<string, string> {
  const directory = new URL("../bench/host-agent/", import.meta.url);
  const names = readdirSync(directory)
    .filter((name) => name.endsWith(".py"))
    .sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, directory), "utf8")]));
}
