/** What a case costs beside the tool's own time: engine, plugin, SSH, agent. */
import type { EngineEvent, Stack } from "@pulumi/pulumi/automation/index.js";
import { readRunReport } from "../../agent/read-report.ts";
import { median } from "../../bench/statistics/sample.ts";
import { plan } from "./lab.ts";

const CASES = 12;

export async function caseOverhead(stack: Stack): Promise<string[]> {
  const cases = Array.from({ length: CASES }, (_, index) => ({
    id: `tcp-${index}`,
    tool: "iperf3",
    protocol: "tcp",
    direction: "egress",
    durationSeconds: 1,
  }));
  await plan(stack, { name: "overhead", cases });
  const started = new Map<string, number>();
  const overheads: number[] = [];
  await stack.up({
    color: "never",
    onEvent: (event: EngineEvent) => {
      const begin = event.resourcePreEvent?.metadata.urn;
      if (begin?.includes(":tcp-")) {
        started.set(begin, Date.now());
      }
      const end = event.resOutputsEvent?.metadata;
      const report = end?.new?.outputs?.stdout;
      if (end !== undefined && started.has(end.urn) && typeof report === "string") {
        overheads.push(Date.now() - (started.get(end.urn) ?? 0) - toolMs(report));
      }
    },
  });
  return [
    `beside the measuring, a case costs ${median(overheads).toFixed(0)} ms (median of ${overheads.length}; worst ${Math.max(...overheads)} ms); bound 500 ms`,
  ];
}

/** Milliseconds that the tool itself took. */
function toolMs(report: string): number {
  const { attempts } = readRunReport(report);
  return attempts.reduce((sum, one) => sum + Date.parse(one.finishedAt) - Date.parse(one.startedAt), 0);
}
