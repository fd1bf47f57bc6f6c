/**
 * Cleans up after a run of tests or benchmarks, however it ends: hosts of its labs, which have no parent process, and processes
 * that it started. A guard process ends them; a test run that left some fails.
 */
import { spawn } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endHost } from "../../components/local/lab/hosts.ts";
import { type LivingHost, livingHosts } from "../../components/local/lab/living-hosts.ts";
import { commandLine, processIds } from "../../components/local/lab/processes.ts";

/** Names the run's directory. All processes of the run inherit it, except a lab's hosts, which are known by their lab. */
const RUN = "EGRESS_BENCH_TEST_RUN";
/** Seconds within which an ended process must be gone. */
const GRACE_SECONDS = 15;

export interface GuardedRun {
  /** Ends leftovers, after all processes had time to end by themselves. @returns what was left; null: nothing */
  end(): Promise<string | null>;
}

/** A global set-up of Vitest without `npm test`: the first project's guards the run for all. */
export default function setUp(): (() => Promise<void>) | undefined {
  if (process.env[RUN] !== undefined) return undefined;
  const run = guardRun();
  return async () => {
    const left = await run.end();
    if (left !== null) throw new Error(left);
  };
}

/** Guards this process: leftovers end when it ends, also by a signal. */
export function guardRun(): GuardedRun {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-run-"));
  writeFileSync(labsFile(directory), "");
  const program = fileURLToPath(new URL("left-behind-guard.ts", import.meta.url));
  // A process group of its own: ending the run's group must not end the guard, nor is it a leftover of another run.
  const { [RUN]: _, ...env } = process.env;
  const guard = spawn(process.execPath, [program, directory], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    env,
  });
  guard.unref();
  process.env[RUN] = directory;
  return {
    end: async () => {
      const deadline = performance.now() + GRACE_SECONDS * 1000;
      while (isLeft(directory) && performance.now() < deadline) await delay(200);
      const left = await endLeft(directory);
      delete process.env[RUN];
      guard.stdin.end();
      return left.length === 0 ? null : `left behind, and ended now:\n${left.join("\n")}`;
    },
  };
}

/** Makes the guard end the hosts of a lab. */
export function guardLab(lab: string): void {
  const directory = process.env[RUN];
  if (directory !== undefined) appendFileSync(labsFile(directory), `${lab}\n`);
}

/** Ends an ended run's leftovers until no more appear, since an engine may just be making another host. */
export async function endAll(directory: string, quietSeconds: number): Promise<void> {
  let quietSince = performance.now();
  while (performance.now() - quietSince < quietSeconds * 1000) {
    const left = await endLeft(directory);
    if (left.length > 0) quietSince = performance.now();
    await delay(200);
  }
  rmSync(directory, { recursive: true, force: true });
}

/** @returns what was left, one per line */
async function endLeft(directory: string): Promise<string[]> {
  const processes = processesOf(directory);
  const hosts = hostsOf(directory);
  for (const { pid } of processes) kill(pid);
  await Promise.all(hosts.map(endHost));
  return [
    ...hosts.map(({ lab, host, holder }) => `  host ${host} of lab ${lab}, process ${holder}`),
    ...processes.map(({ pid, command }) => `  process ${pid}: ${command.slice(0, 200)}`),
  ];
}

const labsFile = (directory: string) => join(directory, "labs");
const isLeft = (directory: string) => hostsOf(directory).length + processesOf(directory).length > 0;

function hostsOf(directory: string): LivingHost[] {
  const labs = new Set(readFileSync(labsFile(directory), "utf8").split("\n"));
  return livingHosts().filter(({ lab }) => labs.has(lab));
}

/** Processes with the run's mark that do not descend from this process. */
const processesOf = (directory: string) => marked(`${RUN}=${directory}`).filter(({ pid }) => isOrphan(pid));

/** Processes whose environment has this variable and value. */
export function marked(mark: string): { readonly pid: number; readonly command: string }[] {
  return processIds()
    .filter((pid) => read(pid, "environ").split("\0").includes(mark))
    .map((pid) => ({ pid, command: commandLine(pid).join(" ") }));
}

function isOrphan(pid: number): boolean {
  const parent = Number(/^PPid:\s+(\d+)$/m.exec(read(pid, "status"))?.[1] ?? process.pid);
  return parent === 1 || (parent !== process.pid && parent !== 0 && isOrphan(parent));
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return ""; // ended, or another user's
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
