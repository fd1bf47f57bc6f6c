/** The host agent's source files, as they are copied to every host. */
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gzip } from "../shared/gzip.ts";

/** Text of each Python file of `agent/`, and of its contract, by its path in there. */
export function agentSources(): Record<string, string> {
  const directory = new URL("../../agent/", import.meta.url);
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".py") || path === "contract.json")
    .sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, directory), "utf8")]));
}

/** All of them as `unpackAgent` reads them, and their SHA-256 in hexadecimal. */
export function packedAgent(): { readonly bytes: Buffer; readonly digest: string } {
  const bytes = gzip(JSON.stringify(agentSources()));
  return { bytes, digest: createHash("sha256").update(bytes).digest("hex") };
}
