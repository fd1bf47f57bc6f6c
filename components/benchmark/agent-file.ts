/**
 * The packed agent as an asset of the program.
 *
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { AGENT_PACKAGE } from "./agent-install.ts";
import { packedAgent } from "./agent-sources.ts";

let file: pulumi.asset.FileAsset | undefined;

/**
 * The packed agent as a file, of which the state keeps the digest alone: the text itself would be written with every step.
 * The file lies in a new directory of this process and is gone at its end.
 */
export function packedAgentFile(): pulumi.asset.FileAsset {
  if (file === undefined) {
    const directory = mkdtempSync(join(tmpdir(), "egress-bench-agent-"));
    process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    const path = join(directory, AGENT_PACKAGE);
    writeFileSync(path, packedAgent().bytes);
    file = new pulumi.asset.FileAsset(path);
  }
  return file;
}
