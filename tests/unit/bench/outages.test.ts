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
