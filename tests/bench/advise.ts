/**
 * What `npm run advise` takes for a log of a size: time and the process's peak memory.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { writeMadeUpLog } from "./made-up-log.ts";

const program = fileURLToPath(new URL("../../cli/advise.ts", import.meta.url));

/** Bytes of the log; `EGRESS_BENCH_ADVISE_GB` asks for more than 1 GB. */
function logBytes(): number {
  return Number(process.env.EGRESS_BENCH_ADVISE_GB ?? "1") * 1e9;
}

/** Makes a log, has a process of its own give advice, and says what that took. */
export async function adviseOnLog(): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), "egress-bench-advise-bench-"));
  try {
    const path = join(directory, "made-up.log");
    const lines = writeMadeUpLog(path, logBytes());
    const { seconds, cpuSeconds, peakBytes } = await measured([
      "--flow-logs",
      path,
      "--out",
      join(directory, "out"),
    ]);
    const size = `${(statSync(path).size / 1e9).toFixed(2)} GB of text, ${lines.toLocaleString("en-US")} records`;
    return [
      `${size}: ${seconds.toFixed(1)} s (CPU ${cpuSeconds.toFixed(1)} s), peak memory ${Math.round(peakBytes / 1e6)} MB`,
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
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
