/** An answer without a given peak states its assumption, and the peak that would change the pick. */
import { expect, it } from "vitest";
import { turnSentences } from "../../../report/choice/words.ts";
import { makeReport, sentenceOf } from "../../../report/index.ts";
import { natInstanceResults } from "../../fixtures/results/nat-instance.ts";

const answer = (needs: object) => {
  const results = natInstanceResults("aws", "c7gn.medium", 2e9);
  const read = { inputs: [{ source: "a.json", results }], problems: [] };
  return makeReport(read, { madeAt: "2026-11-23T00:00:00Z", needs }).answers[0]!;
};

it("assumes the month's mean, and changes above the measurement", () => {
  const found = answer({ gbIn: 5000, gbOut: 500 });
  expect(found.pick?.way.out).toBe("nat-instance");
  const said = turnSentences(found).join("\n");
  expect(said).toContain(
    "The same up to a peak of 500 Mbit/s; above it: pick nat-instance (not measured) (t4g.small).",
  );
  // The gateway was neither measured nor present: nothing is saved against it.
  expect(sentenceOf(found)).toContain("against nat-instance (c7gn.medium)");
  expect(sentenceOf(found)).not.toContain("against nat-gateway");
});

it("assumes nothing if the peak is given", () => {
  const said = turnSentences(answer({ gbIn: 5000, gbOut: 500, peakBitsPerSecond: 1e9 })).join("\n");
  expect(said).not.toContain("No peak is given");
});
