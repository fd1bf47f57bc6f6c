/** Outages of a case with pairs: common ones, and single pairs'. */
import { expect, test } from "vitest";
import { sumPairs } from "../../../bench/assemble/pairs.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { CaseResult, Outage } from "../../../bench/results/index.ts";
import { describeCase } from "../../../bench/summary/case-words.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { iperf3Case, silentReport } from "./fixture.ts";

const benchCase: Case = { ...iperf3Case, pairs: 2, durationSeconds: 10 };
const outage = { startSeconds: 3, seconds: 5, leastSeconds: 5, mostSeconds: 7 };

const summed = (...pairs: readonly { outages: readonly Outage[] | null; skewMs?: number }[]) =>
  sumPairs(
    benchCase,
    pairs.map(({ outages, skewMs = 0 }, index) => ({
      client: `client-${index + 1}`,
      server: `server-${index + 1}`,
      failure: null,
      measurement: { ...nothingMeasured, bitsPerSecond: 1e9, outages: outages && [...outages] },
      report: { ...silentReport, startedAfterMs: skewMs },
    })),
  );
const words = (result: ReturnType<typeof summed>) =>
  describeCase({ ...result, repetitions: null, limits: [] } as unknown as CaseResult);

test("an outage of all pairs is the case's, and each pair has its own", () => {
  const found = summed({ outages: [outage] }, { outages: [outage] });
  expect(found.measurement?.outages).toEqual([outage]);
  expect(found.pairs?.map(({ outages }) => outages)).toEqual([[outage], [outage]]);
  expect(words(found)).toMatch(/, outage of 5 s at 3 s$/);
});

test("an outage of a pair that began later is the case's for the common time", () => {
  const found = summed({ outages: [outage] }, { outages: [{ ...outage, leastSeconds: 4.5 }], skewMs: 500 });
  expect(found.measurement?.outages).toEqual([
    { startSeconds: 3.5, seconds: 4.5, leastSeconds: 4, mostSeconds: 7 },
  ]);
});

test("an outage of one pair is only its own, and the summary names the pair", () => {
  const found = summed({ outages: [] }, { outages: [outage] });
  expect(found.measurement?.outages).toEqual([]);
  expect(found.pairs?.map(({ outages }) => outages)).toEqual([[], [outage]]);
  expect(words(found)).toMatch(/, outage of 5 s at 3 s of pair 2$/);
});

test("outages are unknown if one pair's are", () => {
  expect(summed({ outages: [outage] }, { outages: null }).measurement?.outages).toBeNull();
});

test("an outage of one direction is named", () => {
  const both = { ...outage, direction: "egress" as const };
  expect(words(summed({ outages: [] }, { outages: [both] }))).toMatch(
    /, egress outage of 5 s at 3 s of pair 2$/,
  );
});

test("an outage of one pair that is longer than the common one is reported too", () => {
  const short = { startSeconds: 6.5, seconds: 1.5, leastSeconds: 1, mostSeconds: 3 };
  expect(words(summed({ outages: [outage] }, { outages: [short] }))).toMatch(
    /, outage of 1.5 s at 6.5 s, outage of 5 s at 3 s of pair 1$/,
  );
});
