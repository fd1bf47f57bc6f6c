/** iperf3's own CPU use. */
import { parseJsonObject } from "../shared/json-text.ts";
import type { ToolCpu } from "../tool.ts";
import { iperf3OutputSchema } from "./output.ts";

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
