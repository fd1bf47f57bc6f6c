import { describe, expect, test } from "vitest";
import { withOutages } from "../../../bench/assemble/outcome.ts";
import { outagesOf } from "../../../bench/assemble/silence.ts";
import type { Measurement } from "../../../bench/results/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { randomFrom } from "../../fixtures/results/hand-made.ts";
import { caseOf, interval } from "./udp-hosts.ts";

/** Of consecutive seconds, the outages. */
const ofRates = (rates: readonly (number | null)[]) =>
  outagesOf(rates.map((rate, second) => interval(second, rate)));
const outage = (startSeconds: number, seconds: number, leastSeconds = seconds) => ({
  ...{ startSeconds, seconds, leastSeconds },
  mostSeconds: leastSeconds + 2,
});

test.each<[string, number[], object[]]>([
  ["consecutive silent seconds are one", [1e6, 0, 0, 1e6, 0, 1e6], [outage(1, 2), outage(4, 1)]],
  // Dead from 1.6 s to 4.5 s.
  [
    "the missing share of the seconds at its ends counts",
    [1e6, 6e5, 0, 0, 5e5, 1e6, 1e6],
    [outage(1.6, 2.9, 2)],
  ],
  // Dead from 2 s to 4.45 s and from 4.55 s to 7 s, 4.9 s together.
  [
    "a second between two counts half for each",
    [1e9, 1e9, 0, 0, 1e8, 0, 0, 1e9, 1e9, 1e9, 1e9],
    [outage(2, 2.45, 2), outage(4.55, 2.45, 2)],
  ],
  // Recorded: TCP at 20 Mbit/s, nothing let through for 3 s, silent for 3.16 s.
  [
    "of a second in which a sender catches up a half counts",
    [21e6, 10.5e6, 0, 0, 69.3e6, 19.9e6, 19.8e6, 20.1e6],
    [outage(1.53, 2.98, 2)],
  ],
])("outages: %s", (_, rates, expected) => {
  expect(ofRates(rates)).toEqual(expected);
});

test("unmeasured time and a short last interval are no outages", () => {
  expect(outagesOf([interval(0, null), interval(1, 1e6), interval(2, 0, 0.1)])).toEqual([]);
});

test.each(Array.from({ length: 21 }, (_, step) => step / 20))(
  "an outage of 2 s is seen from second 5 and %d on",
  (phase) => {
    const from = 5 + phase;
    const lacking = (second: number) => Math.max(0, Math.min(from + 2, second + 1) - Math.max(from, second));
    const rates = Array.from({ length: 12 }, (_, second) => 1e9 * (1 - lacking(second)));
    expect(ofRates(rates)).toHaveLength(1);
  },
);

const judge = (series: Measurement["series"], more: object) =>
  withOutages({ ...nothingMeasured, series }, caseOf({ durationSeconds: 12, ...more }), []).outages;

describe("a series that does not tell of a whole test", () => {
  const tcp = { protocol: "tcp", bitrate: undefined };
  const whole = Array.from({ length: 12 }, (_, second) => interval(second, 1e8));

  test.each([
    ["its end is missing", whole.slice(0, 9)],
    ["its beginning is missing", whole.slice(3)],
    ["an interval is missing", whole.toSpliced(4, 1)],
    ["a rate is unknown", whole.with(4, interval(4, null))],
    ["no rate is known", whole.map(({ startSeconds }) => interval(startSeconds, null))],
  ])("has unknown outages: %s", (_, series) => {
    expect(judge(whole, tcp)).toEqual([]);
    expect(judge(series, tcp)).toBeNull();
  });

  test("has unknown outages if one of two directions has", () => {
    const both = (egress: number | null) => ({
      bothWays: { egressBitsPerSecond: egress, ingressBitsPerSecond: 1e8 },
    });
    const series = (egress: number | null) =>
      whole.map((one, second) => ({ ...one, ...both(second === 4 ? egress : 1e8) }));
    expect(judge(series(1e8), { ...tcp, bothWays: true })).toEqual([]);
    expect(judge(series(null), { ...tcp, bothWays: true })).toBeNull();
  });
});

describe("traffic in blocks of a stream", () => {
  /** Seconds with the blocks that are due at a rate, except those in an outage. */
  const paced = (rate: number, bytes: number, start: number, [from, to]: readonly [number, number]) => {
    const pause = (8 * bytes) / rate;
    const times = Array.from({ length: Math.ceil(12 / pause) }, (_, block) => start * pause + block * pause);
    return Array.from({ length: 12 }, (_, second) => {
      const seen = times.filter((at) => at >= second && at < second + 1 && (at < from || at >= to));
      return interval(second, 8 * bytes * seen.length);
    });
  };
  const none = [0, 0] as const;
  const kinds = [
    ["tcp", 131_072, [3e5, 5e5, 8e5, 1e6, 2e6, 1e7]],
    ["udp", 1460, [4e3, 8e3, 11e3, 3e4, 1e6]],
  ] as const;
  const rates = kinds.flatMap(([protocol, bytes, all]) =>
    all.map((rate) => [protocol, bytes, rate] as const),
  );

  test.each(rates)(
    "has no outage where there was none: %s of %d bytes at %d bit/s",
    (protocol, bytes, rate) => {
      const random = randomFrom(5);
      const of = (cut: readonly [number, number]) =>
        judge(paced(rate, bytes, random(), cut), { protocol, direction: "ingress", bitrate: String(rate) });
      const found = Array.from({ length: 200 }, () => of(none));
      expect(found.filter((outages) => outages !== null && outages.length > 0)).toEqual([]);
      // With many blocks per second, the absence of outages is certain, and an outage is found.
      if (rate >= 16 * bytes * 2) {
        expect(found).not.toContain(null);
        expect(of([4, 8])).toMatchObject([{ startSeconds: 4, leastSeconds: 4 }]);
      }
    },
  );
});
