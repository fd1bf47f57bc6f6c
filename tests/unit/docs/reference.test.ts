/** The generated reference is what the schemas say today. That its words are true is not proved here. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { referencePages } from "../../../docs/generate/reference.ts";

const directory = new URL("../../../docs/reference/", import.meta.url);
const pages = referencePages();

test.each(Object.entries(pages))("docs/reference/%s is up to date (npm run reference)", (name, text) => {
  expect(readFileSync(new URL(name, directory), "utf8")).toBe(text);
});

test("docs/reference/ holds nothing else", () => {
  expect(readdirSync(directory).sort()).toEqual(Object.keys(pages).sort());
});

test("fields of schemas that are imported, spread, renamed and repeated are found", () => {
  const results = pages["results.md"] ?? "";
  for (const row of [
    "| `plan.repeat.withinPercent` | number or null |",
    "| `cases` | list of [case result](#case-result) |",
    "| `startedAt` | time (ISO 8601) or null |",
    "| `schemaVersion` | `1` |",
  ]) {
    expect(results).toContain(row);
  }
  expect(pages["configuration.md"]).toContain("| `cloud` | `azure`, `aws`, `local` | required |");
});
