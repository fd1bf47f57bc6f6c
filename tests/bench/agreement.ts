/** Compares the program's figures with those of iperf3 run by hand between the same hosts. */

import type { Stack } from "@pulumi/pulumi/automation/index.js";
import type { Results } from "../../bench/index.ts";
import { median } from "../../bench/statistics/sample.ts";
import { inCheckout } from "../../cli/pulumi/workspace.ts";
import { SERVER_ADDRESS } from "../../components/local/addresses.ts";
import { runInHost } from "../../components/local/lab/enter.ts";
import { labName } from "../../components/local/lab-name.ts";
import { plan } from "./lab.ts";

const ROUNDS = 10;
const SECONDS = 4;

/** A link as fast as the machine shows the program's cost and the machine's noise; a shaped one only the former. */
const links = { unshaped: {}, "1 Gbit/s link": { server: { rate: "1G" } } };

export async function agreement(stack: Stack): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, shape] of Object.entries(links)) {
    await stack.setConfig("egress-bench:local", { value: JSON.stringify({ links: shape }) });
    lines.push(`${name}: ${await compare(stack)}`);
  }
  return lines;
}

async function compare(stack: Stack): Promise<string> {
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // The order alternates, so that a drift of the machine favours neither.
    const order = round % 2 === 0 ? [byProgram, byHand] : [byHand, byProgram];
    const figures = new Map<unknown, number>();
    for (const measure of order) {
      figures.set(measure, await measure(stack));
    }
    ratios.push((figures.get(byProgram) ?? Number.NaN) / (figures.get(byHand) ?? Number.NaN));
  }
  const middle = median(ratios);
  const spread = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
  return `program / by hand: ${middle.toFixed(3)} (median of ${ROUNDS}, ${spread}); bound 0.97 to 1.03`;
}

async function byProgram(stack: Stack): Promise<number> {
  await plan(stack, {
    name: "agreement",
    cases: [{ id: "tcp", tool: "iperf3", protocol: "tcp", direction: "egress", durationSeconds: SECONDS }],
  });
  const { outputs } = await stack.up({ color: "never" });
  const results = outputs.results?.value as Results;
  return results.cases[0]?.measurement?.bitsPerSecond ?? Number.NaN;
}

async function byHand(stack: Stack): Promise<number> {
  const { workDir } = stack.workspace;
  const text = runInHost(
    labName(stack.name, inCheckout(""), `file://${workDir}`),
    "nat-instance-client",
    `iperf3 -c ${SERVER_ADDRESS} -t ${SECONDS} -J`,
  );
  return (JSON.parse(text) as { end: { sum_received: { bits_per_second: number } } }).end.sum_received
    .bits_per_second;
}
