/** Failures that traffic never recovered from come first wherever a time to recover appears. */
import { describe, expect, it } from "vitest";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { estimate } from "../../../bench/figures/estimate.ts";
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
import { kill } from "./repeated.ts";
import { way } from "./ways.ts";

const whole = handMadeResults();
const template = caseResult({
  ...{ topology: "nat-instance", case: kill, command: "" },
  pairs: onePair({ ...silentReport, exitCode: 0, stdout: fixture("failover/pair-kill.json") }),
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

interface Expected {
  readonly words: string;
  /** Of new and of established connections. */
  readonly table: readonly string[];
  readonly terminal: string;
  readonly choice: string;
  readonly picture: string;
  readonly marks: number;
}

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

it.each<[string, CaseResult, Expected]>([
  [
    "2 of 5 failures that were final come first",
    merged([500, 520, null, 540, null].map((fresh) => ({ fresh }))),
    {
      words: "2 of 5 never recovered, 520.0 ms",
      table: ["2 of 5 never recovered, 520.0 ms", "520.0 ms"],
      terminal: "2 of 5 never recovered, out 520.0 ms",
      choice:
        "in 2 of 5 trials, traffic did not all come back within the case (20 s); where new connections did, they were out for 1 s.",
      picture: "2 of 5 never recovered, 500.0 ms, 520.0 ms, 540.0 ms",
      marks: 2,
    },
  ],
  [
    "5 of 5 are no unmeasured time, and no time of 19 s",
    merged([1, 2, 3, 4, 5].map(() => ({ fresh: null }))),
    {
      words: "5 of 5 never recovered, over 19.0 s",
      table: ["5 of 5 never recovered, over 19.0 s", "over 19.0 s"],
      terminal: "5 of 5 never recovered, out over 19.0 s",
      choice: "in 5 of 5 trials, traffic did not all come back within the case (20 s).",
      picture: "5 of 5 never recovered, over 19.0 s",
      marks: 5,
    },
  ],
  [
    "a single one is neither",
    trial({ fresh: null }),
    {
      words: "never recovered, over 19.0 s",
      table: ["over 19.0 s", "over 19.0 s"],
      terminal: "out over 19.0 s",
      choice: "when it failed, traffic did not all come back within the case (20 s).",
      picture: "never recovered, over 19.0 s",
      marks: 1,
    },
  ],
])("%s, in summary, choice, tables and picture", (_, one, expected) => {
  const { terminal, choice, verdict, table, chart } = said(one);
  expect(terminal).toContain(expected.terminal);
  expect(choice).toContain(`It is one machine: ${expected.choice}`);
  expect(verdict.text).toBe(expected.words);
  expect(table).toEqual(expected.table);
  expect(verdict.state === "failed").toBe(expected.words.endsWith("over 19.0 s"));
  expect(chart.table.rows[0]?.[2]).toBe(expected.picture);
  const times = expected.picture.match(/[\d.]+ ms/g) ?? [];
  for (const { svg } of chart.drawn) {
    expect(svg.match(/<title>[^<]*new connections never came back<\/title>/g)).toHaveLength(expected.marks);
    expect(svg.match(/<title>[^<]*: [\d.]+ ms<\/title>/g) ?? []).toHaveLength(times.length);
  }
});

it("a share of failures is called a mean", () => {
  const { share } = said(merged([500, 520, null, 540, null].map((fresh) => ({ fresh }))));
  expect(share.text).toBe("40.0 %");
  expect(share.confidence).toMatch(/^mean; 0 % to 100 % \(all, n = 5\); median 0 %$/);
});

it("an established flow that alone never recovers counts as never recovered", () => {
  const of = [510, null, null, 550, null].map((established) => ({ fresh: 520, established }));
  const { terminal, choice, verdict } = said(merged(of));
  expect(estimate("failoverNeverRecovered", [merged(of)])?.mean).toBe(0.6);
  expect(terminal).toMatch(/^3 of 5 never recovered, /);
  expect(verdict.text).toMatch(/^3 of 5 never recovered, /);
  expect(choice).toContain("in 3 of 5 trials, traffic did not all come back");
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
