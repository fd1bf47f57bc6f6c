/** Formats of counts in advice. */
import { expect, it } from "vitest";
import { counted, flowsBetween } from "../../../packages/advise/src/words.ts";

it.each([
  [1, 1, "1 flow"],
  [3, 3, "3 flows"],
  [0, 1, "0 to 1 flow"],
  [1, 1200, "1 to 1,200 flows"],
])("%s to %s flows", (low, high, expected) => {
  expect(flowsBetween({ low, high })).toBe(expected);
});

it("counts one thing as one", () => {
  const words = [0, 1, 1200].map((value) => counted(value, "address", "addresses"));
  expect(words).toEqual(["0 addresses", "1 address", "1,200 addresses"]);
});
