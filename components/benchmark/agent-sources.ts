/** The host agent's source files, as they are copied to every host. */
import type { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { installPackages } from "../shared/cloud-init.ts";
import { zip } from "../shared/gzip.ts";
import { undoScript } from "../tuning/script.ts";

/** File of the packed agent on a host, relative to the SSH user's home. */
export const AGENT_PACKAGE = ".egress-bench-agent.pyz";

/** Text of the agent's Python files, its contract, and the scripts that prepare a host, by path in the package. */
export function agentSources(): Record<string, string> {
  const directory = new URL("../../agent/", import.meta.url);
  const paths = readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".py") || path === "contract.json")
    .sort();
  const script = (name: string) => [name, readFileSync(new URL(name, import.meta.url), "utf8")];
  return {
    ...Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, directory), "utf8")])),
    ...Object.fromEntries(["prepare-host.sh", "build-tools.sh", "start-at-boot.sh"].map(script)),
    "install-packages.sh": installPackages(["$*"]),
    "undo-tuning.sh": undoScript,
  };
}

/** All sources as a program that Python runs, `agent/unpack.py`, and its SHA-256 in hexadecimal. */
export function packedAgent(): { readonly bytes: Buffer; readonly digest: string } {
  const sources = agentSources();
  const bytes = zip({ "__main__.py": sources["unpack.py"] ?? "", "sources.json": JSON.stringify(sources) });
  return { bytes, digest: createHash("sha256").update(bytes).digest("hex") };
}
