/** Every failure class has a remedy. Not proved: that the remedies help. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { failureClassSchema } from "../../../bench/index.ts";

const page = readFileSync(new URL("../../../docs/troubleshooting.md", import.meta.url), "utf8");

test("troubleshooting has one part per failure class, and no other", () => {
  const [, classes = ""] = page.split("\n## ");
  const headings = [...classes.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(failureClassSchema.options);
});

test.each(failureClassSchema.options)("%s has a remedy", (name) => {
  const part = page.split(`### ${name}\n`)[1]?.split("\n#")[0] ?? "";
  expect(part.trim().length).toBeGreaterThan(80);
});
