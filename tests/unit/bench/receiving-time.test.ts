/** Rates of UDP egress whose receiver waited for the end of the test when all had come. */
import { describe, expect, it } from "vitest";
import { overReceivingTime } from "../../../bench/assemble/receiving-time.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { caseOf, host } from "./udp-hosts.ts";

/** Recorded: 5 s of 20 Mbit/s over a link of 6 Mbit/s, which are 503 datagrams of 1,448 bytes a second. */
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
  it("is the link's where the message that ends the test came late", () => {
    for (const seconds of [5.21, 7.28]) {
      const { bitsPerSecond, packetsPerSecond, durationSeconds } = published(COUNTS, seconds);
      expect(Math.abs(bitsPerSecond! / LINK - 1)).toBeLessThan(0.005);
      expect(packetsPerSecond! * durationSeconds!).toBeCloseTo(ARRIVED, 6);
    }
  });

  it("is over the receiver's time where a queue emptied in all of it, and never over less than the sender's", () => {
    expect(published(COUNTS, 5.052).durationSeconds).toBeCloseTo(5.052, 2);
    // An outage of two seconds: what came fills three.
    expect(published([848, 0, 0, 848, 848]).durationSeconds).toBe(5);
  });

  it.each([
    ["no datagrams were counted", undefined, benchCase],
    ["too few seconds tell the usual rate", [1272, 1272], benchCase],
    ["the client receives", COUNTS, caseOf({ bitrate: "20M", durationSeconds: 5, direction: "ingress" })],
    ["it is TCP", COUNTS, caseOf({ protocol: "tcp", bitrate: undefined, durationSeconds: 5 })],
  ])("is the receiver's where %s", (_, counts, of) => {
    expect(published(counts, SECONDS, of).durationSeconds).toBe(SECONDS);
  });
});
