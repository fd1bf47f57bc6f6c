/** Deploys, measures and destroys repeatedly, and compares the machine before and after. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { livingHosts } from "../../components/local/lab/living-hosts.ts";
import { openLabStack } from "../helpers/lab-stack.ts";

const CYCLES = 50;
const plan = { name: "cycle", cases: [{ tool: "connect", durationSeconds: 1 }] };

/** Resources of this bench's labs. The machine has other users, so only certain ones are counted. */
interface Inventory {
  readonly hosts: number;
  /** Processes that a lab of ours names, or with this bench's environment. */
  readonly processes: number;
  /** Ended children of this process. */
  readonly zombies: number;
  readonly interfaces: number;
  readonly mounts: number;
  /** Network namespaces of those processes. */
  readonly networks: number;
  /** Namespaces without processes that a mount keeps alive. */
  readonly pinnedNamespaces: number;
  /** Files in the temporary directory, which belongs to this bench. */
  readonly temporaryFiles: number;
  /** Open files of this process. */
  readonly openFiles: number;
}

/** Deploys, measures and destroys that many times. Leftovers make the exit status 1. */
export async function cycles(count = CYCLES): Promise<string[]> {
  const directory = mkdtempSync(`${tmpdir()}/egress-bench-cycles-`);
  process.env.TMPDIR = directory;
  const labs: string[] = [];
  const look = () => inventory(directory, labs);
  const started = performance.now();
  const memory: number[] = [];
  const own: number[] = [];
  const kilobytes: number[] = [];
  let before = look();
  for (let cycle = 1; cycle <= count; cycle++) {
    const lab = await openLabStack({ topologies: ["nat-instance"], plan, runId: String(cycle) });
    labs.push(lab.lab);
    await lab.up();
    await lab.stack.destroy({ color: "never" });
    kilobytes.push(kilobytesOf(directory));
    await lab.dispose();
    memory.push(unreclaimableMegabytes());
    own.push(process.memoryUsage.rss() / 2 ** 20);
    if (cycle === 1) {
      // The first round loads what all rounds use.
      before = { ...before, openFiles: look().openFiles };
    }
    process.stderr.write(`cycle ${cycle}: ${JSON.stringify(look())}, ${memory.at(-1)} MB\n`);
  }
  const after = look();
  rmSync(directory, { recursive: true });
  const grown = Object.entries(before).filter(([key, value]) => after[key as keyof Inventory] > value);
  if (grown.length > 0) {
    process.exitCode = 1;
  }
  const ends = (values: readonly number[]) =>
    `${mean(values.slice(0, 5))} MB after the first five cycles, ${mean(values.slice(-5))} MB after the last five`;
  return [
    `${count} cycles of up and destroy in ${((performance.now() - started) / 60_000).toFixed(1)} minutes; more afterwards than before: ${grown.map(([key]) => key).join(", ") || "nothing"}`,
    `before ${JSON.stringify(before)}`,
    `after  ${JSON.stringify(after)}`,
    `memory of kernel and memory files, the machine's: ${ends(memory)}`,
    `memory of this process: ${ends(own)}`,
    `state and logs of a cycle, removed with its stack: ${Math.min(...kilobytes)} to ${Math.max(...kilobytes)} kB`,
  ];
}

function inventory(directory: string, labs: readonly string[]): Inventory {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const mounts = text("/proc/self/mountinfo").split("\n");
  const isOurs = (pid: string) =>
    text(`/proc/${pid}/environ`).includes(directory) ||
    labs.some((lab) => text(`/proc/${pid}/cmdline`).includes(lab));
  return {
    hosts: livingHosts().filter(({ lab }) => labs.includes(lab)).length,
    processes: pids.filter(isOurs).length,
    zombies: pids.filter((pid) => isOwnZombie(text(`/proc/${pid}/stat`))).length,
    interfaces: readdirSync("/sys/class/net").length,
    mounts: mounts.length,
    networks: new Set(pids.filter(isOurs).map(networkOf)).size,
    pinnedNamespaces: mounts.filter((line) => line.includes(" - nsfs ")).length,
    temporaryFiles: readdirSync(directory, { recursive: true }).length,
    openFiles: readdirSync("/proc/self/fd").length,
  };
}

function networkOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`);
  } catch {
    return "";
  }
}

function isOwnZombie(stat: string): boolean {
  const [state, parent] = stat.replace(/^.*\) /s, "").split(" ");
  return state === "Z" && Number(parent) === process.pid;
}

function unreclaimableMegabytes(): number {
  const table = text("/proc/meminfo");
  const kilobytes = ["SUnreclaim", "Shmem", "KernelStack", "PageTables"].map((key) =>
    Number(new RegExp(`^${key}: +(\\d+)`, "m").exec(table)?.[1] ?? 0),
  );
  return Math.round(kilobytes.reduce((sum, one) => sum + one) / 1024);
}

function kilobytesOf(directory: string): number {
  return Number(execFileSync("du", ["-sk", directory], { encoding: "utf8" }).split("\t")[0]);
}

function mean(values: readonly number[]): number {
  return Math.round(values.reduce((sum, one) => sum + one, 0) / values.length);
}

function text(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
