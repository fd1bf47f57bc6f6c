/** What `npm run advise` takes for a log of a size: time and the process's peak memory. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeMadeUpLog } from "./made-up-log.ts";
import { writeMadeUpParquet } from "./made-up-parquet.ts";

const program = fileURLToPath(new URL("../../cli/advise.ts", import.meta.url));

/** Makes a log, has a process of its own give advice, and says what that took. */
export async function adviseOnLog(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-advise-bench-"));
  try {
    const { path, what } = await makeLog(directory);
    const loadBefore = load();
    const { seconds, cpuSeconds, peakBytes } = await measured([
      "--flow-logs",
      path,
      "--out",
      join(directory, "out"),
    ]);
    const size = `${(statSync(path).size / 1e9).toFixed(2)} GB of ${what}`;
    return [
      `${size}: ${seconds.toFixed(1)} s (CPU ${cpuSeconds.toFixed(1)} s, load ${loadBefore} to ${load()}), peak memory ${Math.round(peakBytes / 1e6)} MB`,
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Text of 1 GB, or of `EGRESS_BENCH_ADVISE_GB`; with `EGRESS_BENCH_ADVISE_MILLIONS` so many million rows of Parquet. */
async function makeLog(directory: string): Promise<{ path: string; what: string }> {
  const { EGRESS_BENCH_ADVISE_GB: gb = "1", EGRESS_BENCH_ADVISE_MILLIONS: millions } = process.env;
  if (millions !== undefined) {
    const path = join(directory, "made-up.parquet");
    await writeMadeUpParquet(path, Number(millions) * 1e6);
    return { path, what: `Parquet, ${millions} million records` };
  }
  const path = join(directory, "made-up.log");
  const lines = writeMadeUpLog(path, Number(gb) * 1e9);
  return { path, what: `text, ${lines.toLocaleString("en-US")} records` };
}

/** How many processes want to run, of the last minute. */
function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

/** Runs the program and has it say what it used. */
async function measured(args: readonly string[]) {
  const script = `process.argv.splice(1, 1); process.on("exit", () => console.error("used " + JSON.stringify(process.resourceUsage()))); import(process.argv[1])`;
  const start = performance.now();
  const child = spawn(process.execPath, ["-e", script, "advise", program, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  const used = JSON.parse(/^used (.*)$/m.exec(stderr)?.[1] ?? "null");
  if (status !== 0 || used === null) {
    throw new Error(`advise ended with ${status}: ${stderr}`);
  }
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: (used.userCPUTime + used.systemCPUTime) / 1e6,
    peakBytes: used.maxRSS * 1024,
  };
}
