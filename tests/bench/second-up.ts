/** A `pulumi up` without changes, and the program's own start. */
import { loadavg } from "node:os";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { plan } from "./lab.ts";
import { figuresOfNode, PROGRAM } from "./node-figures.ts";

export async function secondUp(stack: Stack): Promise<string[]> {
  await plan(stack, {
    name: "short",
    cases: [{ id: "tcp", tool: "iperf3", protocol: "tcp", direction: "egress", durationSeconds: 1 }],
  });
  await stack.up({ color: "never" });
  const figures = figuresOfNode(stack.workspace.workDir);
  const since = Date.now();
  const { summary } = await withNodeOptions(figures.nodeOptions, () => stack.up({ color: "never" }));
  const seconds = (Date.now() - since) / 1000;
  const program = figures.of(PROGRAM);
  const load = (loadavg()[0] ?? 0).toFixed(1);
  return [
    `a second up: ${JSON.stringify(summary.resourceChanges)}, ${seconds.toFixed(1)} s at a load of ${load}; goal 3 s on a quiet machine`,
    `the program: ${program.seconds.toFixed(1)} s (CPU ${program.cpuSeconds.toFixed(1)} s), ${program.megabytes.toFixed(0)} MB at most; goals 1.5 s, 150 MB`,
  ];
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
