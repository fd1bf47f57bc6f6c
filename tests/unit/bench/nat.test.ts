import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import type { NatLimits } from "../../../bench/results/index.ts";
import { describeCase } from "../../../bench/summary/case-words.ts";
import { nat } from "../../../bench/tools/nat/index.ts";
import type { NatCase } from "../../../bench/tools/nat/plan.ts";
import type { ParseContext } from "../../../bench/tools/tool.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { ended, onePair, silentReport } from "./fixture.ts";
import {
  behaviourCase,
  behaviourOutput,
  flowsCase,
  flowsOutput,
  idleCase,
  idleOutput,
  outputs,
  outside,
  rateCase,
  rateOutput,
} from "./nat-case.ts";

const parse = (benchCase: NatCase, output: unknown, how: Partial<ParseContext<NatCase>> = {}) =>
  nat.parse(typeof output === "string" ? output : JSON.stringify(output), ended(benchCase, how)).measurement;
const limits = (benchCase: NatCase, output: unknown) =>
  parse(benchCase, output).natLimits as NonNullable<NatLimits>;

describe("what is found", () => {
  it("fills its own section of a measurement", () => {
    for (const [benchCase, output] of outputs) {
      const measurement = parse(benchCase, output);
      const parts = Object.values(measurement.natLimits ?? {});
      expect(parts.filter((part) => part !== null)).toHaveLength(1);
    }
  });

  it("is a rate of successful connections, with latencies", () => {
    const { natLimits, connections, latencyUs, durationSeconds } = parse(rateCase, rateOutput);
    expect(natLimits?.connectionRate).toEqual({
      attempted: 123_402,
      failed: 2,
      perSecond: 12_340,
      errors: { ETIMEDOUT: 2 },
    });
    expect(connections).toEqual({ attempted: 123_402, failed: 2, perSecond: 12_340 });
    expect({ latencyUs, durationSeconds }).toMatchObject({ latencyUs: { kind: "connect", p50: 800 } });
  });

  it("is the longest silence survived and the next one that was not", () => {
    const silences = fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 1 });
    fc.assert(
      fc.property(silences, fc.integer({ min: 0, max: 301 }), fc.integer(), (tried, timeout, lost) => {
        // One that would have survived may have lost its packets, unless it is the longest.
        const alive = tried.filter((one) => one < timeout);
        const unlucky = alive[Math.abs(lost) % Math.max(1, alive.length)];
        const survived = alive.filter((one) => one !== unlucky || one === Math.max(...alive));
        const died = tried.filter((one) => !survived.includes(one));
        const found = limits(idleCase, { ...idleOutput, survivedSeconds: survived, diedSeconds: died });
        const dead = tried.filter((one) => one >= timeout);
        expect(found.idleTimeout).toEqual({
          protocol: "udp",
          survivedSeconds: alive.length > 0 ? Math.max(...alive) : null,
          diedSeconds: dead.length > 0 ? Math.min(...dead) : null,
          boundSeconds: Math.max(...tried),
        });
      }),
    );
  });

  const byPort = "address-and-port-dependent";
  const kept = "endpoint-independent-or-address-dependent";
  const mapped = (...seen: (object | null)[]) => ({
    mappings: [{ port: 5000, seen: [outside(5000), ...seen] }],
  });
  it.each<[string, object, [mapping: string | null, filtering: string | null, portPreserved: boolean]]>([
    ["another port towards each", {}, [byPort, byPort, false]],
    ["everything kept", { ...mapped(outside(5000)), otherPortHeard: true }, [kept, kept, true]],
    ["another address towards each", mapped(outside(5000, "198.19.1.2")), [byPort, byPort, true]],
    ["no answer of the other port", { ...mapped(null), otherPortHeard: null }, [null, null, true]],
  ])("behaviour: %s", (_, changes, [mapping, filtering, portPreserved]) => {
    const found = limits(behaviourCase, { ...behaviourOutput, ...changes }).behaviour;
    expect(found).toEqual({ mapping, filtering, portPreserved });
  });
});

describe("a failure", () => {
  const flows = (change: object) => ({ ...flowsOutput, ...change });
  const silent = { survivedSeconds: [], diedSeconds: [], notOpened: 5, error: "ETIMEDOUT" };
  const unseen = { mappings: [{ port: 1, seen: [null, null] }] };
  const failed = { failed: 123_402, errors: { ETIMEDOUT: 123_402 } };
  const nobody = "no flow to the server's NAT responder came up: ECONNREFUSED";
  const refused = flows({ opened: 0, error: "ECONNREFUSED" });
  const unprepared = "nat_limits.py concurrent-flows: this host was never prepared";
  const [empty, secret] = [
    `status 1 and without a result: ${unprepared}`,
    { exitCode: 1, stderr: unprepared },
  ];
  it.each<[string, NatCase, unknown, string, string, Partial<ParseContext<NatCase>>?]>([
    ["no flow got there", flowsCase, flows({ opened: 0 }), "no-route", "came up: ETIMEDOUT"],
    ["nobody listens", flowsCase, refused, "tool-error", nobody],
    ["no silent flow", idleCase, { ...idleOutput, ...silent }, "no-route", "came up: ETIMEDOUT"],
    ["nothing seen", behaviourCase, { ...behaviourOutput, ...unseen }, "no-route", "came up"],
    ["none", rateCase, { ...rateOutput, ...failed }, "no-route", "none of 123402 connections succeeded"],
    ["another probe's output", rateCase, flowsOutput, "bad-output", "without a result"],
    ["another protocol's", flowsCase, flows({ protocol: "udp" }), "bad-output", "without"],
    ["another version", idleCase, { ...idleOutput, version: 2 }, "bad-output", "without a result"],
    ["negative flows", flowsCase, flows({ opened: -1 }), "bad-output", "without a result"],
    ["a time-out", flowsCase, flowsOutput, "timeout", "still running", { timedOut: true }],
    ["no secret", flowsCase, "", "bad-output", empty, secret],
  ])("%s", (_, benchCase, output, failureClass, message, how) => {
    expect(() => parse(benchCase, output, how)).toThrow(toolFailure(failureClass, message));
  });
});

describe("in a few words", () => {
  const words = (benchCase: NatCase, output: object) => {
    const pairs = onePair({ ...silentReport, stdout: JSON.stringify(output) });
    return describeCase(caseResult({ topology: "direct", case: benchCase, command: "", pairs }));
  };
  const bounded = { opened: 64_512, bound: 64_512, limitReached: false, error: "EADDRNOTAVAIL" };
  const all = { opened: 70_000, limitReached: false, error: null };
  const unheard = { ...behaviourOutput, otherPortHeard: null };
  it.each<[NatCase, object, string]>([
    [rateCase, rateOutput, "12.3k connections/s, 2 failed"],
    [rateCase, { ...rateOutput, attempted: 5002 }, "500 connections/s, 2 failed"],
    [flowsCase, flowsOutput, "2,000 flows, then ETIMEDOUT"],
    [
      flowsCase,
      { ...flowsOutput, ...bounded },
      "at least 64,512 flows, limited by the hosts (EADDRNOTAVAIL)",
    ],
    [flowsCase, { ...flowsOutput, ...all }, "at least 70,000 flows"],
    [idleCase, idleOutput, "idle time-out 3 s"],
    [idleCase, { ...idleOutput, diedSeconds: [10] }, "idle time-out 3 to 10 s"],
    [idleCase, { ...idleOutput, diedSeconds: [] }, "idle time-out over 3 s"],
    [idleCase, { ...idleOutput, survivedSeconds: [] }, "idle time-out under 4 s"],
    [behaviourCase, behaviourOutput, "mapping by port, filtering by port, port changed"],
    [behaviourCase, unheard, "mapping by port, filtering ?, port changed"],
  ])("$id", (benchCase, output, expected) => {
    expect(words(benchCase, output)).toBe(expected);
  });
});
