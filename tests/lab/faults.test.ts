/**
 * The short form of the fault table: each fault is made for real, by `pulumi up` on a lab. The whole table is
 * `npm run bench -- faults`.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openFaultLab, table } from "../faults/table.ts";
import type { LabStack } from "../helpers/lab-stack.ts";

let lab: LabStack;
beforeAll(async () => {
  lab = await openFaultLab();
});
afterAll(() => lab.dispose());

test("the table has forty rows", () => {
  expect(table.length).toBeGreaterThanOrEqual(40);
  expect(new Set(table.map(({ name }) => name)).size).toBe(table.length);
});

test.each(table.filter(({ short }) => short))("$name", async (row) => {
  const outcome = await row.try(lab);
  expect(outcome.wrong, JSON.stringify(outcome)).toEqual([]);
});
