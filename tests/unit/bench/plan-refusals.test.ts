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
