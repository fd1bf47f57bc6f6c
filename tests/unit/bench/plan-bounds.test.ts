/** Limits of a plan's size, and plain text for terminals. */
import { expect, test } from "vitest";
import { parsePlan } from "../../../bench/index.ts";

const range = (length: number) => Array.from({ length }, (_, index) => index + 1);
const sweep = (streams: number, rates: number) => ({
  cases: [
    {
      tool: "iperf3",
      streams: range(streams),
      bitrate: range(rates).map((rate) => `${rate}M`),
      durationSeconds: 1,
    },
  ],
});

test("a plan of a thousand cases is read", () => {
  expect(parsePlan(sweep(100, 10)).cases).toHaveLength(1000);
});

test.each([
  ["a sweep", sweep(101, 10), 1010],
  ["a sweep that would take hours to expand", sweep(64, 4000), 256_000],
  [
    "many cases",
    { cases: range(1001).map((n) => ({ tool: "connect", id: `c${n}`, durationSeconds: 1 })) },
    1001,
  ],
])("more cases are refused before they are made: %s", (_, plan, count) => {
  expect(() => parsePlan(plan)).toThrow(`the lists of this plan make ${count} cases; expected 1000 at most`);
});

test("an id with escape sequences is shown without them", () => {
  const plan = { cases: [{ tool: "connect", id: "\u001b[31mred", durationSeconds: 1 }] };
  expect(() => parsePlan(plan)).toThrow(/^[ -~]*id: got "\\u001b\[31mred"[ -~]*$/);
});
