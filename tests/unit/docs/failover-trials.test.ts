/** The table of failures of a pair is what the recorded trials say. That the trials were run as they say is not proved here. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { RECORD, tallied, tallyTable } from "../../bench/failover-trial/tally.ts";

const page = readFileSync(new URL("../../../docs/reference/failover.md", import.meta.url), "utf8");

test("docs/reference/failover.md has the table of all recorded trials", () => {
  const trials = tallied(RECORD);
  expect(trials.length).toBeGreaterThan(0);
  expect(page).toContain(`\n\n${tallyTable(trials).join("\n")}\n\n`);
});
