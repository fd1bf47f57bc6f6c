import { expect, test } from "vitest";
import { outagesOf } from "../../../bench/assemble/outages.ts";

const interval = (startSeconds: number, bitsPerSecond: number | null, seconds = 1) => ({
  startSeconds,
  endSeconds: startSeconds + seconds,
  bitsPerSecond,
  retransmits: null,
  lostPackets: null,
  packets: null,
});

test("intervals in which nothing arrived are outages, those that follow each other one", () => {
  const series = [1e6, 0, 0, 1e6, 0, 1e6].map((rate, second) => interval(second, rate));
  expect(outagesOf(series)).toEqual([
    { startSeconds: 1, seconds: 2, leastSeconds: 2, mostSeconds: 4 },
    { startSeconds: 4, seconds: 1, leastSeconds: 1, mostSeconds: 3 },
  ]);
});

test("an outage has the share that the seconds at its ends lack", () => {
  // Dead from 1.6 s to 4.5 s: 2.9 s, of which two whole seconds were 0.
  const series = [1e6, 6e5, 0, 0, 5e5, 1e6, 1e6].map((rate, second) => interval(second, rate));
  expect(outagesOf(series)).toEqual([{ startSeconds: 1.6, seconds: 2.9, leastSeconds: 2, mostSeconds: 4 }]);
});

test("what was not measured, and a short last interval, are none", () => {
  expect(outagesOf([interval(0, null), interval(1, 1e6), interval(2, 0, 0.1)])).toEqual([]);
});

test("an interval between two outages is charged to each by half", () => {
  // Dead from 2 s to 4.45 s and from 4.55 s to 7 s, 4.9 s together.
  const series = [1, 1, 0, 0, 0.1, 0, 0, 1, 1, 1, 1].map((share, second) => interval(second, share * 1e9));
  expect(outagesOf(series)).toEqual([
    { startSeconds: 2, seconds: 2.45, leastSeconds: 2, mostSeconds: 4 },
    { startSeconds: 4.55, seconds: 2.45, leastSeconds: 2, mostSeconds: 4 },
  ]);
});

test.each(Array.from({ length: 21 }, (_, step) => step / 20))(
  "an outage of 2 s is seen from second 5 and %d on",
  (phase) => {
    const from = 5 + phase;
    const lacking = (second: number) => Math.max(0, Math.min(from + 2, second + 1) - Math.max(from, second));
    const series = Array.from({ length: 12 }, (_, second) => interval(second, 1e9 * (1 - lacking(second))));
    expect(outagesOf(series)).toHaveLength(1);
  },
);
