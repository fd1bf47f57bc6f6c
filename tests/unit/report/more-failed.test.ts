/** The gate on failed repetitions whose other repetitions are as good as before. */
import { expect, it } from "vitest";
import type { CaseResult, Results } from "../../../bench/results/index.ts";
import { compare, judge } from "../../../report/index.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();
const template = whole.cases.find(
  ({ id, topology }) => id === "tcp-egress" && topology === "direct",
) as CaseResult;

/** Repetitions of one case, of which the last `failed` found no route. */
function run(good: number, failed: number): Results {
  const failure = { class: "no-route" as const, message: "no answer", stderrTail: "" };
  const lost = { ...template, status: "failed" as const, failure, measurement: null };
  const cases = [...Array<CaseResult>(good).fill(template), ...Array<CaseResult>(failed).fill(lost)];
  return { ...whole, topologies: whole.topologies.filter(({ name }) => name === "direct"), cases };
}

const statuses = (before: Results, after: Results) =>
  judge(compare([{ source: "", results: before }]), compare([{ source: "", results: after }]), 5)
    .filter(({ metric }) => metric === "status")
    .map(({ before: then, after: now, verdict, undecided }) => [then, now, verdict, undecided]);

it("is worse if more fail than by chance", () => {
  expect(statuses(run(12, 0), run(3, 9))).toEqual([["0 of 12 failed", "9 of 12 failed", "worse", false]]);
});

it("is not judged if so few more may have failed by chance", () => {
  expect(statuses(run(3, 0), run(2, 1))).toEqual([["0 of 3 failed", "1 of 3 failed", "not judged", true]]);
  expect(statuses(run(10, 1), run(9, 2))).toEqual([["1 of 11 failed", "2 of 11 failed", "not judged", true]]);
});

it.each([
  [run(10, 2), run(10, 2)],
  [run(2, 1), run(12, 0)],
])("reports nothing if no larger share fails", (before, after) => {
  expect(statuses(before, after)).toEqual([]);
});
