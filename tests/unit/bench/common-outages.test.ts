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

const later = { startSeconds: 3.5, seconds: 4.5, leastSeconds: 4, mostSeconds: 7 };
const short = { startSeconds: 6.5, seconds: 1.5, leastSeconds: 1, mostSeconds: 3 };
const egress = { ...outage, direction: "egress" as const };

test.each<[string, Outage[] | null, Outage[] | null, number, Outage[] | null, RegExp]>([
  ["of all pairs is the case's", [outage], [outage], 0, [outage], /, outage of 5 s at 3 s$/],
  [
    "of a pair that began later is the case's for the common time",
    [outage],
    [{ ...outage, leastSeconds: 4.5 }],
    500,
    [later],
    /, outage of 4.5 s at 3.5 s$/,
  ],
  ["of one pair is only its own, and named", [], [outage], 0, [], /s, outage of 5 s at 3 s of pair 2$/],
  ["of one direction is named", [], [egress], 0, [], /s, egress outage of 5 s at 3 s of pair 2$/],
  [
    "that is longer than the common one is named too",
    [outage],
    [short],
    0,
    [short],
    /, outage of 1.5 s at 6.5 s, outage of 5 s at 3 s of pair 1$/,
  ],
  ["is unknown if one pair's are", [outage], null, 0, null, /s, outage of 5 s at 3 s of pair 1$/],
])("an outage %s", (_, first, second, skewMs, common, said) => {
  const found = summed({ outages: first }, { outages: second, skewMs });
  expect(found.measurement?.outages).toEqual(common);
  expect(found.pairs?.map(({ outages }) => outages)).toEqual([first, second]);
  expect(words(found)).toMatch(said);
});
