/** Columns, ratios, repetitions, the gate and others' published figures. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summarize } from "../../../bench/figures/estimate.ts";
import type { CaseResult, Results } from "../../../bench/results/index.ts";
import { lossBand } from "../../../report/charts/loss.ts";
import { powerSentence } from "../../../report/comparison/baseline.ts";
import { judgeFigures } from "../../../report/comparison/gate.ts";
import { showFigure, verdictSentences } from "../../../report/comparison/verdict.ts";
import { type Comparison, compare, judge, ratioToBaseline } from "../../../report/index.ts";
import { publishedFigures } from "../../../report/published/published.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { samples } from "../../helpers/samples.ts";

const whole = handMadeResults();
const input = (results: Results, source = `${results.stack}.json`) => ({ source, results });
const rowOf = ({ rows }: Comparison, id: string) =>
  rows.find(({ info }) => info.id === id) as Comparison["rows"][number];

/** Results with one TCP case on `direct` and `nat-instance`, one repetition per rate. */
function repeated(directRates: number[], natRates: number[], change: Partial<Results> = {}): Results {
  const template = whole.cases.find(
    ({ id, topology }) => id === "tcp-egress" && topology === "direct",
  ) as CaseResult;
  const runs = (topology: string, rates: number[]) =>
    rates.map((bitsPerSecond): CaseResult => {
      const measurement = template.measurement && { ...template.measurement, bitsPerSecond };
      return { ...template, topology, measurement };
    });
  const topologies = whole.topologies.filter(({ name }) => name === "direct" || name === "nat-instance");
  return {
    ...whole,
    topologies,
    cases: [...runs("direct", directRates), ...runs("nat-instance", natRates)],
    ...change,
  };
}

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
    const [direct, nat] = rowOf(compare([input(repeated([9e9, 10e9, 11e9], [5e9]))]), "tcp-egress").cells;
    // t(0.975, 2) = 4.3027; s = 1e9
    expect(direct?.estimates.throughput).toMatchObject({ value: 10e9, n: 3, stddev: 1e9 });
    expect(direct?.estimates.throughput?.interval?.low).toBeCloseTo(10e9 - (4.3027 * 1e9) / Math.sqrt(3), -5);
    expect(nat?.estimates.throughput).toMatchObject({ value: 5e9, stddev: null, interval: null, n: 1 });
  });
});

describe("verdictSentences", () => {
  it("ranks only significant differences", () => {
    const clear = verdictSentences(compare([input(repeated([10e9, 10.1e9, 10e9], [5e9, 5.1e9, 5e9]))]));
    expect(clear[0]).toBe("TCP egress, best first: direct 10.0 Gbit/s, nat-instance 5.03 Gbit/s.");
    const close = verdictSentences(compare([input(repeated([9e9, 11e9], [8.9e9, 11.2e9]))]));
    expect(close[0]).toContain("cannot be distinguished");
  });

  it("names no leader of single runs", () => {
    const sentences = verdictSentences(compare([input(whole)]));
    expect(sentences[0]).toMatch(/^TCP egress \(one run: no ranking\): direct 11\.5 Gbit\/s, /);
    expect(sentences.join()).not.toContain("best first: direct");
    expect(sentences.at(-1)).toMatch(/^One run: no ranking\./);
  });

  it("gives ratios an interval, and says how many repetitions failed", () => {
    const results = repeated([9.9e9, 10e9, 10.1e9], [4.9e9, 5e9, 5.1e9]);
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

describe("judge", () => {
  const gate = (before: Results, after: Results, tolerance = 5) =>
    judge(compare([input(before)]), compare([input(after)]), tolerance).filter(
      ({ metric }) => metric === "throughput" || metric === "status",
    );

  it.each([
    ["a drop of single runs", [10e9], [9e9], "not judged"],
    ["a drop of a single run below what two had", [10e9, 10.1e9], [9e9], "not judged"],
    ["a drop of a single run below what three had", [9.99e9, 10e9, 10.01e9], [9e9], "not judged"],
    ["a drop of two runs below what two had", [9.99e9, 10e9], [8.99e9, 9e9], "not judged"],
    ["a drop of two runs below what three had", [9.99e9, 10e9, 10.01e9], [8.99e9, 9e9], "worse"],
    ["a drop within the tolerance", [9.99e9, 10e9, 10.01e9], [9.59e9, 9.6e9, 9.61e9], "within tolerance"],
    ["a rise", [9.9e9, 10e9, 10.1e9], [14.9e9, 15e9, 15.1e9], "within tolerance"],
    ["a drop that may be chance", [8e9, 10e9, 12e9], [7e9, 9e9, 11e9], "within tolerance"],
    ["a drop by more than chance", [9.9e9, 10e9, 10.1e9], [8.9e9, 9e9, 9.1e9], "worse"],
    // Its intervals overlap: t(0.975, 2) is wide.
    ["a drop that overlapping intervals hide", [9.5e9, 10e9, 10.5e9], [7.6e9, 8e9, 8.4e9], "worse"],
  ])("%s", (_, before, after, verdict) => {
    expect(gate(repeated(before, [1e9]), repeated(after, [1e9]))[0]).toMatchObject({
      topology: "direct",
      verdict,
    });
  });

  it("is stricter with each figure, the more there are", () => {
    const figure = (value: number) => summarize([-0.7, -0.2, 0, 0.2, 0.7].map((scatter) => value + scatter));
    const drop = { metric: "throughput" as const, before: figure(10), after: figure(8.8) };
    const same = { ...drop, after: figure(10) };
    const verdicts = (others: number) => judgeFigures([drop, ...Array(others).fill(same)], 5)[0]!;
    expect(verdicts(0)).toMatchObject({ verdict: "worse" });
    expect(verdicts(40)).toMatchObject({ verdict: "within tolerance" });
    expect(verdicts(40).visiblePercent!).toBeGreaterThan(verdicts(0).visiblePercent!);
  });

  it("states the change that it could have seen", () => {
    const rows = gate(repeated([9.9e9, 10e9, 10.1e9], [1e9]), repeated([9.9e9, 10e9, 10.1e9], [1e9]));
    expect(powerSentence(rows)).toMatch(/^A change under \d\.\d % is missed/);
    expect(powerSentence(gate(repeated([1], [1]), repeated([1], [1])))).toBeNull();
  });

  it("counts a missing or newly failed case as worse", () => {
    const before = repeated([10e9], [5e9]);
    const gone = gate(before, { ...before, cases: before.cases.slice(0, 1) });
    expect(gone.filter(({ verdict }) => verdict === "worse")).toMatchObject([
      { topology: "nat-instance", metric: "status", before: "ok", after: "not measured" },
    ]);
  });

  it("does not call a trace of loss a regression, but real loss", () => {
    const loss = (lostPercent: number) => {
      // Fewer repetitions without scatter are not judged.
      const four = [1e9, 1e9, 1e9, 1e9];
      const results = repeated(four, four);
      const cases = results.cases.map((one) => ({
        ...one,
        measurement: one.measurement && { ...one.measurement, lostPercent },
      }));
      return { ...results, cases };
    };
    const worse = (from: number, to: number) =>
      judge(compare([input(loss(from))]), compare([input(loss(to))]), 5).filter(
        ({ verdict }) => verdict === "worse",
      ).length;
    expect(worse(0, 0.005)).toBe(0);
    expect(worse(0.0001, 0.005)).toBe(0);
    expect(worse(0, 1)).toBe(2);
  });

  it("finds nothing worse in results compared with themselves", () => {
    const all = compare([input(whole)]);
    expect(judge(all, all, 0).filter(({ verdict }) => verdict === "worse")).toEqual([]);
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

  it("leave out cases at another rate or distance", () => {
    const what = publishedFigures(compare([input(whole)])).map((figure) => figure.what);
    // The published UDP floods were unlimited, ours run at 1 Gbit/s; the published round trips belong to plan rtt.
    expect(what.filter((text) => /UDP|round trip/.test(text))).toEqual([]);
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
