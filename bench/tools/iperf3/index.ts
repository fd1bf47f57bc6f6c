/** iperf3, TCP and UDP throughput. Read: versions 3.9 to 3.21 as far as known; run: 3.12 and 3.16. */
import { commandLine } from "../../shell.ts";
import { parseJsonObject } from "../shared/json-text.ts";
import { filled } from "../shared/template.ts";
import { flowTitle } from "../shared/title.ts";
import type { Tool, ToolCpu } from "../tool.ts";
import { iperf3Command, SERVER_BUSY } from "./agent-settings.ts";
import { iperf3OutputSchema, MAX_INTERVALS } from "./output.ts";
import { parseIperf3 } from "./parse.ts";
import { caseSchema, expand, type Iperf3Case, input } from "./plan.ts";

/** Control and data port, iperf3's default. */
export const IPERF3_PORT = 5201;

/** Seconds for connecting and exchanging results, in addition to the test. */
const SETUP_SECONDS = 1;

/** Most lines of a server's output, of 90 bytes each, that the control connection should carry after a test. */
const MAX_SERVER_LINES = 50_000;

/** Whether the server alone knows a figure (`server-output.ts`). Its output has one line per second and stream. */
function needsServerOutput(benchCase: Iperf3Case): boolean {
  const { protocol, direction, streams, omitSeconds, durationSeconds } = benchCase;
  const lines = (streams + 1) * (omitSeconds + durationSeconds);
  return protocol === "udp" && direction === "egress" && lines <= MAX_SERVER_LINES;
}

/** Throughput and loss by iperf3. */
export const iperf3: Tool<Iperf3Case, typeof input> = {
  name: "iperf3",
  input,
  caseSchema,
  expand,

  executables: ["iperf3"],
  packages: ["iperf3"],
  isPreinstalled: true,
  versionCommand: ["iperf3", "--version"],
  ports: { iperf3: { first: IPERF3_PORT, protocols: ["tcp", "udp"] } },

  services({ iperf3: port = IPERF3_PORT }) {
    return [{ name: "iperf3", ends: ["server"], port, command: ["iperf3", "-s", "-p", String(port)] }];
  },

  reducer: "iperf3",
  retryOn: [SERVER_BUSY],

  command(benchCase, serverAddress) {
    const { protocol, direction, streams, bitsPerSecond, omitSeconds } = benchCase;
    return commandLine(
      filled(iperf3Command, {
        address: serverAddress,
        port: IPERF3_PORT,
        seconds: benchCase.durationSeconds,
        interval: intervalSeconds(benchCase),
        omit: omitSeconds > 0 ? omitSeconds : null,
        streams: streams > 1 ? streams : null,
        reverse: direction === "ingress",
        bothWays: benchCase.bothWays ?? false,
        udp: protocol === "udp",
        serverOutput: needsServerOutput(benchCase),
        rate: bitsPerSecond,
        bytes: benchCase.datagramBytes,
        congestion: benchCase.congestion,
      }),
    );
  },

  expectedSeconds: ({ durationSeconds, omitSeconds }) => omitSeconds + durationSeconds + SETUP_SECONDS,

  parse: parseIperf3,
  cpu: (stdout, version, { streams }) => iperf3Cpu(stdout, version, streams),
  flows: ({ streams, bothWays }) => (bothWays ? 2 : 1) * streams,
  passesNatAsUdp: ({ protocol }) => protocol === "udp",
  isOneTest: true,

  traffic: ({ bitsPerSecond, streams, direction, bothWays }) => ({
    askedBitsPerSecond: (bitsPerSecond ?? 0) * streams,
    ...{ direction, bothWays },
  }),
  withRate: (benchCase, rate) => ({ ...benchCase, bitsPerSecond: Math.floor(rate / benchCase.streams) }),

  question: "throughput",
  title: flowTitle,
};

/**
 * Interval of the series: one second; a tenth for pairs of one-second tests, which have no whole second in common; longer
 * where the series would outgrow the state.
 */
function intervalSeconds({ durationSeconds, pairs }: Iperf3Case): number {
  return pairs !== null && durationSeconds === 1 ? 0.1 : Math.ceil(durationSeconds / MAX_INTERVALS);
}

/** Versions whose threads spin while they wait for a limited rate's next datagram: 100 Mbit/s of UDP at 99.85 % of a CPU, 6 % in 3.20. */
const SPINNING = /^3\.1[67](?!\d)/;

/**
 * CPU figures of an `iperf3 -J` document, whole or reduced; null where it has none, and for 3.16 (Ubuntu 24.04) and 3.17, whose
 * CPU use says nothing about what they could send.
 */
export function iperf3Cpu(stdout: string, version: string | null, streams: number): ToolCpu | null {
  const percent = iperf3OutputSchema.safeParse(parseJsonObject(stdout)).data?.end?.cpu_utilization_percent;
  const threads = threadsOf(version, streams);
  return percent == null || SPINNING.test(version ?? "")
    ? null
    : { client: percent.host_total ?? null, server: percent.remote_total ?? null, threads };
}

/** Most CPUs that one end of a test can use: versions before 3.16 have one thread for all streams. */
function threadsOf(version: string | null, streams: number): number {
  const [, major = 0, minor = 0] = (/^(\d+)\.(\d+)/.exec(version ?? "") ?? []).map(Number);
  return major > 3 || (major === 3 && minor >= 16) ? streams : 1;
}
