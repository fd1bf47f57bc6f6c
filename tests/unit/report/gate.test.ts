/** The gate's verdict by figure, repetitions and number of figures. How often chance alone alarms: tests/model/chance.test.ts. */
import { describe, expect, it } from "vitest";
import { summarize } from "../../../bench/figures/estimate.ts";
import { figures } from "../../../bench/figures/index.ts";
import type { Measurement, Results } from "../../../bench/results/index.ts";
import { chanceOfRounds, corrected } from "../../../bench/statistics/difference.ts";
import { powerSentence } from "../../../report/comparison/baseline.ts";
import { howCompared } from "../../../report/comparison/differences.ts";
import { judgeFigures } from "../../../report/comparison/gate.ts";
import { toJUnit } from "../../../report/exports/gate.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { gateOf, kill, killMeasured, ratesOf, repeatedResults, template } from "./repeated.ts";

const whole = handMadeResults();

it.each([
  ["packetsForwardedDropped", [0, 0], [9, 9], "not judged"],
  ["requestsFailed", [0, 0], [9, 9], "not judged"],
  ["idleTimeout", [120, 120], [60, 60], "not judged"],
  ["idleTimeout", [120, 120, 120], [60, 60, 60], "not judged"],
  ["idleTimeout", [120, 120, 120, 120], [60, 60, 60, 60], "worse"],
  ["idleTimeout", [120, 120, 120, 120], [120, 120, 120, 120], "within tolerance"],
  ["packetsForwardedDropped", [0, 0, 0, 0], [1, 1, 1, 1], "within tolerance"],
  ["packetsForwardedDropped", [0, 1, 0, 0], [90, 70, 80, 90], "worse"],
] as const)("%s from %j to %j is %s: few equal values prove nothing", (metric, before, after, verdict) => {
  const pair = {
    metric,
    before: summarize(before, figures[metric]),
    after: summarize(after, figures[metric]),
  };
  expect(judgeFigures([pair], 5)[0]?.verdict).toBe(verdict);
});

describe("a drop of 70 %", () => {
  /** Values around a level that scatter by 1 %. */
  const around = (level: number, n: number) =>
    Array.from({ length: n }, (_, at) => level * (1 + (((at * 7 + 3) % 5) - 2) / 200));
  const figure = (after: number, n: number) => ({
    metric: "throughput" as const,
    before: summarize(around(100, n)),
    after: summarize(around(after, n).reverse()),
  });

  it.each([
    [2, 1, 1, "not judged"],
    [3, 1, 1, "worse"],
    [3, 1, 20, "not judged"],
    [4, 1, 20, "not judged"],
    [5, 1, 20, "worse"],
    [3, 20, 20, "worse"],
  ] as const)("with n = %d of %d of %d figures is %s", (n, dropped, of, verdict) => {
    const all = Array.from({ length: of }, (_, at) => figure(at < dropped ? 30 : 100, n));
    const [first] = judgeFigures(all, 5);
    expect(first).toMatchObject({ verdict, undecided: verdict !== "worse" });
    // A change of one figure alone: all twenty together tell what none does.
    expect(first?.visiblePercent === null).toBe(verdict !== "worse" || dropped === 20);
  });

  it("of all twenty comparisons is told round by round after three rounds", () => {
    const rounds = around(100, 3).map((before, at) => [before, around(70, 3)[at]!] as const);
    const chances = corrected(Array.from({ length: 20 }, () => chanceOfRounds(rounds) ?? 1));
    expect(Math.max(...chances)).toBeLessThan(0.05);
  });
});

it.each([
  [3, 20, / 3 repetitions can tell .* to tell each by itself takes 5 \(repeat: 5 in a plan\)\.$/],
  [5, 20, /expected to be chance\.$/],
  [3, 1, /expected to be chance\.$/],
])("a report of %d repetitions and %d comparisons says how many are needed", (repetitions, tests, said) => {
  const areDifferent = () => false;
  expect(howCompared({ tests, byRound: tests, repetitions, areDifferent }).join(" ")).toMatch(said);
});

describe("throughput", () => {
  const gate = (before: Results, after: Results) =>
    gateOf(before, after).rows.filter(({ metric }) => metric === "throughput" || metric === "status");

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
    expect(gate(ratesOf(before, [1e9]), ratesOf(after, [1e9]))[0]).toMatchObject({
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
    const rows = gate(ratesOf([9.9e9, 10e9, 10.1e9], [1e9]), ratesOf([9.9e9, 10e9, 10.1e9], [1e9]));
    expect(powerSentence(rows)).toMatch(/^A change under \d\.\d % is missed/);
    expect(powerSentence(gate(ratesOf([1], [1]), ratesOf([1], [1])))).toBeNull();
  });

  it("counts a missing or newly failed case as worse", () => {
    const before = ratesOf([10e9], [5e9]);
    const gone = gate(before, { ...before, cases: before.cases.slice(0, 1) });
    expect(gone.filter(({ verdict }) => verdict === "worse")).toMatchObject([
      { topology: "nat-instance", metric: "status", before: "ok", after: "not measured" },
    ]);
  });

  it("does not call a trace of loss a regression, but real loss", () => {
    const loss = (lostPercent: number) => {
      // Fewer repetitions without scatter are not judged.
      const four = [1e9, 1e9, 1e9, 1e9];
      const results = ratesOf(four, four);
      const cases = results.cases.map((one) => ({
        ...one,
        measurement: one.measurement && { ...one.measurement, lostPercent },
      }));
      return { ...results, cases };
    };
    const worse = (from: number, to: number) =>
      gateOf(loss(from), loss(to)).rows.filter(({ verdict }) => verdict === "worse").length;
    expect(worse(0, 0.005)).toBe(0);
    expect(worse(0.0001, 0.005)).toBe(0);
    expect(worse(0, 1)).toBe(2);
  });

  it("finds nothing worse in results compared with themselves", () => {
    expect(gateOf(whole, whole).rows.filter(({ verdict }) => verdict === "worse")).toEqual([]);
  });
});

describe("repetitions that failed, beside others as good as before", () => {
  /** Repetitions of one case, of which the last `failed` found no route. */
  function run(good: number, failed: number): Results {
    const failure = { class: "no-route" as const, message: "no answer", stderrTail: "" };
    const lost = { ...template, status: "failed" as const, failure, measurement: null };
    const cases = [...Array(good).fill(template), ...Array(failed).fill(lost)];
    return { ...whole, topologies: whole.topologies.filter(({ name }) => name === "direct"), cases };
  }

  it.each<[string, [number, number], [number, number], unknown[]]>([
    [
      "worse if more fail than by chance",
      [12, 0],
      [3, 9],
      ["0 of 12 failed", "9 of 12 failed", "worse", false],
    ],
    [
      "not judged if so few more may have failed by chance",
      [3, 0],
      [2, 1],
      ["0 of 3 failed", "1 of 3 failed", "not judged", true],
    ],
    [
      "not judged if one more of many failed",
      [10, 1],
      [9, 2],
      ["1 of 11 failed", "2 of 11 failed", "not judged", true],
    ],
    ["left out if as many fail", [10, 2], [10, 2], []],
    ["left out if fewer fail", [2, 1], [12, 0], []],
  ])("are %s", (_, before, after, expected) => {
    const rows = gateOf(run(...before), run(...after)).rows.filter(({ metric }) => metric === "status");
    expect(rows.flatMap((row) => [row.before, row.after, row.verdict, row.undecided])).toEqual(expected);
  });
});

/** The round-trip case, three times, each with or without its p99.9. */
function roundTrips(p999: readonly (number | null)[]): Results {
  const one = whole.cases.find(({ id, topology }) => id === "tcp-rtt" && topology === "direct")!;
  const latencyUs = one.measurement!.latencyUs!;
  return {
    ...whole,
    cases: p999.map((value, index) => ({
      ...one,
      measurement: {
        ...one.measurement!,
        latencyUs: { ...latencyUs, mean: latencyUs.mean! + index / 100, p999: value },
      },
    })),
  };
}
it("a percentile of too few samples is not judged, and the case is", () => {
  const verdict = gateOf(roundTrips([800, 801, 802]), roundTrips([null, null, null]));
  expect(verdict.rows.find(({ metric }) => metric === "latencyP999")).toMatchObject({
    after: "not measured",
    verdict: "not judged",
  });
  expect(verdict.verdict).toBe("good");
  expect(toJUnit(verdict)).toContain('failures="0"');
});

it("a case without its leading figure is worse", () => {
  const now = roundTrips([800, 801, 802]);
  const without = now.cases.map((one) => ({
    ...one,
    measurement: { ...one.measurement!, latencyUs: { ...one.measurement!.latencyUs!, p50: null } },
  }));
  expect(gateOf(roundTrips([800, 801, 802]), { ...now, cases: without }).verdict).toBe("worse");
});

it("a figure of one repetition among judged ones fails neither a JUnit test nor the gate", () => {
  const verdict = gateOf(roundTrips([800, 801, 802]), roundTrips([805, null, null]));
  expect(verdict.verdict).toBe("good");
  expect(toJUnit(verdict)).toMatch(/failures="0" skipped="[1-9]/);
});

it("a case of single runs fails both", () => {
  const verdict = gateOf(roundTrips([800]), roundTrips([805]));
  expect(verdict.verdict).toBe("not-judged");
  expect(toJUnit(verdict)).not.toContain('failures="0"');
});

/** Outages of about half a second, scattered by a few milliseconds, with the flows that survive each. */
function survivors(survived: readonly number[], established = 500): Results {
  const measurements = survived.map((flows, index): Measurement => {
    const measurement = structuredClone(killMeasured);
    const { outages, flows: held } = measurement.failover!;
    Object.assign(outages.new, { ms: 500 + index, ended: true });
    Object.assign(outages.established, { ms: established + index, ended: true });
    Object.assign(held.tcp, { opened: 1000, survived: flows });
    return measurement;
  });
  return repeatedResults(kill, measurements);
}
const [all, none] = [
  [1000, 1000, 1000, 1000, 1000],
  [0, 0, 0, 0, 0],
];
const rowOf = ({ rows }: Pick<ReturnType<typeof gateOf>, "rows">, metric: string) =>
  rows.find((row) => row.metric === metric);

describe("flows that survive a failure", () => {
  it.each<[string, number[], number[], string, string]>([
    ["none any more", all, none, "worse", "worse"],
    ["fewer in most of five", all, [400, 500, 300, 200, 100], "worse", "worse"],
    // The median is the same, and chance does it in 22 %.
    ["none in two of five", all, [1000, 0, 1000, 0, 1000], "not judged", "not-judged"],
    // Ranks give exactly 5 %.
    ["none in three of three", all.slice(2), none.slice(2), "not judged", "not-judged"],
    ["as many", all, all, "within tolerance", "good"],
    [
      "fewer of one repetition, within the tolerance",
      all,
      [1000, 1000, 990, 1000, 1000],
      "within tolerance",
      "good",
    ],
    ["more than before", none, all, "within tolerance", "good"],
  ])("%s", (_, before, after, ofFigure, ofAll) => {
    const { rows, verdict } = gateOf(survivors(before), survivors(after));
    expect([rowOf({ rows }, "failoverTcpSurvived")?.verdict, verdict]).toEqual([ofFigure, ofAll]);
  });

  it("is worse if an established flow waits longer than before", () => {
    const verdict = gateOf(survivors(all), survivors(all, 5000));
    expect(rowOf(verdict, "failoverEstablished")?.verdict).toBe("worse");
  });

  it.each([
    ["failoverOutage", [500, 501, 502, 503, 504], [8000, 8001, 8002, 8003]],
    ["noDropRate", [190e6, 191e6, 192e6, 193e6, 194e6], [94e6, 95e6, 96e6, 97e6]],
  ] as const)("is worse where the values of %s are worse and one of five has none", (metric, then, now) => {
    const after = { ...summarize(now, figures[metric]), absent: 1 };
    const before = summarize(then, figures[metric]);
    const [found] = judgeFigures([{ metric, before, after }], 5);
    expect(found).toMatchObject({ verdict: "worse", undecided: false });
    expect(found?.chance).toBeLessThan(0.05);
    // The values themselves have not changed.
    const same = { ...summarize(then.slice(1), figures[metric]), absent: 1 };
    expect(judgeFigures([{ metric, before, after: same }], 5)[0]).toMatchObject({
      ...{ verdict: "not judged", undecided: true },
    });
  });
});

describe("failures of five that were final", () => {
  const of = (finals: number) =>
    repeatedResults(
      kill,
      [0, 1, 2, 3, 4].map((index) => {
        const measurement = structuredClone(killMeasured);
        const { outages } = measurement.failover!;
        for (const cut of [outages.new, outages.established]) cut.ended = index >= finals;
        return measurement;
      }),
    );

  it.each([
    // 2 in 10 can always be chance.
    [0, 2, "not-judged"],
    [0, 4, "worse"],
    [0, 5, "worse"],
    [0, 0, "good"],
    [2, 2, "good"],
  ])("%d before and %d after: %s", (before, after, expected) => {
    const verdict = gateOf(of(before), of(after));
    expect(verdict.verdict).toBe(expected);
    if (expected !== "not-judged") return;
    const unsure = { verdict: "not judged", chance: null };
    expect(rowOf(verdict, "failoverNeverRecovered")).toMatchObject(unsure);
    expect(rowOf(verdict, "failoverOutage")?.verdict).toBe("not judged");
  });
});
