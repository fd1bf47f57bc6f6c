/** Hand-made samples of hosts in a UDP test, and the resulting outages. */
import { withOutages } from "../../../bench/assemble/outcome.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { HostUsage, Measurement } from "../../../bench/results/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";

export const RATE = 1e8;
/** Seconds at one rate. */
export const sent = (seconds: number) => Array<number>(seconds).fill(RATE);
export const dead = (seconds: number) => Array<number>(seconds).fill(0);
export const idle = [1e4, 1e4];
/** Between idle seconds. */
export const around = (rates: readonly number[]) => [...idle, ...rates, ...idle];

export function host(
  role: "client" | "server",
  rates: readonly number[],
  datagrams?: readonly number[],
): HostUsage {
  const key = role === "server" ? "receivedBitsPerSecond" : "sentBitsPerSecond";
  const nothing = {
    ...{ receivedBitsPerSecond: 0, sentBitsPerSecond: 0, receivedPacketsPerSecond: 0 },
    ...{ sentPacketsPerSecond: 0, drops: 0, tcpRetransmits: 0, conntrack: null },
  };
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + 1000 * second).toISOString();
  const series = rates.map((rate, second) => ({
    ...{ ...nothing, at: at(second), [key]: rate },
    ...(datagrams && { arrivedDatagrams: datagrams[second] ?? 0 }),
  }));
  const network = {
    interfaces: [],
    tcpRetransmits: null,
    udp: null,
    softnetDrops: null,
    conntrack: null,
    series,
  };
  return { host: role, role, cpu: null, problem: null, network } as unknown as HostUsage;
}

export const caseOf = (more: object = {}): Case =>
  parsePlan({ cases: [{ tool: "iperf3", protocol: "udp", bitrate: "100M", durationSeconds: 12, ...more }] })
    .cases[0]!;

/** An interval of a series, of which only the rate is known. */
export const interval = (
  startSeconds: number,
  bitsPerSecond: number | null,
  seconds = 1,
): Measurement["series"][number] => ({
  ...{ startSeconds, endSeconds: startSeconds + seconds, bitsPerSecond },
  ...{ retransmits: null, lostPackets: null, packets: null },
});

/** A measurement with a flat series, like a sender's. */
export const flat = (seconds: number, rate = RATE): Measurement => ({
  ...nothingMeasured,
  series: Array.from({ length: seconds }, (_, second) => interval(second, rate)),
});

export const outages = (benchCase: Case, hosts: readonly HostUsage[]) =>
  withOutages(flat(benchCase.durationSeconds), benchCase, hosts).outages;
