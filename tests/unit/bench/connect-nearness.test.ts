/** The benchmark of the connect probe: when its figures count as equal to independent clients'. */
import { expect, it } from "vitest";
import { isNear } from "../../bench/connect/nearness.ts";

it.each([
  ["within a sample period of the median", 29, [20, 21], true],
  ["within 5 % of the median", 1040, [1000, 1002, 1001], true],
  ["among clients that differ", 500, [100, 900], true],
  ["near one client, and beyond all", 940, [100, 900], false],
  ["near one of three, and beyond all", 2050, [1000, 1001, 2000], false],
])("%s: %d ms of %j", (_, found, others, isSo) => {
  expect(isNear(found, others)).toBe(isSo);
});
