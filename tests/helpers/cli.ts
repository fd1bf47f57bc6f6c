/** Programs of cli/ as their users start them: with the project's own tools. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { frugal } from "./pulumi.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** How a program ended, and all that it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param program A file of cli/, such as `local.ts`. */
export function startCli(program: string, args: readonly string[]): ChildProcess & { ended: Promise<Ended> } {
  const child = spawn("bash", ["setup/with-tools.sh", "node", `cli/${program}`, ...args], {
    cwd: root,
    env: { ...process.env, ...frugal },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = new Promise<Ended>((resolve) =>
    child.on("close", (code) => resolve({ code, stdout, stderr })),
  );
  return Object.assign(child, { ended });
}
