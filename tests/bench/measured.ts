/** The cost of a command as a process of its own. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Runs a command and reports its resource use. @param nodeOptions As in `setup/run.sh` */
export async function measured(name: string, args: readonly string[], nodeOptions: readonly string[] = []) {
  const program = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
  const script = `process.on("exit", () => console.error("used " + JSON.stringify(process.resourceUsage()))); import(process.argv[1])`;
  const start = performance.now();
  const child = spawn(process.execPath, [...nodeOptions, "-e", script, program, name, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const status = await new Promise((resolve) => child.on("close", resolve));
  const used = JSON.parse(/^used (.*)$/m.exec(stderr)?.[1] ?? "null");
  if (status !== 0 || used === null) {
    throw new Error(`${name} ended with ${status}: ${stderr}`);
  }
  return {
    seconds: (performance.now() - start) / 1000,
    cpuSeconds: (used.userCPUTime + used.systemCPUTime) / 1e6,
    peakBytes: used.maxRSS * 1024,
  };
}
