/** Rates of egress whose receiver waited for the test's end after everything had arrived. */
import { describe, expect, it } from "vitest";
import { overReceivingTime } from "../../../bench/assemble/outcome.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { caseOf, host } from "./udp-hosts.ts";

/** Recorded: 5 s of 20 Mbit/s over a link of 6 Mbit/s, i.e. 503 datagrams of 1,448 bytes per second. */
const COUNTS = [82, 504, 503, 495, 961];
const ARRIVED = 2544;
const SECONDS = 5.21;
const LINK = 5.83e6;

const benchCase = caseOf({ bitrate: "20M", durationSeconds: 5 });
const published = (counts: readonly number[] | undefined, seconds = SECONDS, of = benchCase) =>
  overReceivingTime(
    {
      ...nothingMeasured,
      ...{ countedBy: "receiver", durationSeconds: seconds, bytes: ARRIVED * 1448 },
      ...{ bitsPerSecond: (ARRIVED * 1448 * 8) / seconds, packetsPerSecond: ARRIVED / seconds },
    },
    of,
    [host("server", counts ?? COUNTS, counts)],
  );

describe("the rate of UDP egress", () => {
  it("is the link's if the test's last message arrived late", () => {
    for (const seconds of [5.21, 7.28]) {
      const { bitsPerSecond, packetsPerSecond, durationSeconds } = published(COUNTS, seconds);
      expect(Math.abs(bitsPerSecond! / LINK - 1)).toBeLessThan(0.005);
      expect(packetsPerSecond! * durationSeconds!).toBeCloseTo(ARRIVED, 6);
    }
  });

  it("uses the receiver's time if a queue emptied throughout, and never less than the sender's", () => {
    expect(published(COUNTS, 5.052).durationSeconds).toBeCloseTo(5.052, 2);
    // An outage of two seconds: the arrived data fills three.
    expect(published([848, 0, 0, 848, 848]).durationSeconds).toBe(5);
  });

  it.each([
    // Recorded: 20 Mbit/s that slow down to 2 in the last of 6 s, in front of a deep queue.
    [9.11, 6, 0, [990, 1000, 1000, 1000, 1000, 245, 243, 243, 243, 30]],
    [7.29, 6, 1, [500, 1000, 1000, 1000, 1000, 1000, 620, 625, 300]],
  ])(
    "is the receiver's of %d s where the path slows down at the end",
    (seconds, sent, omitSeconds, counts) => {
      const of = caseOf({ bitrate: "8M", durationSeconds: sent, omitSeconds });
      expect(published(counts, seconds, of).durationSeconds).toBe(seconds);
    },
  );

  it.each([
    ["no datagrams were counted", undefined, benchCase],
    ["too few seconds tell the usual rate", [1272, 1272], benchCase],
    ["the client receives", COUNTS, caseOf({ bitrate: "20M", durationSeconds: 5, direction: "ingress" })],
    ["it is TCP", COUNTS, caseOf({ protocol: "tcp", bitrate: undefined, durationSeconds: 5 })],
  ])("is the receiver's where %s", (_, counts, of) => {
    expect(published(counts, SECONDS, of).durationSeconds).toBe(SECONDS);
  });
});

describe("the rate of TCP egress", () => {
  /** In a lab: all of 8.07 Mbit/s for 10 s had arrived, and the test's last message took 3.3 s more. */
  const judged = (rates: readonly number[], more: object = {}, durationSeconds = 13.34) => {
    const streams = [{ ...stream, bitsPerSecond: 6.05e6 }];
    const measured = {
      countedBy: "receiver",
      durationSeconds,
      bitsPerSecond: 6.05e6,
      streams,
    } as const;
    const tcp = caseOf({ protocol: "tcp", bitrate: undefined, durationSeconds: 10, ...more });
    return overReceivingTime({ ...nothingMeasured, ...measured }, tcp, [host("server", rates)]);
  };
  const stream = {
    ...{ bytes: 10_092_544, retransmits: 0, lostPackets: null, packets: null, jitterMs: null },
  };
  const seconds = (count: number) => Array<number>(count).fill(8e6);

  it("uses the time in which data arrived", () => {
    const { bitsPerSecond, durationSeconds, streams } = judged([...seconds(10), 0, 0, 0]);
    expect(durationSeconds).toBe(10);
    expect(bitsPerSecond).toBeCloseTo(8.07e6, -4);
    expect(streams[0]?.bitsPerSecond).toBe(bitsPerSecond);
    // Recorded: the test began within a sample, and the last sample has an eighth.
    expect(judged([7e6, ...seconds(9), 1e6, 0, 0]).durationSeconds).toBe(10.125);
    // A queue held another second.
    expect(judged([...seconds(11), 0, 0]).durationSeconds).toBe(11);
  });

  it("uses it too where no sample follows the one in which data ended, unless a whole one may be missing", () => {
    // Recorded: all of 5 s had arrived after 5.25 s, and the test's last message after 6.67 s.
    const rates = [4.34e6, 4.34e6, 4.47e6, 4.39e6, 3.3e6, 1.07e6];
    const late = (known: readonly number[]) => judged(known, { durationSeconds: 5 }, 6.67).durationSeconds;
    expect(late(rates)).toBeCloseTo(5.25, 2);
    expect(late(rates.slice(1))).toBe(6.67);
    expect(late([...rates.slice(0, 5), 4e6])).toBe(6.67);
  });

  it("never uses less than the sender's time, e.g. if the path died", () => {
    expect(judged([...seconds(5), ...Array<number>(8).fill(0)]).durationSeconds).toBe(10);
  });

  it.each([
    ["data came to the end", seconds(13), {}],
    ["the client receives", [...seconds(10), 0, 0, 0], { direction: "ingress" }],
    ["both send", [...seconds(10), 0, 0, 0], { bothWays: true }],
  ])("is the receiver's where %s", (_, rates, more) => {
    expect(judged(rates, more).durationSeconds).toBe(13.34);
  });
});
