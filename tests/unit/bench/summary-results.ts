import {
  type CaseResult,
  caseResultSchema,
  type Measurement,
  type Results,
  resultsSchema,
  type Search,
} from "../../../bench/results/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";

export const tcp = (gigabits: number) => ({ bitsPerSecond: gigabits * 1e9 });
export const udp = (gigabits: number, lostPercent: number | null) => ({
  ...tcp(gigabits),
  packets: 1000,
  lostPercent,
});
export const latency = (p50: number | null, p99: number | null): Partial<Measurement> => ({
  latencyUs: {
    kind: "round-trip",
    samples: 9,
    mean: 1,
    min: 1,
    max: 1,
    stddev: 1,
    p50,
    p90: 1,
    p99,
    p999: 1,
  },
});

export function searched(goal: Search["goal"], found: number | null, more: Partial<Search> = {}) {
  const trial: Search["trials"][number] = {
    offeredBitsPerSecond: null,
    streams: 1,
    durationSeconds: null,
    sentBitsPerSecond: null,
    receivedBitsPerSecond: null,
    packets: null,
    lostPackets: null,
    lostPercent: null,
    passed: true,
    problem: null,
  };
  const how = { lossBoundPercent: 0, limitedBy: "path", confirmed: true, goals: null } as const;
  return { search: { goal, found, ...how, trials: [trial, trial], ...more } } satisfies Partial<Measurement>;
}

/** One of several goals of a search. */
export function rateGoal(goal: "ndr" | "pdr", found: number | null) {
  const how = { lossBoundPercent: 0, limitedBy: "path", confirmed: true } as const;
  return { goal, found, ...how, conditionalBitsPerSecond: found };
}

export function result(
  topology: string,
  id: string,
  measured: Partial<Measurement> | CaseResult["failure"],
): CaseResult {
  const failure = measured !== null && "class" in measured ? (measured as CaseResult["failure"]) : null;
  return caseResultSchema.parse({
    id,
    topology,
    tool: "iperf3",
    toolVersion: null,
    command: "x",
    status: failure === null ? "ok" : "failed",
    failure,
    startedAt: null,
    finishedAt: null,
    attempts: [],
    measurement: failure === null ? { ...nothingMeasured, ...(measured as Partial<Measurement>) } : null,
    sourceIp: null,
    hosts: [],
    rawFile: null,
  });
}

export function failed(
  failureClass: NonNullable<CaseResult["failure"]>["class"],
  message = "why",
): CaseResult["failure"] {
  return { class: failureClass, message, stderrTail: "" };
}

export function results(
  topologies: Record<string, string>,
  cases: CaseResult[],
  notes: string[] = [],
): Results {
  return resultsSchema.parse({
    schemaVersion: 1,
    stack: "s",
    cloud: "local",
    runId: "1",
    egressBenchVersion: "0",
    startedAt: null,
    finishedAt: null,
    plan: { name: "p", order: "interleaved", cases: [] },
    server: null,
    topologies: Object.entries(topologies).map(([name, topology]) => ({
      name,
      topology,
      expectedSourceIps: [],
      path: { status: "proved", sourceIps: [], message: null },
      hosts: [],
    })),
    cases,
    notes,
  });
}

/** The published figures of azure-nat-2025-11 in this program's form. */
export const published = results(
  { "nat-instance": "nat-instance", direct: "direct", "nat-gateway": "nat-gateway" },
  [
    result("nat-instance", "tcp-egress", tcp(6.86)),
    result("direct", "tcp-egress", tcp(11.5)),
    result("nat-gateway", "tcp-egress", tcp(10.7)),
    result("nat-instance", "udp-egress", udp(1.6, 87.66)),
    result("direct", "udp-egress", udp(3.65, 52.7)),
    result("nat-gateway", "udp-egress", udp(3.55, 0.02)),
    result("nat-instance", "udp-ingress-64B", udp(0.129, 89.2)),
    result("direct", "udp-ingress-64B", udp(0.195, 50.4)),
    result("nat-gateway", "udp-ingress-64B", failed("timeout", "iperf3 was still running")),
    result("nat-instance", "tcp-connect", latency(1070, 2330)),
    result("direct", "tcp-connect", latency(570, 620)),
    result("nat-gateway", "tcp-connect", failed("not-run")),
  ],
);
