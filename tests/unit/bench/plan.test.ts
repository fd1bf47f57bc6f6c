import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { caseHash, checkFits } from "../../../bench/plan/plan.ts";
import { presets } from "../../../bench/presets/index.ts";
import { caseSchema, timeoutSeconds, toolOf } from "../../../bench/tools/index.ts";
import { connectCase, iperf3Case, sockperfCase } from "./fixture.ts";

const ids = (input: unknown) => parsePlan(input).cases.map((one) => one.id);
const tcp = { tool: "iperf3", durationSeconds: 5 };

describe("presets", () => {
  it.each(Object.entries(presets))("%s is a plan of that name", (name, preset) => {
    expect(preset.name).toBe(name);
    const plan = parsePlan(name);
    expect(plan.name).toBe(name);
    expect(plan.order).toBe("interleaved");
    for (const one of plan.cases) {
      expect(caseSchema.parse(one)).toEqual(one);
    }
  });

  it("quick measures everything once, in a minute a topology", () => {
    const { cases } = parsePlan("quick");
    expect(cases.map((one) => one.id)).toEqual([
      ...["tcp-egress", "tcp-ingress", "udp-egress", "udp-ingress", "udp-egress-64B", "tcp-ping-pong"],
      "tcp-connect",
    ]);
    const overhead = 0.5;
    const seconds = cases.map((one) => one.omitSeconds + one.durationSeconds + overhead);
    expect(seconds.reduce((sum, one) => sum + one)).toBeLessThanOrEqual(60);
  });

  it("streams ends with a search for the best number of them", () => {
    expect(ids("streams").slice(-2)).toEqual(["tcp-egress-p64", "tcp-egress-peak"]);
  });

  it("standard is azure-nat-2025-11: 30 s each, UDP flooded", () => {
    const { cases } = parsePlan("standard");
    expect(cases.map((one) => one.id)).toEqual([
      ...["tcp-egress", "tcp-ingress", "udp-egress", "udp-ingress", "udp-egress-64B"],
      ...["udp-ingress-64B", "tcp-connect", "udp-round-trips"],
    ]);
    // Warm-up is in no figure.
    expect(cases.every(({ tool, omitSeconds }) => tool !== "iperf3" || omitSeconds > 0)).toBe(true);
    expect(cases.every((one) => one.durationSeconds === 30)).toBe(true);
    const floods = cases.filter((one) => one.tool === "iperf3" && one.protocol === "udp");
    expect(floods.map((one) => toolOf(one).command(one, "10.0.0.1").includes(" -b 0"))).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});

describe("caseHash", () => {
  it("does not depend on the id or the order of keys", () => {
    const reversed = Object.fromEntries(Object.entries({ ...iperf3Case, id: "other" }).reverse());
    expect(caseHash(caseSchema.parse(reversed))).toBe(caseHash(iperf3Case));
    expect(caseHash(reversed as typeof iperf3Case)).toBe(caseHash(iperf3Case));
  });

  it.each([
    { streams: 2 },
    { pairs: 2 },
    { durationSeconds: 4 },
    { bitsPerSecond: 0 },
    { direction: "ingress" as const },
  ])("changes with %j", (change) => {
    expect(caseHash({ ...iperf3Case, ...change })).not.toBe(caseHash(iperf3Case));
  });
});

describe("checkFits", () => {
  const plan = parsePlan({
    cases: [tcp, { ...tcp, pairs: [2, 4] }, { tool: "connect", durationSeconds: 5 }],
  });

  it("accepts a plan with enough pairs", () => {
    expect(() => checkFits(plan, [4, 5], "")).not.toThrow();
    expect(() => checkFits(parsePlan("standard"), [1], "")).not.toThrow();
  });

  it.each([
    [3, /^case tcp-egress-x4: pairs: got 4, but there are 3; buy more$/],
    [1, /^case tcp-egress-x2: pairs: got 2, but there is 1; buy more$/],
  ])("names the case, the value and the remedy if there are %i", (available, message) => {
    expect(() => checkFits(plan, [4, available], "buy more")).toThrow(message);
  });
});

describe("timeoutSeconds", () => {
  it("is well above a case's duration", () => {
    expect(timeoutSeconds({ ...iperf3Case, omitSeconds: 1 })).toBe(21);
    expect(timeoutSeconds({ ...iperf3Case, durationSeconds: 3600 })).toBe(3977);
    for (const one of [iperf3Case, sockperfCase, connectCase]) {
      expect(timeoutSeconds(one)).toBeGreaterThan(toolOf(one).expectedSeconds(one) + 10);
    }
  });
});
