/**
 * 64 clients and as many servers in one lab: the spread of their starts, and each one's size in the state.
 * @module
 */
import type { OutputValue, Stack } from "@pulumi/pulumi/automation/index.js";
import { MAX_PAIRS } from "../../bench/index.ts";
import type { CaseResult } from "../../bench/results/index.ts";
import { plan } from "./lab.ts";

const SECONDS = 10;

/** Start skew, sum and state of cases with 16 and 64 pairs. */
export async function manyPairs(stack: Stack): Promise<string[]> {
  const counts = [MAX_PAIRS / 4, MAX_PAIRS];
  await stack.setConfig("egress-bench:pairs", { value: String(MAX_PAIRS) });
  const before = performance.now();
  await plan(stack, {
    name: "pairs",
    cases: counts.map((pairs) => ({ tool: "iperf3", bitrate: "1M", pairs, durationSeconds: SECONDS })),
  });
  const { outputs } = await stack.up({ color: "never", parallel: 2 * MAX_PAIRS });
  const seconds = (performance.now() - before) / 1000;
  const { deployment } = await stack.exportStack();
  const bytes = Buffer.byteLength(JSON.stringify(deployment));
  const { cases } = (outputs.results as OutputValue).value as { cases: CaseResult[] };
  return [
    ...cases.map((one, at) => described(one, counts[at] as number)),
    `whole update: ${seconds.toFixed(0)} s; state: ${(bytes / 1000 / MAX_PAIRS).toFixed(1)} KB a pair, goal 64`,
  ];
}

function described({ failure, pairs, measurement }: CaseResult, count: number): string {
  const skews = (pairs ?? []).flatMap(({ startSkewMs }) => startSkewMs ?? []);
  const rate = (measurement?.bitsPerSecond ?? 0) / 1e6;
  return failure === null
    ? `${count} pairs of 1 Mbit/s: started within ${Math.max(...skews)} ms, goal 1,000; together ${rate.toFixed(2)} Mbit/s`
    : `${count} pairs: ${failure.message}`;
}
