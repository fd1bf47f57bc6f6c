/** The report's method: rounds are pairs, a figure has one value everywhere, and differences are judged together. */
import { describe, expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import type { CaseResult, Measurement, Results } from "../../../bench/results/index.ts";
import { differencesOf } from "../../../report/comparison/differences.ts";
import { toHtml, toMarkdown } from "../../../report/index.ts";
import { handMadeResults, randomFrom } from "../../fixtures/results/hand-made.ts";
import { reportOf } from "../../helpers/report-of.ts";

const whole = handMadeResults();
const sides = ["direct", "nat-instance"] as const;

/** A run of two topologies, with one measurement per case and round. */
function run(
  cases: Readonly<Record<string, Readonly<Record<(typeof sides)[number], readonly Partial<Measurement>[]>>>>,
): Results {
  const template = whole.cases.find(({ id, topology }) => id === "tcp-egress" && topology === "direct")!;
  const planned = whole.plan.cases.find(({ id }) => id === "tcp-egress")!;
  const merged = Object.entries(cases).flatMap(([id, bySide]) =>
    sides.map((topology) => {
      const runs = bySide[topology].map(
        (changes, index): CaseResult => ({
          ...{ ...template, id, topology, round: index + 1, limits: [] },
          measurement: { ...template.measurement!, ...changes },
        }),
      );
      return mergeRepetitions(runs, { least: runs.length, most: runs.length, withinPercent: null });
    }),
  );
  return {
    ...whole,
    plan: { ...whole.plan, cases: Object.keys(cases).map((id) => ({ ...planned, id })) },
    topologies: whole.topologies.filter(({ name }) => sides.some((side) => side === name)),
    cases: merged,
  };
}

const plain = (html: string) => html.replaceAll("\u00a0", " ");
const rates = (...values: number[]) => values.map((gigabits) => ({ bitsPerSecond: gigabits * 1e9 }));

describe("topologies that shared rounds", () => {
  // Each round is slower than the one before, by a quarter in total; the instance is 10 % slower in each.
  const drifting = run({
    "tcp-egress": {
      direct: rates(10, 9.4, 8.8, 8.3, 7.8),
      "nat-instance": rates(9.01, 8.45, 7.93, 7.46, 7.02),
    },
  });

  it("are compared round by round, and page and text say so", () => {
    const report = reportOf(drifting);
    const words = "Figures of topologies were compared round by round (paired t-test)";
    for (const text of [toMarkdown(report), plain(toHtml(report))]) {
      expect(text).toContain(words);
      expect(text).toMatch(/TCP egress, best first: direct 8\.86 Gbit\/s, nat-instance 7\.97 Gbit\/s/);
    }
  });
});

describe("differences", () => {
  it("are judged over the whole report: among many cases without one hardly any is called real", () => {
    const random = randomFrom(7);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const draw = () => rates(...Array.from({ length: 5 }, () => 10 * (1 + 0.05 * normal())));
    const names = Array.from({ length: 60 }, (_, index) => `tcp-${index}`);
    const results = run(
      Object.fromEntries(names.map((id) => [id, { direct: draw(), "nat-instance": draw() }])),
    );
    const { comparison } = reportOf(results);
    expect(toMarkdown(reportOf(results))).toMatch(/\d+ comparisons are judged together: at most 5 %/);
    const [direct, instance] = comparison.columns;
    const { areDifferent } = differencesOf(comparison);
    // Judged alone, about three of sixty would be.
    const real = comparison.rows.filter((row) => areDifferent(row, "throughput", direct!, instance!));
    expect(real.length).toBeLessThanOrEqual(1);
  });
});
