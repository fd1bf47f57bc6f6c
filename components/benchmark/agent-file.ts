import { lstatSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { makeTemporary } from "../shared/files.ts";
import { AGENT_PACKAGE, packedAgent } from "./agent-sources.ts";

let file: pulumi.asset.FileAsset | undefined;

/**
 * The packed agent as a file asset: the state keeps only its digest, where the text would be written with every step. The
 * file lies in a temporary directory that this process deletes at its end; the next process removes one that a killed
 * process left.
 */
export function packedAgentFile(): pulumi.asset.FileAsset {
  if (file === undefined) {
    const directory = makeTemporary(`${PREFIX}${process.pid}-`);
    removeLeft();
    process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
    const path = join(directory, AGENT_PACKAGE);
    writeFileSync(path, packedAgent().bytes);
    file = new pulumi.asset.FileAsset(path);
  }
  return file;
}

/** Prefix with the host name: containers may share a temporary directory, and their process numbers overlap. */
const PREFIX = `egress-bench-agent-${hostname()}-`;

/** Removes this user's directories of dead processes. */
function removeLeft(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? /^\d+(?=-\w+$)/.exec(name.slice(PREFIX.length))?.[0] : undefined;
    if (pid !== undefined && hasEnded(Number(pid))) {
      removeOwn(join(tmpdir(), name));
    }
  }
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

function removeOwn(directory: string): void {
  try {
    const found = lstatSync(directory);
    if (found.isDirectory() && found.uid === process.getuid?.()) {
      rmSync(directory, { recursive: true, force: true });
    }
  } catch {
    // Another run removed it first.
  }
}
