/** The host agent's source files, as they are copied to every host. */
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gzip } from "../shared/gzip.ts";
import { undoScript } from "../tuning/script.ts";
import { startAtBoot } from "./start-at-boot.ts";

/** Script of the package that takes back a tuning which is no longer wanted. */
export const UNDO_TUNING = "undo-tuning.sh";
/** Script of the package that has the daemon come up with the machine. */
export const START_AT_BOOT = "start-at-boot.sh";

/** Text of each Python file of `agent/`, of its contract, by its path in there, and of the scripts that prepare a host. */
export function agentSources(): Record<string, string> {
  const directory = new URL("../../agent/", import.meta.url);
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".py") || path === "contract.json")
    .sort();
  return {
    ...Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, directory), "utf8")])),
    [UNDO_TUNING]: undoScript,
    [START_AT_BOOT]: startAtBoot,
  };
}

/** All of them as `unpackAgent` reads them, and their SHA-256 in hexadecimal. */
export function packedAgent(): { readonly bytes: Buffer; readonly digest: string } {
  const bytes = gzip(JSON.stringify(agentSources()));
  return { bytes, digest: createHash("sha256").update(bytes).digest("hex") };
}
