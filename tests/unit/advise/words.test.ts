/** Counts of advice as people read them. */
import { expect, it } from "vitest";
import { flowsBetween } from "../../../advise/words.ts";

it.each([
  [1, 1, "1 flow"],
  [3, 3, "3 flows"],
  [0, 1, "0 to 1 flow"],
  [1, 1200, "1 to 1,200 flows"],
])("%s to %s flows", (low, high, expected) => {
  expect(flowsBetween({ low, high })).toBe(expected);
});
