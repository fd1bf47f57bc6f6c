/** Outages of UDP egress at rates that look idle to a host which counts all programs' datagrams. */
import { expect, it } from "vitest";
import { withOutages } from "../../../bench/assemble/outcome.ts";
import { caseOf, dead, flat, host } from "./udp-hosts.ts";

/** 20 datagrams of 100 bytes a second, for 12 s. */
const RATE = 16_000;
const benchCase = caseOf({ bitrate: "16k", datagramBytes: 100 });
const sent = Array<number>(12).fill(RATE);
const around = (rates: readonly number[]) => [0, 0, ...rates, 0, 0];
const judge = (lostPackets: number | null, arrived: readonly number[], counts?: readonly number[]) => {
  const { series, ...rest } = flat(12);
  return withOutages(
    {
      ...{ ...rest, packets: 240, lostPackets },
      series: series.map((one) => ({ ...one, bitsPerSecond: RATE })),
    },
    benchCase,
    [host("server", around(arrived), counts && around(counts)), host("client", around(sent))],
  ).outages;
};

it("outages are unknown if bits arrived, counts are left out and at least a second's datagrams were lost", () => {
  expect(judge(80, sent)).toBeNull();
  expect(judge(null, sent)).toBeNull();
});

it("there are none if less than a second's datagrams were lost, except those that bits show", () => {
  expect(judge(3, sent)).toEqual([]);
  expect(judge(80, [...sent.slice(0, 4), ...dead(4), ...sent.slice(8)])).toMatchObject([{ leastSeconds: 4 }]);
});

it("the outage is known if the test's own datagrams were counted", () => {
  const counts = Array.from({ length: 12 }, (_, second) => (second >= 4 && second < 8 ? 0 : 20));
  expect(judge(80, sent, counts)).toMatchObject([{ startSeconds: 4, leastSeconds: 4 }]);
});
