/**
 * The answer for three kinds of traffic, from the published figures of azure-nat-2025-11, computed by hand in the comments.
 * Proves that rules, figures and prices work together; the figures are other people's.
 */
import { expect, it } from "vitest";
import { answerOf } from "../../../report/choice/answer.ts";
import { defaultNeeds, type Needs } from "../../../report/choice/needs.ts";
import { answerDataOf } from "../../../report/choice/ways.ts";
import { breakEvenSentence, sentenceOf, turnSentences } from "../../../report/choice/words.ts";
import { compare, priceColumns, priceSnapshots } from "../../../report/index.ts";
import published from "../../../results/published.json" with { type: "json" };
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const figures = published.results.find(({ id }) => id === "azure-nat-2025-11")!.cases as Record<
  string,
  unknown
>[];
const gbits = (name: string, topology: string) => Number(figures.find((one) => one.case === name)![topology]);

/** Hand-made results with only the published TCP figures. */
function publishedResults() {
  const { cases, topologies, ...rest } = handMadeResults();
  const measured = ["direct", "nat-gateway", "nat-instance"];
  return {
    ...rest,
    topologies: topologies.filter(({ name }) => measured.includes(name)),
    cases: cases
      .filter(({ id, topology }) => /^tcp-(e|in)gress$/.test(id) && measured.includes(topology))
      .map((one) => ({
        ...one,
        measurement: { ...one.measurement!, bitsPerSecond: gbits(one.id, one.topology) * 1e9 },
      })),
  };
}

const comparison = compare([{ source: "published", results: publishedResults() }]);
const columns = priceColumns(comparison.columns, {}, priceSnapshots).columns;
const [data] = answerDataOf(comparison, columns, {
  books: priceSnapshots,
  regions: [],
  natSize: undefined,
});
const answer = (needs: Partial<Needs>) =>
  answerOf(data!, { ...defaultNeeds, gbIn: 1000, gbOut: 0, ...needs });

it("1 TB in, 2 Gbit/s: the NAT instance, 68.59 USD cheaper", () => {
  const found = answer({ peakBitsPerSecond: 2e9 });
  // Slower direction 4.2 Gbit/s. 730 x 0.0094 + 2.40 disk + 730 x 0.005 address = 12.912 USD.
  expect(found.pick).toMatchObject({ id: "nat-instance", bitsPerSecond: 4.2e9 });
  expect(found.pick?.totalCost).toBeCloseTo(12.912, 6);
  // The published 77.85 USD and an address of 3.65: 81.50 USD.
  expect(found.runnerUp).toMatchObject({ id: "nat-gateway", bitsPerSecond: 9.61e9 });
  expect(found.runnerUp?.totalCost).toBeCloseTo(77.85 + 3.65, 6);
  expect(sentenceOf(found)).toBe(
    "Azure: NAT instance (Standard_B2ats_v2), 12.91 USD a month. It carried 4.20 Gbit/s of TCP, more than your peak of " +
      "2.00 Gbit/s. It saves 68.59 USD a month against nat-gateway at 1,000 GB in and 0 GB out and is cheaper up to 275,940 GB " +
      "a month, the most that it is known to carry. It is one machine: nothing gets out while it is down, and how long that takes " +
      "was not measured.",
  );
  expect(turnSentences(found)).toContain("With a peak above 4.20 Gbit/s: pick nat-gateway.");
  expect(turnSentences(found)).toContain("If no single machine may stop all traffic: pick nat-gateway.");
});

it("1 TB in, 5 Gbit/s: the NAT gateway, since the NAT instance carried 4.2", () => {
  const found = answer({ peakBitsPerSecond: 5e9 });
  expect(found.pick).toMatchObject({ id: "nat-gateway" });
  expect(found.assessed.find(({ id }) => id === "nat-instance")).toMatchObject({
    status: "excluded",
    why: ["it carried 4.20 Gbit/s of 5.00 Gbit/s"],
  });
  expect(found.worthMeasuring.map(({ id }) => id)).toEqual(["load-balancer", "nat-instance (not measured)"]);
});

it("200,000 connections to one destination: the NAT gateway with four addresses", () => {
  const found = answer({ peakBitsPerSecond: 2e9, connections: 200_000 });
  // 200,000 / 50,000 an address = 4; a machine has one address of 64,512 ports.
  expect(found.pick).toMatchObject({ id: "nat-gateway", need: { addresses: 4, gateways: 1 } });
  expect(found.pick?.totalCost).toBeCloseTo(77.85 + 4 * 3.65, 6);
});

it("names the cheaper of two on each side of their break-even", () => {
  // Hours and address: gateway 36.50, firewall 916.15; each GB 0.045 and 0.016. 879.65 / 0.029 = 30,332.76 GB.
  // A larger machine, as burstable ones end at 6.25 Gbit/s, D2pls_v6: 45.26 + 3.65 + 2.40 = 51.31; 14.81 / 0.045 = 329.11 GB.
  const found = answer({ peakBitsPerSecond: 7e9 });
  expect(found.breakEvens).toEqual([
    {
      gb: expect.closeTo(329.11, 1),
      below: "nat-gateway",
      above: "nat-instance (not measured)",
      cost: expect.closeTo(51.31, 2),
    },
    {
      gb: expect.closeTo(30_332.76, 1),
      below: "nat-gateway",
      above: "firewall",
      cost: expect.closeTo(1401.47, 1),
    },
  ]);
  expect(breakEvenSentence(found.breakEvens[1]!, "USD")).toMatch(
    /^Below 30,333 GB a month nat-gateway is cheaper, above it firewall/,
  );
});
