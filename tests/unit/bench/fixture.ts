import { readFileSync } from "node:fs";
import type { RunReport } from "../../../bench/agent/protocol.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Plan } from "../../../bench/plan/plan.ts";
import {
  type HostFacts,
  type HostUsage,
  hostFactsSchema,
  hostUsageSchema,
  type Role,
} from "../../../bench/results/index.ts";
import type { ConnectCase, ConnectOutput } from "../../../bench/tools/connect/index.ts";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import type { NtttcpCase } from "../../../bench/tools/ntttcp/plan.ts";
import type { SockperfCase } from "../../../bench/tools/sockperf/index.ts";
import type { ParseContext } from "../../../bench/tools/tool.ts";

export function fixture(path: string): string {
  return readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), "utf8");
}

/** The only case of an entry of a plan, for 3 s. */
const planned = (entry: object) => parsePlan({ cases: [{ durationSeconds: 3, ...entry }] }).cases[0];
export const iperf3Case = planned({ tool: "iperf3", omitSeconds: 0 }) as Iperf3Case;
export const sockperfCase = planned({ tool: "sockperf", messageBytes: 350 }) as SockperfCase;
export const connectCase = planned({ tool: "connect" }) as ConnectCase;
export const ntttcpCase = planned({ tool: "ntttcp", streams: 4, omitSeconds: 1 }) as NtttcpCase;

export const connectOutput: ConnectOutput = {
  version: 1,
  attempted: 200,
  failed: 2,
  durationSeconds: 4,
  outages: [],
  errors: { ETIMEDOUT: 2 },
  latencyUs: {
    ...{
      samples: 198,
      mean: 570,
      min: 480.5,
      max: 2330,
      stddev: 50,
      p50: 560,
      p90: 600,
      p99: 620,
      p999: 2000,
    },
  },
};

/** A plan of these cases. @param repeat @default once */
export function planOf(cases: Plan["cases"], repeat: Partial<Plan["repeat"]> = {}): Plan {
  return {
    ...{ name: "test", order: "interleaved", seed: null, pauseSeconds: 0, cases },
    repeat: { least: 1, most: 1, withinPercent: null, ...repeat },
  };
}

/** A tool that exited by itself, successfully by its exit status. */
export function ended<C extends ParseContext["case"]>(
  benchCase: C,
  how: Partial<ParseContext<C>> = {},
): ParseContext<C> {
  return { case: benchCase, exitCode: 0, timedOut: false, stderr: "", ...how };
}

/** A run's report whose tool printed nothing. */
export const silentReport: RunReport = {
  version: 1,
  key: "k",
  failure: null,
  attempts: [],
  exitCode: 0,
  timedOut: false,
  stdout: "",
  stderr: "",
  sourceIp: null,
  hosts: [],
  rawFile: null,
  startedAfterMs: null,
};

/** Facts of a host that could not report any. */
export function silentFacts(host: string, role: HostFacts["role"]): HostFacts {
  return hostFactsSchema.parse({
    ...{ host, role, kernel: null, os: null, architecture: null, cpus: null, memoryBytes: null },
    ...{ congestionControl: null, interfaces: [], sysctls: {}, tools: {}, notes: [] },
  });
}

/** Usage of a host: given counts and samples. Other counts are 0, and nothing else was sampled. */
export function usageOf(
  role: Role,
  interfaces: readonly object[] = [],
  { network = {}, ...more }: Readonly<Record<string, unknown>> & { readonly network?: object } = {},
): HostUsage {
  const packets = { receivedPackets: 0, sentPackets: 0, receivedBytes: 0, sentBytes: 0 };
  const none = { ...packets, receiveDrops: 0, sendDrops: 0 };
  return hostUsageSchema.parse({
    ...{ host: `a-${role}`, role, cpu: null, problem: null },
    network: {
      interfaces: interfaces.map((one, at) => ({ name: `eth${at}`, ...none, ...one })),
      ...{ tcpRetransmits: null, conntrack: null, series: [] },
      ...network,
    },
    ...more,
  });
}

/** The pairs of a case that one client measured. */
export const onePair = (report: RunReport | null) => [{ client: "client", server: "server", report }];
