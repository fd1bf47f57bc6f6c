/** The table of a pair's failures equals the recorded trials. Not proved: that the trials ran as recorded. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PRESENT_SINCE, RECORD, tallied, tallyTable } from "../../bench/failover-trial/tally.ts";
import { failures } from "../../helpers/pair-trial/failures.ts";

const page = readFileSync(new URL("../../../docs/reference/failover.md", import.meta.url), "utf8");

test.each([
  ["all recorded trials", ""],
  ["the present code's trials", PRESENT_SINCE],
])("docs/reference/failover.md has the table of %s", (_, since) => {
  const trials = tallied(RECORD).filter(({ at }) => at >= since);
  expect(trials.length).toBeGreaterThan(0);
  expect(page).toContain(`\n\n${tallyTable(trials).join("\n")}\n\n`);
});

test("every recorded trial is of a failure that can be tried again, by its present name", () => {
  const names = new Set(failures.map(({ name }) => name));
  const unknown = tallied(RECORD).flatMap(({ kind }) => (names.has(kind) ? [] : [kind]));
  expect([...new Set(unknown)]).toEqual([]);
});
