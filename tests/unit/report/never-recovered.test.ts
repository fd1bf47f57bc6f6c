/** Failures that traffic never recovered from come first wherever a time to recover appears. */
import { describe, expect, it } from "vitest";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { estimate } from "../../../bench/figures/estimate.ts";
import { parsePlan } from "../../../bench/index.ts";
import type { CaseResult, Results } from "../../../bench/results/index.ts";
import { describeCase } from "../../../bench/summary/case-words.ts";
import { failoverChart } from "../../../report/charts/failover.ts";
import { evidenceOf } from "../../../report/choice/evidence.ts";
import { reasonSentences } from "../../../report/choice/words.ts";
import { showFigure } from "../../../report/comparison/verdict.ts";
import { compare } from "../../../report/index.ts";
import { failoverTable } from "../../../report/tables/failover.ts";
import { verdictTables } from "../../../report/tables/tables.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";
import { fixture, onePair, silentReport } from "../bench/fixture.ts";
import { way } from "./ways.ts";

const whole = handMadeResults();
const [kill] = parsePlan({ cases: [{ tool: "failover", failure: "kill" }] }).cases;
if (kill === undefined) throw new Error("a plan without its case");
const stdout = fixture("failover/pair-kill.json");
const template = caseResult({
  ...{ topology: "nat-instance", case: kill, command: "" },
  pairs: onePair({ ...silentReport, exitCode: 0, stdout }),
});

interface Trial {
  /** Milliseconds of outage; null: until the end of the case, 19 s after the failure. */
  readonly fresh: number | null;
  readonly established?: number | null;
}

function trial({ fresh, established = fresh }: Trial): CaseResult {
  const measurement = structuredClone(template.measurement)!;
  const { outages } = measurement.failover!;
  Object.assign(measurement, { durationSeconds: 20 });
  Object.assign(outages.new, { ms: fresh ?? 19_000, ended: fresh !== null });
  Object.assign(outages.established, { ms: established ?? 19_000, ended: established !== null });
  return { ...template, measurement };
}

const repeat = { least: 5, most: 5, withinPercent: null };
const merged = (trials: readonly Trial[]) => mergeRepetitions(trials.map(trial), repeat);
const resultsOf = (one: CaseResult): Results => ({
  ...whole,
  plan: { ...whole.plan, cases: [kill], repeat },
  cases: [one],
  topologies: whole.topologies.filter(({ name }) => name === "nat-instance"),
});

const twoOfFive = merged([500, 520, null, 540, null].map((fresh) => ({ fresh })));
const allOfFive = merged([1, 2, 3, 4, 5].map(() => ({ fresh: null })));
const establishedOnly = merged(
  [510, null, null, 550, null].map((established) => ({ fresh: 520, established })),
);
const once = trial({ fresh: null });

function said(one: CaseResult) {
  const results = resultsOf(one);
  const comparison = compare([{ source: "", results }]);
  const report = reportOf(results);
  const evidence = evidenceOf(comparison, comparison.columns[0]!);
  const pick = { way: way("nat-instance", evidence), need: null, singlePoint: true };
  const needs = { gbIn: 1000, gbOut: 1000, peakBitsPerSecond: null };
  const answer = { pick, needs, assessed: [], runnerUp: null, breakEvens: [], turns: [] };
  const table = verdictTables(report)[0]!.table;
  const at = table.head.findIndex(({ text }) => text.endsWith(": outage"));
  return {
    terminal: describeCase(one),
    choice: reasonSentences(answer as unknown as Parameters<typeof reasonSentences>[0]).join(" "),
    verdict: table.rows[0]![at]!,
    table: failoverTable(report)
      .rows[0]!.slice(2, 4)
      .map(({ text }) => text),
    chart: failoverChart(comparison)!,
    share: showFigure(comparison.rows[0]!, comparison.columns[0]!, "failoverNeverRecovered"),
  };
}

describe("2 of 5 failures that were final", () => {
  const { terminal, choice, verdict, table, chart, share } = said(twoOfFive);

  it("come first in the choice's sentence", () => {
    expect(choice).toContain(
      "It is one machine: in 2 of 5 trials, traffic did not all come back within the case (20 s); where new connections did, they were out for 1 s.",
    );
  });

  it("have a share that is called a mean", () => {
    expect(share.text).toBe("40.0 %");
    expect(share.confidence).toMatch(/^mean; 0 % to 100 % \(all, n = 5\); median 0 %$/);
  });

  it("come first in the summary and in each table", () => {
    expect(terminal).toMatch(/^2 of 5 never recovered, out 520\.0 ms/);
    expect(verdict.text).toBe("2 of 5 never recovered, 520.0 ms");
    expect(table).toEqual(["2 of 5 never recovered, 520.0 ms", "520.0 ms"]);
  });

  it("are in the picture: in its text, and as separate marks", () => {
    expect(chart.table.rows[0]?.[2]).toBe("2 of 5 never recovered, 500.0 ms, 520.0 ms, 540.0 ms");
    for (const { svg } of chart.drawn) {
      expect(svg.match(/<title>[^<]*new connections never came back<\/title>/g)).toHaveLength(2);
      expect(svg.match(/<title>[^<]*: 5[024]0\.0 ms<\/title>/g)).toHaveLength(3);
    }
  });
});

describe("flows that survived", () => {
  const held = (of: readonly (readonly [opened: number, survived: number])[]) =>
    mergeRepetitions(
      of.map(([opened, survived]) => {
        const one = trial({ fresh: 500 });
        Object.assign(one.measurement!.failover!.flows.tcp, { opened, survived });
        return one;
      }),
      { least: of.length, most: of.length, withinPercent: null },
    );

  it("can have a median between two counts", () => {
    const all = ([998, 999, 1000, 1000] as const).map((survived) => [1000, survived] as const);
    expect(describeCase(held(all))).toContain("998 of 1,000 TCP survived at the least (median 999.5)");
    const results = resultsOf(held(all));
    const report = reportOf(results);
    expect(failoverTable(report).rows[0]?.[4]).toMatchObject({ notes: ["the least of 4; median 999.5"] });
  });

  it("are counted among those that their own repetition opened", () => {
    const few = held([
      [1000, 1000],
      [1000, 1000],
      [990, 990],
    ]);
    expect(describeCase(few)).toContain(" 1,000 of 1,000 TCP survived, ");
    const lost = held([
      [1000, 999],
      [1000, 1000],
      [990, 980],
    ]);
    expect(describeCase(lost)).toContain("980 of 990 TCP survived at the least");
  });
});

describe("an established flow that alone never recovers in 3 of 5", () => {
  const { terminal, choice, verdict } = said(establishedOnly);

  it("counts as never recovered", () => {
    expect(estimate("failoverNeverRecovered", [establishedOnly])?.mean).toBe(0.6);
    expect(terminal).toMatch(/^3 of 5 never recovered, /);
    expect(verdict.text).toMatch(/^3 of 5 never recovered, /);
    expect(choice).toContain("in 3 of 5 trials, traffic did not all come back");
  });
});

describe.each([
  ["5 of 5 failures", allOfFive, "5 of 5 never recovered", "in 5 of 5 trials", 5],
  ["a single failure", once, "never recovered", "when it failed", 1],
] as const)("%s that none recovered from", (_, one, words, trials, marks) => {
  const { terminal, choice, verdict, table, chart } = said(one);

  it("does not appear as an unmeasured time", () => {
    expect(choice).toContain(
      `It is one machine: ${trials}, traffic did not all come back within the case (20 s).`,
    );
    expect(verdict).toMatchObject({ text: `${words}, over 19.0 s`, state: "failed" });
    expect(terminal).toContain("out over 19.0 s");
    expect(table[0]).toContain("over 19.0 s");
  });

  it("does not appear as a time of 19 s in the picture", () => {
    expect(chart.table.rows[0]?.[2]).toBe(`${words}, over 19.0 s`);
    for (const { svg } of chart.drawn) {
      expect(svg.match(/<title>[^<]*new connections never came back<\/title>/g)).toHaveLength(marks);
    }
  });
});
