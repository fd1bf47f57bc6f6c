import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { caseSchema, timeoutSeconds } from "../../../bench/tools/index.ts";
import { nat } from "../../../bench/tools/nat/index.ts";
import type { NatCase } from "../../../bench/tools/nat/plan.ts";
import { behaviourCase, flowsCase, idleCase, natCases, rateCase } from "./nat-case.ts";

describe("a plan's cases", () => {
  it.each<[object, string[]]>([
    [{ probe: "connection-rate", durationSeconds: 5 }, ["nat-connection-rate"]],
    [{ probe: "concurrent-flows" }, ["nat-concurrent-flows-tcp"]],
    [{ probe: "idle-timeout", protocol: ["tcp", "udp"] }, ["nat-idle-timeout-tcp", "nat-idle-timeout-udp"]],
    [{ probe: "behaviour" }, ["nat-behaviour"]],
    [{ probe: "idle-timeout", protocol: "udp", id: "silence" }, ["silence"]],
    [{ probe: "idle-timeout", protocol: ["tcp", "udp"], id: "silence" }, ["silence-tcp", "silence-udp"]],
  ])("%j", (input, ids) => {
    const cases = natCases(input);
    expect(cases.map(({ id }) => id)).toEqual(ids);
    for (const one of cases) expect(caseSchema.parse(one)).toEqual(one);
  });

  it("have a duration that the plan's replaces where that makes sense", () => {
    const durations = (input: object, all: number) => natCases(input, all)[0]?.durationSeconds;
    expect(durations({ probe: "connection-rate", durationSeconds: 30 }, 5)).toBe(5);
    expect(durations({ probe: "concurrent-flows" }, 5)).toBe(5);
    expect(durations({ probe: "idle-timeout", maxSeconds: "5m" }, 5)).toBe(5);
    expect(durations({ probe: "idle-timeout", maxSeconds: "5m" }, 3600)).toBe(300);
    expect(natCases({ probe: "behaviour" }, 1)).toEqual([behaviourCase]);
  });

  it.each<[object, string]>([
    [
      {},
      "case 1: probe: got nothing; expected one of connection-rate, concurrent-flows, idle-timeout, behav",
    ],
    [{ probe: "speed" }, 'probe: got "speed"; expected one of connection-rate'],
    [{ probe: "connection-rate" }, "durationSeconds: got nothing; expected with probe connection-rate"],
    [
      { probe: "idle-timeout", maxFlows: 5 },
      "maxFlows: got 5 with probe idle-timeout; expected with concurrent-flows only",
    ],
    [
      { probe: "behaviour", durationSeconds: 5 },
      "durationSeconds: got 5 with probe behaviour; expected with connection-rate or concurrent-flows only",
    ],
    [
      { probe: "connection-rate", durationSeconds: 5, protocol: ["tcp"] },
      'protocol: got ["tcp"] with probe connection-rate; expected with concurrent-flows or idle-timeout only',
    ],
    [
      { probe: "connection-rate", durationSeconds: 5, maxSeconds: 9 },
      "maxSeconds: got 9 with probe connection-rate; expected with idle-timeout only",
    ],
    [{ probe: "concurrent-flows", maxFlows: 0 }, "maxFlows: got 0; expected a whole number of flows from 1"],
    [{ probe: "idle-timeout", maxSeconds: 3601 }, "maxSeconds: got 3601; expected whole seconds from 1"],
    [{ probe: "idle-timeout", stepSeconds: 0.5 }, "stepSeconds: got 0.5; expected a whole number of seconds"],
    [{ probe: "connection-rate", durationSeconds: 5, concurrency: 5000 }, "concurrency: got 5000; expected"],
    [{ probe: "behaviour", bitrate: "1M" }, 'unknown key "bitrate"; allowed are id, tool, probe, protocol'],
  ])("refuses %j", (input, message) => {
    expect(() => natCases(input)).toThrow(message);
  });

  it("of the preset have the flows last, and take at most a quarter of an hour", () => {
    const { cases } = parsePlan("nat-limits");
    expect(cases.map(({ id }) => id)).toEqual([
      ...["nat-behaviour", "nat-idle-timeout-tcp", "nat-idle-timeout-udp", "nat-connection-rate"],
      ...["nat-concurrent-flows-tcp", "nat-concurrent-flows-udp"],
    ]);
    const seconds = cases.map((one) => nat.expectedSeconds(one as NatCase));
    expect(seconds.reduce((sum, one) => sum + one)).toBeLessThan(1000);
  });
});

describe("the command", () => {
  it.each<[NatCase, string]>([
    [rateCase, "connection-rate --address 10.0.0.9 --port 5199 --duration 10 --concurrency 128"],
    [
      flowsCase,
      "concurrent-flows --address 10.0.0.9 --port 5203 --protocol tcp --duration 60 --max-flows 70000 --concurrency 128",
    ],
    [
      idleCase,
      "idle-timeout --address 10.0.0.9 --port 5203 --protocol udp --max-seconds 300 --step-seconds 1",
    ],
    [behaviourCase, "behaviour --address 10.0.0.9 --port 5203 --other-port 5204"],
  ])("of $id", (benchCase, expected) => {
    expect(nat.command(benchCase, "10.0.0.9")).toBe(`python3 .egress-bench/nat_limits.py ${expected}`);
    expect(timeoutSeconds(benchCase)).toBeGreaterThan(benchCase.durationSeconds);
  });
});
