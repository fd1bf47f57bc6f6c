/**
 * The host agent's source files, as they are copied to every host.
 *
 * @module
 */
import { readdirSync, readFileSync } from "node:fs";
import { gzipBase64 } from "../shared/gzip.ts";

/** Text of each Python file of `agent/`, by its path in there. */
export function agentSources(): Record<string, string> {
  const directory = new URL("../../agent/", import.meta.url);
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".py"))
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, directory), "utf8")]));
}

/** All of them in one line, as `unpackAgent` reads them. Pulumi keeps it twice a host, and writes it with every step. */
export function packedAgent(): string {
  return gzipBase64(JSON.stringify(agentSources()));
}
