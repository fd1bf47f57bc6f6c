/** The largest case that a plan may ask for: what its reduced document weighs, and what reading it takes. */
import { describe, expect, it } from "vitest";
import { iperf3 } from "../../../bench/tools/iperf3/index.ts";
import { KEPT_KEYS, MAX_INTERVALS, MAX_REDUCED_BYTES } from "../../../bench/tools/iperf3/output.ts";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import { ended, iperf3Case } from "./fixture.ts";

const STREAMS = 128;

/** Every kept key of a place, with as many digits as a 100 Gbit/s test has. */
function widest(place: keyof typeof KEPT_KEYS): Record<string, number> {
  const widths: Record<string, number> = {
    jitter_ms: 12.3456,
    lost_percent: 12.3456,
    seconds: 300.123,
    end: 299.99,
  };
  const digits: Record<string, number> = {
    bytes: 1234567890123,
    bits_per_second: 12345678901,
    packets: 123456789,
  };
  const values = { ...widths, ...digits } as Record<string, number>;
  return Object.fromEntries(KEPT_KEYS[place].map((key) => [key, values[key] ?? 1234567]));
}

function largest(protocol: "TCP" | "UDP"): string {
  const udp = protocol === "UDP";
  const series = { ...widest("intervals[].sum"), packets: 1234567, lost_packets: 123456 };
  const { retransmits, lost_packets, packets, ...always } = series as Record<string, number>;
  const sum = udp ? { ...always, lost_packets, packets } : { ...always, retransmits };
  const stream = udp
    ? { udp: { ...widest("end.streams[].udp"), bits_per_second: 1234567890, out_of_order: 1234 } }
    : { sender: { retransmits: 12345, mean_rtt: 123456 }, receiver: widest("end.streams[].receiver") };
  const sums = { sum_sent: widest("end.sum_sent"), sum_received: widest("end.sum_received") };
  return JSON.stringify({
    start: {
      version: "iperf 3.16",
      test_start: { protocol, num_streams: STREAMS, blksize: 1448, omit: 60, duration: 300, reverse: 1 },
    },
    intervals: Array.from({ length: MAX_INTERVALS }, () => ({ sum })),
    end: {
      streams: Array.from({ length: STREAMS }, () => stream),
      ...(udp ? { sum: widest("end.sum") } : {}),
      ...sums,
      cpu_utilization_percent: { host_total: 1234.5, remote_total: 1234.5 },
      sender_tcp_congestion: "cubic",
      receiver_tcp_congestion: "cubic",
    },
  });
}

describe("128 streams for 300 s", () => {
  it.each(["TCP", "UDP"] as const)("%s fits the state and reads completely", (protocol) => {
    const document = largest(protocol);
    expect(Buffer.byteLength(document)).toBeLessThanOrEqual(MAX_REDUCED_BYTES);
    const udp = protocol === "UDP";
    const benchCase: Iperf3Case = {
      ...iperf3Case,
      protocol: udp ? "udp" : "tcp",
      direction: "ingress",
      streams: STREAMS,
      durationSeconds: 300,
    };
    const { measurement } = iperf3.parse(document, ended(benchCase));
    expect(measurement.streams).toHaveLength(STREAMS);
    expect(measurement.series).toHaveLength(MAX_INTERVALS);
    // Where `start` is left out, an interval starts where the one before ended.
    expect(measurement.series.slice(0, 2).map((one) => one.startSeconds)).toEqual([0, 299.99]);
  });
});
