/**
 * Statements on other traffic and on savings, in report, advice and the page of `choose`: "at any traffic" only up to the traffic that
 * is known to be carried, and savings only against measured or present ways.
 */
import { describe, expect, it } from "vitest";
import { advise } from "../../../packages/advise/src/advice.ts";
import { toMarkdown } from "../../../packages/advise/src/page.ts";
import { answerOf, costAt } from "../../../report/choice/answer.ts";
import { assess } from "../../../report/choice/assess.ts";
import { breakEvenSentences, sentenceOf, turnSentences } from "../../../report/choice/words.ts";
import { defaultNeeds, type Needs, toMarkdown as reportText } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { natInstanceResults } from "../../fixtures/results/nat-instance.ts";
import { adviceOptions } from "../../helpers/flow-logs.ts";
import { reportOf as reported } from "../../helpers/report-of.ts";
import { handMadeTraffic, sentencesIn } from "../advise/hand-made.ts";
import { candidates, onAzure, way } from "./ways.ts";

/** GB per month of 730 hours at a rate of both directions together. */
const gbAt = (bitsPerSecond: number) => (bitsPerSecond * 730 * 3600) / 8e9;

function reportOf(...[results, needs]: [Parameters<typeof reported>[0], Partial<Needs>]) {
  const report = reported(results, { needs });
  return { answer: report.answers[0]!, text: reportText(report) };
}

describe("cheaper at any traffic", () => {
  it("AWS, t2.micro measured at 950 Mbit/s: up to the month of its baseline, 64 Mbit/s, and not to 1 PB", () => {
    const { answer, text } = reportOf(natInstanceResults("aws", "t2.micro", 950e6), { gbIn: 100, gbOut: 50 });
    // t4g.nano costs less than the measured one, and is published: half of 0.032 Gbit/s x 2,628,000 s / 8 = 5,256 GB.
    expect(answer.pick).toMatchObject({ id: "nat-instance (not measured)", need: { size: "t4g.nano" } });
    expect(answer.carriedGb).toBe(gbAt(0.016e9));
    const said =
      "No break-even: nat-instance (not measured) (t4g.nano) is cheaper than nat-instance, nat-gateway and nat-instance-ha at any traffic up to 5,256 GB a month, the most that it is known to carry.";
    expect(breakEvenSentences(answer)).toEqual([said]);
    expect(text).toContain(said);
    // The measured t2.micro: 0.064 Gbit/s x 2,628,000 s / 8 = 21,024 GB; t4g.micro costs less up to half of that.
    expect(turnSentences(answer).join(" ")).toContain(
      "From 10,512 GB a month on, in the same proportion: pick nat-instance (t2.micro).",
    );
  });

  it("Azure, B2ats_v2 at 4.2 Gbit/s: up to a fifth of it all month", () => {
    const { answer } = reportOf(natInstanceResults("azure", "Standard_B2ats_v2", 4.2e9), {
      gbIn: 900,
      gbOut: 100,
    });
    expect(answer.carriedGb).toBeCloseTo(gbAt(0.2 * 4.2e9), -1);
    expect(breakEvenSentences(answer).join(" ")).toMatch(
      /275,9\d0 GB a month, the most that it is known to carry/,
    );
  });

  it("an unmeasured size: up to its own limit, not to larger sizes'", () => {
    const data = candidates("azure");
    const answer = answerOf(data, { ...defaultNeeds, gbIn: 50, gbOut: 10 });
    expect(answer.pick?.need?.size).toBe("Standard_B2pts_v2");
    const size = (gb: number) =>
      answerOf(data, { ...defaultNeeds, gbIn: (gb * 5) / 6, gbOut: gb / 6 }).pick?.need?.size;
    expect(size(answer.carriedGb! - 1)).toBe("Standard_B2pts_v2");
    expect(size(answer.carriedGb! + 2)).not.toBe("Standard_B2pts_v2");
  });

  it("a gateway, whose number grows: with its present number, and to 1 PB if that carries it", () => {
    const data = candidates("aws");
    const one = answerOf(data, { ...defaultNeeds, connections: 70_000 });
    // 1 PB a month is 3.04 Gbit/s.
    expect(one).toMatchObject({ pick: { id: "nat-gateway" }, carriedGb: null });
    const { text } = reportOf(natInstanceResults("aws", "t2.micro", 950e6), { gbIn: 100, gbOut: 50 });
    expect(text).not.toContain("1 PB");
  });

  it("names a break-even beyond what the pick is known to carry as such", () => {
    // Hours and address: gateway 36.50, firewall 916.15; each GB 0.045 and 0.016: 30,333 GB. 60 Mbit/s are 19,710 GB.
    const saidOf = (bitsPerSecond: number) =>
      breakEvenSentences(
        answerOf(
          onAzure([way("nat-gateway", { bitsPerSecond }), way("firewall", { bitsPerSecond })]),
          defaultNeeds,
        ),
      ).join();
    expect(saidOf(60e6)).toMatch(
      /^Below 30,333 GB a month nat-gateway is cheaper.* nat-gateway is known to carry up to 19,710 GB a month\.$/,
    );
    expect(saidOf(1e9)).not.toContain("known to carry");
  });

  it("is true at each traffic up to there: the pick carries it and costs less than the named others", () => {
    for (const [cloud, size, rate] of [
      ["aws", "t2.micro", 950e6],
      ["azure", "Standard_B2ats_v2", 3e9],
      ["aws", "t4g.small", 1e9],
    ] as const) {
      const { answer } = reportOf(natInstanceResults(cloud, size, rate), { gbIn: 100, gbOut: 50 });
      const { pick, assessed, needs, carriedGb } = answer;
      expect(breakEvenSentences(answer)).toHaveLength(1);
      for (const part of [0, 0.1, 0.5, 0.9, 1]) {
        const gb = (carriedGb ?? 1e6) * part;
        const then = { ...needs, gbIn: (gb * 2) / 3, gbOut: gb / 3 };
        expect(assess(pick!.way, then, null).status).toBe("fits");
        const gateway = assessed.find(({ id }) => id === "nat-gateway")!;
        expect(costAt(pick!, needs, gb)).toBeLessThan(costAt(gateway, needs, gb)!);
      }
    }
  });
});

describe("savings", () => {
  it("a report states savings against the cheapest other that was measured, else none", () => {
    // The gateway and the firewall were not measured.
    const { answer, text } = reportOf(natInstanceResults("azure", "Standard_B2ats_v2", 3e9), {
      gbIn: 1000,
      gbOut: 200,
    });
    expect(answer.runnerUp?.way.column).toBeNull();
    expect(text).not.toMatch(/saves [\d,.]+/);
    expect(text).toContain("Runner-up: nat-");
    const all = reportOf(handMadeResults(), { gbIn: 1000, gbOut: 0, region: "eastus" });
    const others = all.answer.assessed.filter(
      ({ id, status, way }) => status === "fits" && way.column !== null && id !== all.answer.pick?.id,
    );
    const [next] = others.toSorted((a, b) => a.totalCost! - b.totalCost!);
    const against = [...all.text.matchAll(/saves [\d,.]+\sUSD a month against ([\w-]+)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(against)).toEqual(new Set([next!.id]));
  });

  it("advice states savings against the present way, and names the runner-up after it", () => {
    const results = [natInstanceResults("aws", "t4g.nano", 1e9)];
    const given = { ...adviceOptions, results };
    const advice = advise(handMadeTraffic(), given);
    // Now 81.50; the gateway with the endpoint 54.50.
    expect(advice.recommendation.sentence).toContain("7.36 USD a month instead of 81.50: saves 74.14 USD");
    expect(sentencesIn(advice.recommendation)).toContainEqual(expect.stringMatching(/^Runner-up: /));
    for (const { saving, bill } of advice.options) {
      expect(saving).toBeCloseTo(81.5 - bill.totalCost!, 2);
    }
    const text = toMarkdown(advice);
    expect(text).not.toMatch(/saves? [\d,.]+\sUSD a month against|at any traffic/);
    // Without a measurement the size's limits are enough evidence for the next larger one.
    const unmeasured = toMarkdown(advise(handMadeTraffic(), { ...given, results: [] }));
    expect(unmeasured).toMatch(/10\.42\sUSD a month instead of 81\.50: saves 71\.08\sUSD/);
  });

  it("a choice before any deployment states no savings", () => {
    for (const cloud of ["aws", "azure"] as const) {
      const data = candidates(cloud);
      for (const [gbIn, gbOut] of [
        [1, 1],
        [1000, 200],
        [100_000, 50_000],
        [1e6, 1e6],
      ] as const) {
        const answer = answerOf(data, { ...defaultNeeds, gbIn, gbOut });
        expect(sentenceOf(answer)).not.toMatch(/saves|at any traffic/);
        expect(turnSentences(answer).join(" ")).not.toMatch(/saves|at any traffic/);
      }
    }
  });
});
