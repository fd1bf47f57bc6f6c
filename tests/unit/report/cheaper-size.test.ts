/** A size that costs less than the measured one and carries the traffic too. */
import { describe, expect, it } from "vitest";
import { machineOf } from "../../../bench/machines/index.ts";
import type { Answer } from "../../../report/choice/answer.ts";
import { measureSentences } from "../../../report/choice/words.ts";
import { headlineOf, makeReport, type Needs } from "../../../report/index.ts";
import { natInstanceResults } from "../../fixtures/results/nat-instance.ts";

function answer(cloud: "aws" | "azure", size: string, rate: number, needs: Partial<Needs>): Answer {
  const results = natInstanceResults(cloud, size, rate);
  const read = { inputs: [{ source: "a.json", results }], problems: [] };
  return makeReport(read, { madeAt: "2026-11-23T00:00:00Z", needs }).answers[0] as Answer;
}

const measured = ({ assessed }: Answer) => assessed.find(({ id }) => id === "nat-instance");

describe("a cheaper size than the measured one", () => {
  const busy = { gbIn: 900, gbOut: 100, peakBitsPerSecond: 2e9, seen: { busyBitsPerSecond: 2e9 } };

  it("is named if both carry the traffic: c8gn.medium for 47.54 beside c7g.8xlarge for 851.09", () => {
    const found = answer("aws", "c7g.8xlarge", 9e9, busy);
    // 730 x 1.16 + 0.64 + 3.65.
    expect(measured(found)).toMatchObject({ status: "fits", totalCost: expect.closeTo(851.09, 2) });
    const [cheaper] = found.worthMeasuring;
    expect(cheaper).toMatchObject({ id: "nat-instance (not measured)", need: { size: "c8gn.medium" } });
    expect(measureSentences(found)[0]).toMatch(
      /^Cheapest plausible, unproved: nat-instance \(not measured\) \(c8gn.medium\) would save/,
    );
  });

  it("is picked if others published its rate: B2ats_v2 for 12.91 beside a measured D8ls_v5", () => {
    const found = answer("azure", "Standard_D8ls_v5", 9e9, { gbIn: 50, gbOut: 10 });
    expect(headlineOf(found)).toBe(
      'Azure: NAT instance "nat-instance (not measured)" (Standard_B2ats_v2), 12.91 USD a month',
    );
  });

  it("is not named if it or the measured one does not carry the traffic, or for less than 1 USD", () => {
    const sizesOf = (found: Answer) =>
      found.assessed.flatMap(({ way, need }) => (way.machines.length > 0 ? [need?.size] : []));
    expect(sizesOf(answer("aws", "t4g.nano", 1e9, { gbIn: 100, gbOut: 50 }))).toEqual([]);
    // B2pts_v2 costs 0.73 less a month.
    expect(sizesOf(answer("azure", "Standard_B2ats_v2", 3e9, { gbIn: 100, gbOut: 50 }))).toEqual([]);
    const slow = answer("aws", "c7g.8xlarge", 1e9, busy);
    expect(measured(slow)?.status).toBe("excluded");
    const [larger] = sizesOf(slow);
    expect(machineOf(larger ?? "")?.network.baselineBitsPerSecond).toBeGreaterThan(15e9);
  });
});
