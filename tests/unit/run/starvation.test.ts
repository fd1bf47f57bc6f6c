import { expect, it } from "vitest";
import { STARVED_SHARE, starvation } from "../../helpers/starvation.ts";

it.each([
  [0, 1000, null],
  [1000 * STARVED_SHARE - 1, 1000, null],
  [1000 * STARVED_SHARE, 1000, "processes waited for a CPU for 200 of 1000 ms"],
  [10, 11, null],
])("%d ms of waiting in %d ms", (waitedMs, elapsedMs, why) => {
  expect(starvation({ waitedMs, elapsedMs })).toBe(why);
});
