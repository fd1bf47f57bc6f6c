/** Runs of a made-up stack: NOT MEASURED. */
import type { RunFigure } from "../../../packages/history/src/series.ts";

const DAY_MS = 24 * 3600 * 1000;
const first = Date.parse("2026-01-01T00:00:00Z");

/** One run per day, each at one of the levels. */
export function stored({
  levels,
  ...change
}: Partial<RunFigure> & { readonly levels: readonly number[] }): RunFigure[] {
  return levels.map((level, index) => ({
    cloud: "azure",
    stack: "night",
    region: "eastus",
    topology: "nat-instance",
    caseId: change.figure === "latencyP50" ? "tcp-rtt" : "tcp-egress",
    figure: "throughput",
    runId: `run-${index}`,
    measuredAt: new Date(first + index * DAY_MS).toISOString(),
    ...{ n: 3, pilot: 3, absent: 0, goal: null },
    mean: level,
    median: level,
    stddev: level / 100,
    toolVersion: "3.16",
    kernel: "6.8.0-1021-azure",
    size: "Standard_B2ats_v2",
    zone: null,
    egressBenchVersion: "0.1.0",
    commit: null,
    ...change,
  }));
}
