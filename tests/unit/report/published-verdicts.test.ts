/**
 * The answer for three kinds of traffic, from the published figures of azure-nat-2025-11, computed by hand in the comments.
 * Proves that rules, figures and prices work together; the figures are other people's.
 */
import { expect, it } from "vitest";
import { answerOf } from "../../../report/choice/answer.ts";
import { defaultNeeds, type Needs } from "../../../report/choice/needs.ts";
import { breakEvenSentence, headlineOf, turnSentences } from "../../../report/choice/words.ts";
import published from "../../../results/published.json" with { type: "json" };
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";

const figures = published.results.find(({ id }) => id === "azure-nat-2025-11")!.cases as readonly {
  readonly case: string;
  readonly values: Readonly<Record<string, unknown>>;
}[];
const gbits = (name: string, topology: string) =>
  Number(figures.find((one) => one.case === name)!.values[topology]);

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

const [data] = reportOf(publishedResults()).answerData;
const answer = (needs: Partial<Needs>) =>
  answerOf(data!, { ...defaultNeeds, gbIn: 1000, gbOut: 0, ...needs });

it("1 TB in, 2 Gbit/s: the NAT instance, 68.59 USD cheaper", () => {
  const found = answer({ peakBitsPerSecond: 2e9 });
  // Slower direction 4.2 Gbit/s. 730 x 0.0094 + 2.40 disk + 730 x 0.005 address = 12.912 USD.
  expect(found.pick).toMatchObject({ id: "nat-instance", bitsPerSecond: 4.2e9 });
  expect(found.pick?.bill.knownCost).toBeCloseTo(12.912, 6);
  expect(found.pick?.totalCost).toBe(12.91);
  // The published 77.85 USD and an address of 3.65: 81.50 USD.
  expect(found.withoutMachine).toMatchObject({ id: "nat-gateway", bitsPerSecond: 9.61e9 });
  expect(found.withoutMachine?.totalCost).toBeCloseTo(77.85 + 3.65, 6);
  expect(headlineOf(found).replaceAll("\u00a0", " ")).toBe(
    "Azure: take a NAT instance (Standard_B2ats_v2), 12.91 USD a month (4.20 Gbit/s measured, sustains 840 Mbit/s, you need 2.00 Gbit/s). Risk: one machine. Without any machine: NAT gateway, 81.50 USD",
  );
  expect(turnSentences(found).join(" ")).toContain("The same up to a peak of 4.20 Gbit/s; above it: pick ");
});

it("names the cheaper of two on each side of their break-even", () => {
  // Hours and address: gateway 36.50, firewall 916.15; each GB 0.045 and 0.016. 879.65 / 0.029 = 30,332.76 GB.
  // Twice 7 Gbit/s by limits, D32pls_v6: 724.16 + 3.65 + 2.40 = 730.21; 693.71 / 0.045 = 15,415.78 GB. Its pair: 1,658.94.
  const found = answer({ peakBitsPerSecond: 7e9 });
  const atMore = (gb: number, above: string, cost: number) => ({
    gb: expect.closeTo(gb, 1),
    below: "nat-gateway",
    above,
    cost: expect.closeTo(cost, 1),
  });
  expect(found.breakEvens).toEqual([
    atMore(15_415.78, "nat-instance (not measured)", 730.21),
    atMore(36_054.25, "nat-instance-ha", 1658.94),
    atMore(30_332.76, "firewall", 1401.47),
    // 730 x 1.75 and the address, 1,281.15: 1,244.65 / 0.029.
    atMore(42_918.97, "firewall (Premium)", 1967.85),
  ]);
  const one = found.breakEvens.find(({ above }) => above === "firewall");
  expect(breakEvenSentence(one!, "USD")).toMatch(
    /^Below 30,333 GB a month nat-gateway is cheaper, above it firewall/,
  );
});
