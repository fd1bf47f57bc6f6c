/** Outages of a case in the report: throughput alone does not show them, since a delayed sender may catch up. */
import { expect, it } from "vitest";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { makeReport, toMarkdown } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();
const markdown = (rounds: readonly (readonly { startSeconds: number; seconds: number }[])[]) => {
  const repeat = { least: rounds.length, most: rounds.length, withinPercent: null };
  const cases = whole.cases.map((one) =>
    one.id === "tcp-egress" && one.topology === "nat-gateway"
      ? mergeRepetitions(
          rounds.map((outages) => ({ ...one, measurement: { ...one.measurement!, outages: [...outages] } })),
          repeat,
        )
      : one,
  );
  const read = { inputs: [{ source: "r.json", results: { ...whole, cases } }], problems: [] };
  return toMarkdown(makeReport(read, { madeAt: "2026-11-23T00:00:00Z" }));
};

it("an outage of any repetition is shown beside the case's first figure", () => {
  expect(markdown([[], [{ startSeconds: 1.9, seconds: 6.1 }], []])).toContain(
    "outage of 6.1 s at 1.9 s in round 2",
  );
  expect(markdown([[], [], []])).not.toContain("outage of");
});
