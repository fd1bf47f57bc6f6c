/** Results of several stacks and clouds in one report. */
import { describe, expect, it } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { showFigure, verdictFigures, verdictSentences } from "../../../report/comparison/verdict.ts";
import { compare } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();
const input = (results: Results) => ({ source: `${results.stack}.json`, results });

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
