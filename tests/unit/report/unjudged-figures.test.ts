/** Figures that only one side has: verdicts of gate and JUnit. */
import { expect, test } from "vitest";
import type { Results } from "../../../bench/results/index.ts";
import { baselineVerdict } from "../../../report/comparison/baseline.ts";
import { compare } from "../../../report/comparison/comparison.ts";
import { toJUnit } from "../../../report/exports/gate.ts";
import { handMadeResults } from "../../fixtures/results/hand-made.ts";

const whole = handMadeResults();

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
const verdictOf = (before: Results, after: Results) =>
  baselineVerdict(compare([{ source: "now", results: after }]), {
    read: { inputs: [{ source: "before", results: before }], problems: [] },
    source: "before",
    tolerancePercent: 5,
  });

test("a percentile of too few samples is not judged, and the case is", () => {
  const verdict = verdictOf(roundTrips([800, 801, 802]), roundTrips([null, null, null]));
  expect(verdict.rows.find(({ metric }) => metric === "latencyP999")).toMatchObject({
    after: "not measured",
    verdict: "not judged",
  });
  expect(verdict.verdict).toBe("good");
  expect(toJUnit(verdict)).toContain('failures="0"');
});

test("a case without its leading figure is worse", () => {
  const now = roundTrips([800, 801, 802]);
  const without = now.cases.map((one) => ({
    ...one,
    measurement: { ...one.measurement!, latencyUs: { ...one.measurement!.latencyUs!, p50: null } },
  }));
  expect(verdictOf(roundTrips([800, 801, 802]), { ...now, cases: without }).verdict).toBe("worse");
});

test("a figure of one repetition among judged ones fails neither a JUnit test nor the gate", () => {
  const verdict = verdictOf(roundTrips([800, 801, 802]), roundTrips([805, null, null]));
  expect(verdict.verdict).toBe("good");
  expect(toJUnit(verdict)).toMatch(/failures="0" skipped="[1-9]/);
});

test("a case of single runs fails both", () => {
  const verdict = verdictOf(roundTrips([800]), roundTrips([805]));
  expect(verdict.verdict).toBe("not-judged");
  expect(toJUnit(verdict)).not.toContain('failures="0"');
});
