/** The largest possible case: the size of its reduced document, and the cost of reading it. */
import { describe, expect, it } from "vitest";
import { iperf3 } from "../../../bench/tools/iperf3/index.ts";
import { MAX_INTERVALS, MAX_REDUCED_BYTES } from "../../../bench/tools/iperf3/output.ts";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import { ended, iperf3Case } from "./fixture.ts";

const STREAMS = 128;

/** Fields with as many digits as in a 100 Gbit/s test. */
const rates = { bits_per_second: 12345678901, retransmits: 1234567 };
const losses = { lost_packets: 123456, packets: 1234567 };
const sum = {
  ...{ seconds: 300.123, bytes: 1448 * 852_602_134, ...rates },
  ...{ jitter_ms: 12.3456, lost_packets: 1234567, packets: 123456789, lost_percent: 12.3456 },
};

function largest(protocol: "TCP" | "UDP"): string {
  const udp = protocol === "UDP";
  const { retransmits, ...always } = { end: 299.99, seconds: 1.1, ...rates };
  const interval = udp ? { ...always, ...losses } : { ...always, retransmits };
  const stream = udp
    ? { udp: { bits_per_second: 1234567890, jitter_ms: 12.3456, ...losses, out_of_order: 1234 } }
    : {
        sender: { retransmits: 12345, mean_rtt: 123456 },
        receiver: { bytes: sum.bytes, bits_per_second: sum.bits_per_second },
      };
  return JSON.stringify({
    start: {
      version: "iperf 3.16",
      test_start: { protocol, num_streams: STREAMS, blksize: 1448, reverse: 1 },
    },
    intervals: Array.from({ length: MAX_INTERVALS }, () => ({ sum: interval })),
    end: {
      streams: Array.from({ length: STREAMS }, () => stream),
      ...(udp ? { sum } : {}),
      ...{ sum_sent: sum, sum_received: sum },
      cpu_utilization_percent: { host_total: 1234.5, remote_total: 1234.5 },
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
    // Without `start`, an interval starts at the end of the one before.
    expect(measurement.series.slice(0, 2).map((one) => one.startSeconds)).toEqual([0, 299.99]);
  });
});
