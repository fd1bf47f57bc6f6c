/** Searches that found no rate, and the goal of a found rate. */
import { describe, expect, it } from "vitest";
import { parsePlan, toolOf } from "../../../bench/index.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { Measurement, Results } from "../../../bench/results/index.ts";
import { summarize } from "../../../bench/summary/summary.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { capacityOf } from "../../../report/choice/capacity.ts";
import { evidenceOf } from "../../../report/choice/evidence.ts";
import { reasonSentences, whyOf } from "../../../report/choice/words.ts";
import { gateMarkdown } from "../../../report/document/gate-table.ts";
import { benchmarkFigures, toBenchmarkAction } from "../../../report/exports/benchmarks.ts";
import { toAnnotations, toJUnit } from "../../../report/exports/gate.ts";
import { compare, toCsv, toMarkdown } from "../../../report/index.ts";
import type { Report } from "../../../report/report.ts";
import { worseTable } from "../../../report/tables/tables.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { ended, fixture } from "../bench/fixture.ts";
import { gateOf, repeatedResults } from "./repeated.ts";
import { way } from "./ways.ts";

const search = { tool: "search", goal: "pdr", durationSeconds: 1, maxBitrate: "500M", streams: 2 };
const [pdr] = parsePlan({ cases: [{ ...search, lossPercent: 0.5 }] }).cases as [Case];
const searched = toolOf(pdr).parse(fixture("search/3.12-pdr.json"), ended(pdr)).measurement;

function found(rate: number | null, lossBoundPercent = 0.5, lostPercent = 0.42): Measurement {
  const search = { ...searched.search!, lossBoundPercent, found: rate };
  return rate === null
    ? { ...nothingMeasured, search }
    : { ...searched, bitsPerSecond: rate, lostPercent, search };
}

const rounds = (...rates: (number | null)[]) => rates.map((rate) => found(rate));
const rates = rounds(190e6, 191e6, null, 192e6, null);
const twoNone = repeatedResults(pdr, rates);
const noneNone = repeatedResults(pdr, rounds(190e6, 191e6, 190.5e6, 192e6, 191.5e6));

describe("a search that found no rate in 2 of 5 rounds", () => {
  it.each(["interleaved", "sequential"] as const)("says so in the summary (%s)", (order) => {
    const results = repeatedResults(pdr, rates, { order });
    expect(summarize(results).rows[0]?.direct).toContain("2 of 5 found no rate");
  });

  it("says so in the tables, with the rate's goal and the trials' length", () => {
    const text = toMarkdown(reportOf(twoNone)).replaceAll("\u00a0", " ");
    expect(text).toMatch(/2 of 5 found no rate, 191(\.0)? Mbit\/s/);
    expect(text).toContain("loss goal 0.50 %, trials of 1 s");
    const [head, ...rows] = toCsv(reportOf(twoNone)).split("\r\n");
    expect(head).toMatch(/,without_value$/);
    expect(rows.find((row) => row.includes(",noDropRate,"))).toMatch(/,2$/);
  });

  it("says so if no round found one", () => {
    const none = repeatedResults(pdr, rounds(null, null, null, null, null));
    expect(toMarkdown(reportOf(none)).replaceAll("\u00a0", " ")).toContain("5 of 5 found no rate");
  });

  it("is not judged good if all rounds found one before", () => {
    const { verdict, rows, unjudgedCases } = gateOf(noneNone, twoNone);
    expect(verdict).toBe("not-judged");
    expect(unjudgedCases).toHaveLength(1);
    const [rate] = rows.filter(({ metric }) => metric === "noDropRate");
    expect(rate).toMatchObject({ verdict: "not judged", goal: "loss goal 0.50 %, trials of 1 s" });
    expect(rate?.after).toMatch(/^2 of 5 found no rate, 191/);
    expect(gateMarkdown(gateOf(noneNone, twoNone)).replaceAll("\u00a0", " ")).toContain(
      "noDropRate (loss goal 0.50 %, trials of 1 s)",
    );
  });

  it("has its goal in everything that the gate writes", () => {
    const fell = repeatedResults(pdr, rounds(90e6, 91e6, 90.5e6, 92e6, 91.5e6));
    const verdict = gateOf(noneNone, fell);
    const texts = [
      toJUnit(verdict),
      ...toAnnotations(verdict),
      worseTable({ baseline: verdict } as Report)
        .rows.flatMap((row) => row.map(({ text }) => text))
        .join(),
      JSON.stringify(toBenchmarkAction(benchmarkFigures(compare([{ source: "", results: fell }])), "higher")),
    ];
    for (const text of texts.filter((one) => one.includes("noDropRate"))) {
      expect(text.replaceAll("\u00a0", " ").replaceAll("%25", "%")).toContain(
        "loss goal 0.50 %, trials of 1 s",
      );
    }
    expect(texts.filter((one) => one.includes("noDropRate"))).toHaveLength(4);
  });

  it("is worse if significantly more rounds found none", () => {
    const fourNone = repeatedResults(pdr, rounds(190e6, null, null, null, null));
    expect(gateOf(noneNone, fourNone).rows.find(({ metric }) => metric === "noDropRate")?.verdict).toBe(
      "worse",
    );
    expect(gateOf(noneNone, noneNone).verdict).toBe("good");
  });
});

describe("the choice's sentence", () => {
  const said = (results: Results) => {
    const comparison = compare([{ source: "", results }]);
    const evidence = { ...evidenceOf(comparison, comparison.columns[0]!)!, bitsPerSecond: 5e9 };
    const capacity = { grade: "measured", bitsPerSecond: 5e9, sustainedBitsPerSecond: null };
    const pick = {
      way: way("nat-gateway", evidence),
      need: null,
      singlePoint: false,
      capacity,
      margin: 2,
      bitsPerSecond: 5e9,
    };
    const needs = { gbIn: 1000, gbOut: 1000, peakBitsPerSecond: null };
    const answer = { pick, needs, assessed: [], breakEvens: [], turns: [] };
    return [
      whyOf(answer as unknown as Parameters<typeof whyOf>[0]),
      ...reasonSentences(answer as unknown as Parameters<typeof reasonSentences>[0]),
    ].join(" ");
  };

  it("does not call a rate lossless that was searched with a loss", () => {
    expect(said(noneNone)).not.toContain("no loss");
    expect(said(noneNone)).toContain(
      "It held 191 Mbit/s of UDP with at most 0.42 % lost (loss goal 0.50 %, trials of 1 s).",
    );
    expect(said(twoNone)).toContain(
      "In the searches for a UDP rate, 2 of 5 found no rate; otherwise it held 191",
    );
  });

  it("calls a rate lossless if it was searched without loss and none was lost, with the trials' length", () => {
    const lossless = (lost: number) =>
      repeatedResults(
        pdr,
        [1, 2, 3].map(() => found(190e6, 0, lost)),
      );
    expect(said(lossless(0))).toContain(
      ", with no loss of UDP at 190 Mbit/s (loss goal 0 %, trials of 1 s).",
    );
    // MLRsearch's goal without loss allows some loss in a part of the time.
    expect(said(lossless(0.004))).not.toContain("no loss");
  });

  it("is about the slowest tried rate that reaches the wanted one, also where both are equal", () => {
    const udp = [2e8, 1e8].map((bitsPerSecond) => ({
      bitsPerSecond,
      lostPercent: bitsPerSecond === 1e8 ? 0 : 1,
    }));
    const at = (peakBitsPerSecond: number) => {
      const measured = way("nat-gateway", { udp, bitsPerSecond: 5e9 });
      const capacity = capacityOf(measured, { size: null, gateways: 1 });
      const pick = { way: measured, capacity, margin: 5e9 / peakBitsPerSecond };
      const answer = { pick, needs: { gbIn: 0, gbOut: 0, peakBitsPerSecond } };
      return whyOf(answer as unknown as Parameters<typeof whyOf>[0]);
    };
    expect(at(1e8)).toContain(", with no loss of UDP at 100 Mbit/s");
    expect(at(1e8 + 1)).not.toContain("no loss");
  });
});
