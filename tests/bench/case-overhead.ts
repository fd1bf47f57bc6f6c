/** Overhead of a case: from the end of one tool to the start of the next. */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { Results } from "../../bench/index.ts";
import { median } from "../../bench/statistics/sample.ts";
import { plan } from "./lab.ts";

const CASES = 12;

/** The whole cycle: agent, SSH, plugin, and the engine's checkpoints before and after each case. */
export async function caseOverhead(stack: Stack): Promise<string[]> {
  const cases = Array.from({ length: CASES }, (_, index) => ({
    id: `tcp-${index}`,
    tool: "iperf3",
    protocol: "tcp",
    direction: "egress",
    durationSeconds: 1,
  }));
  await plan(stack, { name: "overhead", cases });
  const { outputs } = await stack.up({ color: "never" });
  const results = outputs.results?.value as Results;
  const attempts = results.cases.map((one) => one.attempts[0]);
  const cycles = attempts
    .slice(1)
    .map((one, at) => Date.parse(one?.startedAt ?? "") - Date.parse(attempts[at]?.finishedAt ?? ""));
  return [
    `from the end of one tool to the start of the next: ${median(cycles).toFixed(0)} ms (median of ${cycles.length}; worst ${Math.max(...cycles)} ms); goal 150 ms`,
  ];
}
