/** A search's trial by the server's own output: loss after the warm-up, doubled datagrams, and the receiver's time. */
import { describe, expect, it } from "vitest";
import { evaluate } from "../helpers/agent-host.ts";

// Datagrams sent after the warm-up: 1,000. In the warm-up 300 were lost.
it.each<[string, object, string, number | null, number]>([
  ["the server's count", { lost_packets: 400, packets: 1000 }, "100/1000 (10%)  receiver", 400, 10],
  ["nothing of the warm-up's", { lost_packets: 300, packets: 1000 }, "0/1000 (0%)  receiver", 300, 0],
  ["the last ones too", { lost_packets: 300, packets: 900 }, "0/900 (0%)  receiver", 400, 10],
  [
    "40 of the last 100, which came too late to be read",
    { lost_packets: 300, packets: 900 },
    "0/900 (0%)  receiver",
    340,
    4,
  ],
  [
    "the last stated sum",
    { lost_packets: 300, packets: 1000 },
    "9/9 (1%) receiver\n5/1000 (0.5%) receiver",
    null,
    0.5,
  ],
])("counts after a warm-up: %s", (_, changes, text, lost, expected) => {
  const document = {
    start: { test_start: { blksize: 1000 } },
    end: {
      sum_sent: { bits_per_second: 8e6, packets: 1000 },
      sum_received: { bits_per_second: 8e6, bytes: 1e6, ...changes },
    },
    server_output_text: text,
  };
  const found = evaluate("trial_figures.udp_figures(*data)", [document, lost]);
  expect(found).toMatchObject({ packets: 1000, lostPackets: 10 * expected, lostPercent: expected });
});

it("a client that reads knows nothing of losses that may be the warm-up's", () => {
  // Wire: 174 of the 801 behind the warm-up were dropped, and 93 of the 500 in it.
  const document = {
    start: { test_start: { blksize: 1000, omit: 1 } },
    end: {
      sum_sent: { bits_per_second: 8e6, packets: 801 },
      sum_received: { bits_per_second: 8e6, packets: 500, lost_packets: 98, bytes: 402_000 },
    },
  };
  const tried = (between: number) => evaluate("trial_figures.udp_figures(*data)", [document, between]);
  expect(() => tried(267)).toThrow(/169 datagrams were lost in the warm-up, or behind the last one/);
  expect(tried(98)).toMatchObject({ lostPackets: 98, packets: 801 });
});

describe("behind a queue", () => {
  // 40 Mbit/s for a second over a path of 20 Mbit/s.
  const sums = { packets: 5000, bits_per_second: 40e6, seconds: 1 };
  const line = "[  5]   0.00-2.00   sec  4.77 MBytes  20.0 Mbits/sec  0.047 ms  0/5000 (0%)  receiver";
  const received = { bytes: 5e6, lost_packets: 0, packets: 5000, bits_per_second: 20e6, seconds: 2 };
  const test_start = { blksize: 1000 };
  it.each([
    ["3.11 and newer", { sum_sent: sums, sum_received: received }, 0, 20e6],
    ["3.9, whose client has only what it sent", { sum: { ...sums, lost_packets: 0 } }, 0, 20e6],
    ["a second's round trip", { sum_sent: sums, sum_received: received }, 1, 40e6],
    [
      "a server that says only how many bytes",
      { sum_sent: { ...sums, packets: 0, bytes: 5e6 }, sum_received: received },
      0,
      20e6,
    ],
  ])("what arrives by the receiver's time is less than what was sent: %s", (_, end, roundTrip, expected) => {
    const document = { start: { test_start }, end, server_output_text: line };
    expect(evaluate("trial_figures.udp_figures(*data)", [document, 0, roundTrip])).toMatchObject({
      ...{ lostPackets: 0, sentBitsPerSecond: 40e6, receivedBitsPerSecond: expected },
    });
  });

  it("datagrams that came late or twice count as lost too, if any were lost", () => {
    const twice = "[SUM]  0.0- 2.0 sec  88 datagrams received out-of-order\n";
    const lostOf = (lost: number, bytes = 5e6) => {
      const document = {
        ...{ start: { test_start }, end: { sum_sent: sums, sum_received: { ...received, bytes } } },
        server_output_text: `${twice}${line.replace("0/5000 (0%)", `${lost}/5000 (0.5%)`)}`,
      };
      return (evaluate("trial_figures.udp_figures(*data)", [document, 0]) as { lostPackets: number })
        .lostPackets;
    };
    expect([lostOf(0), lostOf(24)]).toEqual([0, 24 + 88]);
    // More arrived than was sent: some came twice, and hid as many losses.
    expect([lostOf(0, 5_088_000), lostOf(0, 5_010_000)]).toEqual([0, 88]);
  });
});
