/** The cost of a NAT instance's death in the lab, for a single machine and for a pair. */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { type CaseResult, resultsSchema } from "../../bench/results/index.ts";
import { plan } from "./lab.ts";

const REPETITIONS = { "nat-instance-ha": 30, "nat-instance": 3 } as const;

export async function failover(stack: Stack): Promise<string[]> {
  const lines: string[] = [];
  for (const [topology, repeat] of Object.entries(REPETITIONS)) {
    await stack.setConfig("egress-bench:topologies", { value: JSON.stringify([topology]) });
    const kill = { tool: "failover", failure: "kill", durationSeconds: 9, downSeconds: 3, flows: 1000 };
    await plan(stack, { name: "failover", repeat, pauseSeconds: 1, cases: [kill] });
    const { outputs } = await stack.up({ color: "never" });
    const [found] = resultsSchema.parse(outputs.results?.value).cases;
    lines.push(`${topology}: killed ${repeat} times, 1,000 TCP and 1,000 UDP flows held`, ...table(found));
  }
  return lines;
}

const rows = {
  "failover.outages.new.ms": "outage of new connections, ms",
  "failover.outages.established.ms": "outage of a steady stream, ms",
  "failover.flows.tcp.survived": "TCP connections that survived",
  "failover.flows.udp.survived": "UDP flows that survived",
  "failover.flows.tcp.stallMs.max": "longest stall of a TCP connection, ms",
  "failover.readyAgainMs": "until ready again, ms",
};

function table(found: CaseResult | undefined): string[] {
  const { metrics = {}, failed = 0 } = found?.repetitions ?? {};
  const lines = Object.entries(rows).map(([field, words]) => {
    const values = (metrics[field]?.values ?? []).filter((value) => value !== null).toSorted((a, b) => a - b);
    const rank = (percent: number) =>
      values[Math.max(1, Math.ceil((percent * values.length) / 100)) - 1] ?? "?";
    return `  ${words.padEnd(40)} least ${rank(0)}, median ${rank(50)}, p95 ${rank(95)}, most ${rank(100)}`;
  });
  return [...lines, ...(failed > 0 ? [`  ${failed} failed: ${found?.failure?.message}`] : [])];
}
