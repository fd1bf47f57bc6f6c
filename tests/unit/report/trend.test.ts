/** Regions side by side and runs over time, in page and text. */
import { describe, expect, it } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { trendsOf } from "../../../report/comparison/trend.ts";
import { makeReport, priceSnapshots, toHtml, toMarkdown } from "../../../report/index.ts";
import { regionsTable } from "../../../report/tables/answer-tables.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();

/** Five repetitions of a run, with the NAT instance's rate changed. */
function run(day: number, share: number): Results {
  const cases = whole.cases.filter(({ id }) => id === "tcp-egress");
  const repeated = [0.99, 0.995, 1, 1.005, 1.01].flatMap((scatter) =>
    cases.map((one) => {
      const own = one.topology === "nat-instance" ? share : 1;
      const rate = (one.measurement?.bitsPerSecond ?? 0) * scatter * own;
      return { ...one, measurement: one.measurement && { ...one.measurement, bitsPerSecond: rate } };
    }),
  );
  return { ...whole, runId: String(day), startedAt: `2026-11-0${day}T06:00:00.000Z`, cases: repeated };
}
const input = (results: Results) => ({ source: `run ${results.runId}`, results });

describe("several runs of a stack", () => {
  const inputs = [run(3, 0.8), run(1, 1), run(2, 0.97)].map(input);
  const [trend] = trendsOf(inputs, 5);

  it("are in order of time, each topology with the gate's verdict since the first", () => {
    expect(trend?.runs.map((name) => name.slice(0, 10))).toEqual(["2026-11-01", "2026-11-02", "2026-11-03"]);
    const row = trend?.rows.find(({ topology }) => topology === "nat-instance");
    expect(row?.values.map((value) => ((value ?? 0) / 1e9).toFixed(2))).toEqual(["6.86", "6.65", "5.49"]);
    expect(row?.verdict).toBe("worse");
    expect(trend?.rows.find(({ topology }) => topology === "direct")?.verdict).toBe("within tolerance");
  });

  it("are represented by the newest in the answer, without older ones", () => {
    const { answers } = makeReport({ inputs, problems: [] }, { madeAt: "2026-11-22T09:00:00Z" });
    const ways = answers[0]?.assessed.filter(
      ({ way }) => way.topology === "nat-instance" && way.column !== null,
    );
    expect(ways?.map(({ id }) => id)).toEqual(["nat-instance (compare, azure, run 3)"]);
  });

  it("are in page and text", () => {
    const report = makeReport({ inputs, problems: [] }, { madeAt: "2026-11-22T09:00:00Z" });
    for (const text of [toHtml(report), toMarkdown(report)]) {
      expect(text).toContain("Over time");
      expect(text).toContain("5.49 Gbit/s");
    }
  });

  it("are no trend with one run, or with different stacks", () => {
    expect(trendsOf([input(whole)], 5)).toEqual([]);
    expect(trendsOf([input(whole), input({ ...whole, stack: "other" })], 5)).toEqual([]);
  });
});

describe("regions side by side", () => {
  const { azure } = priceSnapshots;
  const japan = azure.prices
    .filter(({ region }) => region === "eastus")
    .map((one) => ({
      ...one,
      region: "japaneast",
      tiers: [{ from: 0, price: (one.tiers[0]?.price ?? 0) * 2 }],
    }));
  const known = azure.prices.filter(({ meter, region }) => meter !== "disk-month" || region !== "westeurope");
  const prices = { ...priceSnapshots, azure: { ...azure, prices: [...japan, ...known] } };
  // A page draws each case.
  const few = { ...whole, cases: whole.cases.filter(({ id }) => id === "tcp-egress") };
  const made = (regions: string[]) =>
    makeReport({ inputs: [input(few)], problems: [] }, { madeAt: "2026-11-22T09:00:00Z", prices, regions });

  it("have their own prices only", () => {
    const report = made(["japaneast", "westeurope"]);
    const { head, rows } = regionsTable(report.answerData[0]!, report.answers[0]!);
    expect(head.map(({ text }) => text)).toEqual(["Way out", "eastus", "japaneast", "westeurope"]);
    const row = rows.find(([first]) => first?.text === "nat-instance")?.map(({ text }) => text);
    // 6.862 + 2.40 + 3.65 + 100 x 0.087; twice machine and disk, 3.65, 100 x 0.12; 730 x 0.0108, no disk known, 3.65, 100 x 0.087.
    expect(row).toEqual(["nat-instance", "21.61 USD", "34.17 USD", "at least 20.23 USD"]);
    expect(toHtml(report)).toContain("Region by region");
  });

  it("are absent unless requested", () => {
    expect(toHtml(made([]))).not.toContain("Region by region");
  });
});
