/** Plan entries of the failover probe, and its recorded output. */
import { describe, expect, it } from "vitest";
import type { RunReport } from "../../../bench/agent/protocol.ts";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import { mergeRepetitions } from "../../../bench/assemble/repetitions.ts";
import { estimate } from "../../../bench/figures/estimate.ts";
import { caseHash, failuresOf, parsePlan, timeoutSeconds } from "../../../bench/index.ts";
import { type Measurement, measurementSchema } from "../../../bench/results/index.ts";
import { describeCase } from "../../../bench/summary/case-words.ts";
import { type FailoverCase, failover } from "../../../bench/tools/failover/index.ts";
import { ToolFailure } from "../../../bench/tools/tool.ts";
import { failureOf } from "../../helpers/tool-failure.ts";
import { ended, fixture, onePair, silentReport } from "./fixture.ts";

const cases = (entry: object) =>
  parsePlan({ cases: [{ tool: "failover", ...entry }] }).cases as FailoverCase[];
const [kill] = cases({ failure: "kill" }) as [FailoverCase];
const pair = fixture("failover/pair-kill.json");
const alone = fixture("failover/alone-kill.json");
const [drain] = cases({ failure: "drain", flows: 100 }) as [FailoverCase];
const serverSends = fixture("failover/server-sends.json");
const halfOfTheFlows = fixture("failover/half-of-the-flows.json");

describe("a plan's entry", () => {
  it("makes one case per failure", () => {
    const made = cases({ failure: ["kill", "drain"], id: "night" });
    expect(made.map(({ id }) => id)).toEqual(["night-failover-kill", "night-failover-drain"]);
    expect(kill).toMatchObject({ id: "failover-kill", durationSeconds: 20, flows: 1000, downSeconds: 5 });
    expect(new Set(made.map(caseHash)).size).toBe(2);
    expect(failuresOf(made)).toEqual(["kill", "drain"]);
    expect(failover.command(kill, "10.0.0.1")).toBe(
      "python3 .egress-bench/agent.py probe failover --address 10.0.0.1 --port 5203 --sink-port 5199 --kind kill --duration 20 --flows 1000 --down-seconds 5 --interval-ms 10",
    );
  });

  it("gives the probe the time to wait for a machine that still boots", () => {
    expect(timeoutSeconds(kill)).toBeGreaterThan(20 + 120);
  });

  it.each([
    [{}, "failure: got nothing; expected one of kill, stop, reboot, blackhole, drain"],
    [{ failure: "explode" }, 'failure: got "explode"; expected one of kill'],
    [
      { failure: "kill", durationSeconds: 5 },
      "durationSeconds: got 5; expected more than downSeconds, 5, to see the NAT instance come back",
    ],
    [
      { failure: "kill", flows: 20_001 },
      "flows: got 20001; expected a whole number of flows from 1 to 20000",
    ],
  ])("%j is refused", (entry, message) => {
    expect(() => cases(entry)).toThrow(message);
  });

  it("needs nothing from hosts in plans without a failure", () => {
    expect(failuresOf(parsePlan("standard").cases)).toEqual([]);
    expect(failuresOf(parsePlan("failover").cases)).toEqual(["drain", "blackhole", "reboot", "kill"]);
  });
});

const measured = (stdout: string, one = kill) => failover.parse(stdout, ended(one)).measurement;

describe("the output", () => {
  it("of a pair: all flows survived", () => {
    const measurement = measured(pair);
    expect(measurementSchema.parse(measurement)).toEqual(measurement);
    expect(measurement.failover).toMatchObject({
      failure: "kill",
      outages: { new: { ended: true }, established: { ended: true } },
      flows: { tcp: { opened: 1000, survived: 1000 }, udp: { opened: 1000, survived: 1000, remapped: 0 } },
    });
  });

  it("of few connections has no further kinds of flow", () => {
    expect(measured(pair).failover).toMatchObject({ kinds: null, missed: null, streams: null });
  });

  it("has the outcome of each kind of connection", () => {
    const measurement = measured(serverSends, drain);
    expect(measurementSchema.parse(measurement)).toEqual(measurement);
    expect(measurement.failover?.kinds).toMatchObject({
      sending: { opened: 20, survived: 20 },
      receiving: { opened: 20, survived: 0, silent: 20, reset: 0 },
      idle: { opened: 20, survived: 20 },
    });
    const [first] = measured(halfOfTheFlows, drain).failover?.availability?.slice(1) ?? [];
    expect(first?.new).toBeLessThan(85);
    expect(first?.icmp).toBe(100);
  });

  it("of a machine alone: resets, silences and other mappings add up", () => {
    const { tcp, udp } = (measured(alone).failover as NonNullable<Measurement["failover"]>).flows;
    expect(tcp.survived + tcp.reset + tcp.silent).toBe(tcp.opened);
    expect(udp.survived + udp.remapped + udp.silent).toBe(udp.opened);
    expect(tcp.survived).toBe(0);
    expect(tcp.stallMs).toEqual({ p50: null, p95: null, max: null });
  });

  it.each([
    ["of another failure", pair.replace('"kind":"kill"', '"kind":"drain"')],
    ["cut short", pair.slice(0, -20)],
    ["of nothing", ""],
    ["with an outage that is no number", pair.replace(/"ms":[\d.]+/, '"ms":"long"')],
  ])("%s is no measurement", (_, stdout) => {
    expect(() => measured(stdout)).toThrow(ToolFailure);
  });

  it("says where there was nothing to fail", () => {
    const error = thrown(fixture("failover/nothing-to-fail.json"));
    expect([error.failureClass, error.message]).toEqual([
      "nothing-to-fail",
      "there is no NAT instance on this path: what translates is the cloud's own",
    ]);
  });

  it("states why there is no measurement", () => {
    const said = "agent.py probe: 0 of 1000 TCP flows could be opened: ETIMEDOUT\n";
    expect(thrown("", { stderr: said, exitCode: 1 })).toMatchObject({
      failureClass: "tool-error",
      message: "0 of 1000 TCP flows could be opened: ETIMEDOUT",
    });
  });
});

const thrown = (stdout: string, how: object = {}) =>
  failureOf(() => failover.parse(stdout, ended(kill, how)));

const result = (stdout: string, one = kill) => {
  const report: RunReport = { ...silentReport, exitCode: 0, stdout };
  return caseResult({ topology: "nat-instance-ha", case: one, command: "", pairs: onePair(report) });
};

describe("what is said of it", () => {
  it("is the outages and the survivors", () => {
    expect(describeCase(result(pair))).toMatch(
      /^out [\d.]+ ms, established [\d.]+ ms, 1,000 of 1,000 TCP survived, 1,000 of 1,000 UDP survived$/,
    );
    expect(describeCase(result(pair.replaceAll('"ended":true', '"ended":false')))).toMatch(/^out over /);
    expect(describeCase(result(serverSends, drain))).toMatch(
      /100 of 100 UDP survived, 0 of 20 receiving survived$/,
    );
    expect(describeCase(result(fixture("failover/nothing-to-fail.json")))).toBe("nothing to fail");
  });

  it("has failures without recovery first, and the median of the others", () => {
    const never = alone.replaceAll('"ended":true', '"ended":false');
    const runs = [pair, never, pair, never, pair].map((stdout) => result(stdout));
    const merged = mergeRepetitions(runs, { least: 5, most: 5, withinPercent: null });
    expect(describeCase(merged)).toMatch(
      /^2 of 5 never recovered, out [\d.]+ ms \([\d.]+ ms to [\d.]+ ms\), established [\d.]+ ms, 0 of 1,000 TCP survived at the least \(median 1,000\), 0 of 1,000 UDP survived at the least \(median 1,000\)$/,
    );
    expect(estimate("failoverOutage", [merged])).toMatchObject({ n: 3, centre: "median", interval: null });
    expect(estimate("failoverNeverRecovered", [merged])).toMatchObject({ value: 0.4, n: 5 });
  });

  it("has the fewest survivors of a kind, also if the median repetition lost none", () => {
    const all = serverSends.replaceAll(/"survived":\d+/g, (text) => text.replace(/\d+/, "20"));
    const runs = [all, serverSends, all].map((stdout) => result(stdout, drain));
    const merged = mergeRepetitions(runs, { least: 3, most: 3, withinPercent: null });
    expect(describeCase(merged)).toContain("0 of 20 receiving survived at the least (median 20)");
  });

  it("has an interval of each figure over its repetitions", () => {
    const repeat = { least: 2, most: 2, withinPercent: null };
    const { repetitions } = mergeRepetitions([result(pair), result(pair), result(alone)], repeat);
    expect(repetitions?.metric).toBe("failover.outages.new.ms");
    expect(repetitions?.confidence95).not.toBeNull();
    expect(repetitions?.metrics["failover.flows.tcp.survived"]?.values).toEqual([1000, 1000, 0]);
    expect(repetitions?.metrics["failover.readyAgainMs"]?.confidence95).not.toBeNull();
  });
});
