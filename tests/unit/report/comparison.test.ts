/** Columns, ratios, repetitions and others' published figures. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { lossBand } from "../../../report/charts/loss.ts";
import { showFigure, verdictFigures, verdictSentences } from "../../../report/comparison/verdict.ts";
import { type Comparison, compare, ratioToBaseline } from "../../../report/index.ts";
import { publishedFigures } from "../../../report/published/published.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { samples } from "../../helpers/samples.ts";
import { ratesOf } from "./repeated.ts";

const whole = handMadeResults();
const input = (results: Results, source = `${results.stack}.json`) => ({ source, results });
const rowOf = ({ rows }: Comparison, id: string) =>
  rows.find(({ info }) => info.id === id) as Comparison["rows"][number];

describe("compare", () => {
  const comparison = compare([input(whole)]);

  it("has one column per topology and one row per case, in the plan's order", () => {
    expect(comparison.columns.map(({ label }) => label)).toEqual([
      "direct",
      "nat-gateway",
      "nat-instance",
      "firewall",
    ]);
    expect(comparison.rows.slice(0, 3).map(({ info }) => info.title)).toEqual([
      "TCP egress",
      "TCP ingress",
      "UDP egress, 1.00 Gbit/s",
    ]);
    expect(comparison.problems).toEqual([]);
  });

  it("has ratios to direct, except for direct itself and for loss", () => {
    const row = rowOf(comparison, "tcp-egress");
    const ratios = comparison.columns.map((column) => ratioToBaseline(row, column, "throughput"));
    expect(ratios[0]).toBeNull();
    expect(ratios[2]).toBeCloseTo(6.86 / 11.5, 10);
    const udp = rowOf(comparison, "udp-egress-1G");
    expect(comparison.columns.map((column) => ratioToBaseline(udp, column, "loss"))).toEqual([
      null,
      null,
      null,
      null,
    ]);
  });

  it("shows failures as failures and missing measurements as missing, never as 0", () => {
    const died = rowOf(comparison, "udp-egress-p100-10M").cells[3];
    expect(died).toMatchObject({ status: "failed", failure: { class: "timeout" }, estimates: {} });
    const less = compare([
      input({ ...whole, cases: whole.cases.filter(({ topology }) => topology !== "firewall") }),
    ]);
    expect(rowOf(less, "tcp-egress").cells[3]).toMatchObject({ status: "missing", estimates: {} });
  });

  it("names the hosts that ran at their limit", () => {
    expect(rowOf(comparison, "tcp-egress").cells[2]?.limits).toMatchObject([
      {
        role: "nat",
        kind: "cpuBusyPercent",
        words: expect.stringContaining("NAT instance's CPU was 96 % busy"),
      },
    ]);
    expect(rowOf(comparison, "tcp-egress").cells[0]?.limits).toEqual([]);
  });

  it("distinguishes topologies of several results, and uses the only direct of a cloud for them", () => {
    const natOnly = { ...whole, stack: "nat-instance", topologies: whole.topologies.slice(2, 3) };
    const { columns } = compare([input(whole), input(natOnly)]);
    expect(columns[2]?.label).toBe("nat-instance (compare)");
    expect(columns[4]).toMatchObject({ label: "nat-instance (nat-instance)", baseline: 0 });
    const lab = compare([input(whole), input({ ...natOnly, cloud: "local" })]);
    expect(lab.columns[4]?.baseline).toBeNull();
  });

  it("says that results have no case in common, and shows both", () => {
    const cases = whole.cases.map((one) => ({ ...one, id: `other-${one.id}` }));
    const other = { ...whole, stack: "other", cases, plan: { ...whole.plan, cases: [] } };
    const both = compare([input(whole), input(other)]);
    expect(both.problems.join("\n")).toMatch(/other\.json: cases: none of its cases \(other-tcp-egress, /);
    expect(rowOf(both, "other-tcp-egress").cells[4]?.status).toBe("ok");
  });

  it("has mean and 95 % t interval of repetitions, and no interval of a single run", () => {
    const [direct, nat] = rowOf(compare([input(ratesOf([9e9, 10e9, 11e9], [5e9]))]), "tcp-egress").cells;
    // t(0.975, 2) = 4.3027; s = 1e9
    expect(direct?.estimates.throughput).toMatchObject({ value: 10e9, n: 3, stddev: 1e9 });
    expect(direct?.estimates.throughput?.interval?.low).toBeCloseTo(10e9 - (4.3027 * 1e9) / Math.sqrt(3), -5);
    expect(nat?.estimates.throughput).toMatchObject({ value: 5e9, stddev: null, interval: null, n: 1 });
  });
});

describe("verdictSentences", () => {
  it("ranks only significant differences", () => {
    const clear = verdictSentences(compare([input(ratesOf([10e9, 10.1e9, 10e9], [5e9, 5.1e9, 5e9]))]));
    expect(clear[0]).toBe("TCP egress, best first: direct 10.0 Gbit/s, nat-instance 5.03 Gbit/s.");
    const close = verdictSentences(compare([input(ratesOf([9e9, 11e9], [8.9e9, 11.2e9]))]));
    expect(close[0]).toContain("cannot be distinguished");
  });

  it("names no leader of single runs", () => {
    const sentences = verdictSentences(compare([input(whole)]));
    expect(sentences[0]).toMatch(/^TCP egress \(one run: no ranking\): direct 11\.5 Gbit\/s, /);
    expect(sentences.join()).not.toContain("best first: direct");
    expect(sentences.at(-1)).toMatch(/^One run: no ranking\./);
  });

  it("gives ratios an interval, and says how many repetitions failed", () => {
    const results = ratesOf([9.9e9, 10e9, 10.1e9], [4.9e9, 5e9, 5.1e9]);
    const [first, ...others] = results.cases;
    const failure = { class: "timeout" as const, message: "late", stderrTail: "" };
    const failed = {
      ...first!,
      topology: "nat-instance",
      status: "failed" as const,
      failure,
      measurement: null,
    };
    const comparison = compare([input({ ...results, cases: [first!, ...others, failed] })]);
    const row = rowOf(comparison, "tcp-egress");
    const shown = showFigure(row, comparison.columns[1]!, "throughput");
    expect(shown.ratio).toMatch(/^×0\.50 \(0\.4\d to 0\.5\d\)$/);
    expect(shown.confidence).toMatch(/n = 3\); median 5\.00 Gbit\/s; 1 of 4 repetitions failed$/);
    expect(showFigure(row, comparison.columns[0]!, "throughput").ratio).toBeNull();
  });
});

describe("lossBand", () => {
  it.each([
    [-1, "good"],
    [0, "good"],
    [0.099, "good"],
    [0.1, "fair"],
    [0.99, "fair"],
    [1, "poor"],
    [100, "poor"],
  ])("%s %% is %s", (percent, band) => {
    expect(lossBand(percent)).toBe(band);
  });
});

describe("publishedFigures", () => {
  it("are shown beside ours in the same case, with their conditions, and change no ratio", () => {
    const comparison = compare([input(whole)]);
    const found = publishedFigures(comparison).find(
      ({ what, topology }) => what === "TCP egress" && topology === "nat-gateway",
    );
    expect(found).toMatchObject({
      id: "azure-nat-2025-11",
      theirs: "10.7 Gbit/s",
      conditions: expect.stringContaining("Standard_D8ls_v5"),
    });
    expect(found?.ours).toEqual([{ label: "nat-gateway", cloud: "azure", text: "10.7 Gbit/s" }]);
  });
});

it("compares any subset of cases without an error", () => {
  fc.assert(
    fc.property(fc.subarray(whole.cases), fc.subarray(whole.topologies), (cases, topologies) => {
      const comparison = compare([input({ ...whole, cases, topologies })]);
      expect(comparison.columns).toHaveLength(topologies.length);
      for (const { cells } of comparison.rows) {
        expect(cells).toHaveLength(topologies.length);
      }
    }),
    { numRuns: samples(30) },
  );
});

describe("several stacks", () => {
  const renamed = (results: Results, stack: string, id: string): Results => ({
    ...results,
    stack,
    plan: { ...results.plan, cases: results.plan.cases.filter((one) => one.id === id) },
    cases: results.cases.filter((one) => one.id === id),
  });
  const onAws = { ...whole, cloud: "aws" as const, stack: "aws-compare" };

  it("shows each stack's own case if they answer a question with different ones", () => {
    // One stack measured a single stream, the other 64.
    const both = compare([
      input(renamed(whole, "one", "tcp-egress")),
      input(renamed(whole, "many", "tcp-egress-p64")),
    ]);
    const [figure] = verdictFigures(both);
    const shown = both.columns.map((column) => showFigure(figure!.rowOf(column), column, "throughput").text);
    expect(shown).not.toContain("not measured");
    expect(shown[0]).toBe("11.5 Gbit/s");
    expect(shown[4]).not.toBe(shown[0]);
  });

  it("ranks clouds separately from each other and from the lab", () => {
    const lab = { ...whole, cloud: "local" as const, stack: "local-compare" };
    const sentences = verdictSentences(compare([input(whole), input(onAws), input(lab)]));
    expect(sentences.filter((one) => one.includes("TCP egress ("))).toHaveLength(3);
    for (const sentence of sentences) {
      expect(sentence).toMatch(/^(Azure|AWS|Lab): /);
      expect(
        [/\(compare\)/, /\(aws-compare\)/, /\(local-compare\)/].filter((stack) => stack.test(sentence))
          .length,
      ).toBeLessThan(2);
    }
  });
});
