/**
 * A `pulumi up` that has nothing to do, and the program's own start.
 *
 * @module
 */
import { readFileSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { plan } from "./lab.ts";

export async function secondUp(stack: Stack): Promise<string[]> {
  await plan(stack, {
    name: "short",
    cases: [{ id: "tcp", tool: "iperf3", protocol: "tcp", direction: "egress", durationSeconds: 1 }],
  });
  await stack.up({ color: "never" });
  const figures = `${stack.workspace.workDir}/program.json`;
  const hook = `${stack.workspace.workDir}/figures.cjs`;
  writeFileSync(hook, programFigures(figures));
  const since = Date.now();
  const { summary } = await withNodeOptions(`--require ${hook}`, () => stack.up({ color: "never" }));
  const seconds = (Date.now() - since) / 1000;
  const program = JSON.parse(readFileSync(figures, "utf8")) as Record<
    "seconds" | "cpuSeconds" | "megabytes",
    number
  >;
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return [
    `a second up: ${JSON.stringify(summary.resourceChanges)}, ${seconds.toFixed(1)} s at a load of ${load}; goal 3 s on a quiet machine`,
    `the program: ${program.seconds.toFixed(1)} s (CPU ${program.cpuSeconds.toFixed(1)} s), ${program.megabytes.toFixed(0)} MB at most; goals 1.5 s, 150 MB`,
  ];
}

/** Makes the process that runs the Pulumi program leave its own figures when it ends. */
function programFigures(file: string): string {
  return `
if (process.argv[1]?.includes("@pulumi/pulumi/cmd/run")) {
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
    const figures = { seconds: performance.now() / 1000, cpuSeconds, megabytes: maxRSS / 1024 };
    require("node:fs").writeFileSync(${JSON.stringify(file)}, JSON.stringify(figures));
  });
}
`;
}

async function withNodeOptions<T>(nodeOptions: string, work: () => Promise<T>): Promise<T> {
  const before = process.env.NODE_OPTIONS ?? "";
  process.env.NODE_OPTIONS = nodeOptions;
  try {
    return await work();
  } finally {
    process.env.NODE_OPTIONS = before;
  }
}
