/** Fetches, once, programs of npm packages that only tests need, in versions that this project does not use. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cache = fileURLToPath(new URL("../../node_modules/.cache/tests", import.meta.url));

/** Directory of a fetched package. It must bring its own dependencies. */
export function fetchedPackage(name: string, version: string): string {
  const directory = join(cache, `${name}-${version}`);
  const path = join(directory, "node_modules", name);
  if (!existsSync(path)) {
    mkdirSync(directory, { recursive: true });
    const quick = ["--ignore-scripts", "--no-save", "--no-audit", "--no-fund", "--no-progress"];
    const args = ["install", "--prefix", directory, ...quick, `${name}@${version}`];
    execFileSync("npm", args, { cwd: directory, stdio: "pipe" });
  }
  return path;
}

/** Executable of a Node version. @param version @default this one */
export function nodeBinary(version: string = process.versions.node): string {
  return version === process.versions.node
    ? process.execPath
    : join(fetchedPackage(`node-linux-${process.arch}`, version), "bin/node");
}
