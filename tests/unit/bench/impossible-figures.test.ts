/** Impossible figures, and missing main figures, fail the case instead of being published. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parsePlan } from "../../../bench/index.ts";
import { parseOutput } from "../../../bench/tools/index.ts";
import { ToolFailure } from "../../../bench/tools/tool.ts";
import { samples } from "../../helpers/samples.ts";
import { connectCase, connectOutput, ended, fixture, iperf3Case, sockperfCase } from "./fixture.ts";
import { edited, udpCase } from "./iperf3-case.ts";

const TCP = "iperf3/3.12-tcp-parallel-4.json";
const fourStreams = { ...iperf3Case, streams: 4 };

/** A recording with another received rate. */
const received = (bitsPerSecond: unknown) =>
  edited(TCP, ({ end }) => {
    end.sum_received.bits_per_second = bitsPerSecond;
    for (const { receiver } of end.streams) {
      receiver.bits_per_second = bitsPerSecond;
    }
  });

describe("a rate", () => {
  test("that was recorded is accepted", () => {
    const { measurement } = parseOutput(
      edited(TCP, () => {}),
      ended(fourStreams),
    );
    expect(measurement.bitsPerSecond).toBeGreaterThan(0);
  });

  test.each([9e17, 1.1e15, -1e9, -1])("of %d bits per second is refused", (rate) => {
    expect(() => parseOutput(received(rate), ended(fourStreams))).toThrow(
      expect.objectContaining({
        failureClass: "bad-output",
        message: expect.stringMatching(/^it printed (impossible figures: bitsPerSecond|none of the figures)/),
      }),
    );
  });

  test("that is missing is a failure", () => {
    const without = edited(TCP, ({ end }) => {
      delete end.sum_received;
      delete end.sum_sent;
      end.streams = [];
    });
    expect(() => parseOutput(without, ended(fourStreams))).toThrow(
      expect.objectContaining({ name: "ToolFailure" }),
    );
  });
});

test("a loss of more than 100 % is refused", () => {
  const wrong = edited("iperf3/3.12-udp-64B.json", ({ end }) => {
    for (const sum of [end.sum, end.sum_received, ...end.streams.map(({ udp }: { udp: object }) => udp)]) {
      Object.assign(sum, { lost_packets: 1e12, lost_percent: 5000 });
    }
  });
  expect(() => parseOutput(wrong, ended(udpCase))).toThrow(ToolFailure);
});

test("connections with a negative duration are refused", () => {
  const wrong = JSON.parse(JSON.stringify(connectOutput), (key, value) =>
    /^(p50|min|mean)/.test(key) ? -4 : value,
  );
  expect(() => parseOutput(JSON.stringify(wrong), ended(connectCase))).toThrow(
    /machine can have|without a result/,
  );
});

test("no published round trip or jitter is negative, or longer than its test, whatever number a tool prints", () => {
  const http = parsePlan({ cases: [{ tool: "http", durationSeconds: 5 }] }).cases[0]!;
  const outputs = [
    [edited(TCP, () => {}), fourStreams],
    [edited("iperf3/3.12-udp-64B.json", () => {}), udpCase],
    [fixture("sockperf/3.7-ping-pong-full-rtt.txt"), sockperfCase],
    [JSON.stringify(connectOutput), connectCase],
    [fixture("http/kept-http2.json"), http],
  ] as const;
  const numbers = /-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g;
  const found = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(...outputs),
      fc.nat(),
      fc.constantFrom(-1, 0, 1e3, 1e6, 1e9),
      ([text, benchCase], which, factor) => {
        const all = [...text.matchAll(numbers)];
        const { 0: number, index } = all[which % all.length]!;
        const changed =
          text.slice(0, index) + String(Number(number) * factor) + text.slice(index + number.length);
        try {
          const { jitterMs, tcpRttUs, latencyUs } = parseOutput(changed, ended(benchCase)).measurement;
          const { kind: _, samples: __, histogram: ___, ...latencies } = latencyUs ?? { kind: "request" };
          const times = [
            (jitterMs ?? 0) / 1000,
            ...[tcpRttUs, ...Object.values(latencies)].map((us) => (us ?? 0) / 1e6),
          ];
          expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
          expect(Math.max(...times)).toBeLessThan(60);
          found.accepted += 1;
        } catch (error) {
          if (!(error instanceof ToolFailure)) throw error;
          found.refused += 1;
        }
      },
    ),
    { numRuns: samples(500) },
  );
  expect(Math.min(found.accepted, found.refused)).toBeGreaterThan(10);
});
