import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { PlanError } from "../../../bench/plan/plan.ts";

const refused: Readonly<Record<string, { readonly plan?: unknown; readonly says: string }>> = parse(
  readFileSync(new URL("../../fixtures/plans/refusals.yaml", import.meta.url), "utf8"),
);
const tcp = { tool: "iperf3", durationSeconds: 5 };
const ndr = { tool: "search", goal: "ndr", durationSeconds: 5, maxBitrate: "1G" };

describe("refusals", () => {
  const plan = (...cases: unknown[]) => ({ cases });
  it.each(Object.entries(refused))("%s", (_, { plan: input, says }) => {
    expect(() => parsePlan(input)).toThrow(PlanError);
    expect(() => parsePlan(input)).toThrow(says);
  });

  it("reports all mistakes of a case at once", () => {
    expect(() => parsePlan(plan({ ...tcp, streams: 0, bitrate: "x" }))).toThrow(
      /streams: got 0.*\n.*bitrate: got "x"/,
    );
  });

  it("throws only a PlanError for any input", () => {
    const anything = fc.anything({ maxDepth: 1 });
    const key = fc.constantFrom(
      "tool",
      "cases",
      "streams",
      "bitrate",
      "protocol",
      "durationSeconds",
      "id",
      "preset",
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(anything, fc.constantFrom("iperf3", "udp", "10M", 5), tie("list"), tie("object")),
      list: fc.array(tie("any"), { maxLength: 3 }),
      object: fc.dictionary(key, tie("any"), { maxKeys: 4 }),
    })).object;
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          value.map((one) => plan({ ...tcp, ...(one as object) })),
          value.map((one) => plan({ ...ndr, ...(one as object) })),
          anything,
        ),
        (input) => {
          try {
            parsePlan(input);
          } catch (error) {
            expect(error).toBeInstanceOf(PlanError);
          }
        },
      ),
    );
  });
});

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

it("a plan of a thousand cases is read", () => {
  expect(parsePlan(sweep(100, 10)).cases).toHaveLength(1000);
});

it.each([
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

it("an id with escape sequences is shown without them", () => {
  const plan = { cases: [{ tool: "connect", id: "\u001b[31mred", durationSeconds: 1 }] };
  expect(() => parsePlan(plan)).toThrow(/^[ -~]*id: got "\\u001b\[31mred"[ -~]*$/);
});
