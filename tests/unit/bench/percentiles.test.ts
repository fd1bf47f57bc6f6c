/** Percentiles of few samples, and a search's flows, in results. */
import { expect, it } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { parseOutput, toolOf } from "../../../bench/tools/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { connectCase, connectOutput, ended } from "./fixture.ts";

it.each([
  [9, { p50: 501, p90: null, p99: null, p999: null }],
  [99, { p50: 501, p90: 502, p99: null, p999: null }],
  [999, { p50: 501, p90: 502, p99: 503, p999: null }],
  [1000, { p50: 501, p90: 502, p99: 503, p999: 504 }],
])("%i samples: only percentiles below the maximum are reported", (samples, known) => {
  const latencyUs = { ...connectOutput.latencyUs, samples, p50: 501, p90: 502, p99: 503, p999: 504 };
  const stdout = JSON.stringify({ ...connectOutput, latencyUs });
  expect(parseOutput(stdout, ended(connectCase)).measurement.latencyUs).toMatchObject(known);
});

it("a peak search's flows are the found streams", () => {
  const [peak] = parsePlan({ cases: [{ tool: "search", goal: "peak", durationSeconds: 1 }] }).cases;
  if (peak === undefined) throw new Error("no case");
  const search = {
    ...({ goal: "peak", found: 32, lossBoundPercent: null, limitedBy: "path", confirmed: true } as const),
    goals: null,
    trials: [],
  };
  expect(toolOf(peak).flows(peak, { ...nothingMeasured, search })).toBe(32);
  expect(toolOf(peak).flows(peak, null)).toBeNull();
});
