import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { RunReport } from "../../../bench/agent/protocol.ts";
import { type AssembleArgs, assembleResults } from "../../../bench/assemble/assemble.ts";
import type { CaseRun } from "../../../bench/assemble/case-result.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import { toolOf } from "../../../bench/tools/index.ts";
import { VERSION } from "../../../bench/version.ts";
import { fixture, iperf3Case, onePair, planOf, silentReport } from "./fixture.ts";

const plan = planOf([iperf3Case]);
const attempt = {
  startedAt: "2026-11-21T08:00:00.123456Z",
  finishedAt: "2026-11-21T08:00:04Z",
  exitCode: 0,
  timedOut: false,
};

function report(change: Partial<RunReport> = {}): RunReport {
  return {
    ...silentReport,
    attempts: [attempt],
    stdout: fixture("iperf3/3.12-tcp-omit.json"),
    sourceIp: "203.0.113.7",
    rawFile: "raw/k.stdout",
    ...change,
  };
}

function run(change: Partial<RunReport> | null, topology = "nat", benchCase: Case = iperf3Case): CaseRun {
  const command = toolOf(benchCase).command(benchCase, "198.18.0.2");
  return { topology, case: benchCase, command, pairs: onePair(change === null ? null : report(change)) };
}

function assemble(runs: CaseRun[], change: Partial<AssembleArgs> = {}) {
  return assembleResults({
    stack: "local-compare",
    cloud: "local",
    runId: "1",
    plan,
    server: null,
    topologies: [{ name: "nat", topology: "nat-instance", expectedSourceIps: ["203.0.113.7"], hosts: [] }],
    runs,
    notes: ["a note"],
    ...change,
  });
}

describe("a case", () => {
  it("has its measurement and conditions", () => {
    const { cases } = assemble([run({})]);
    expect(cases).toHaveLength(1);
    expect(cases[0]).toMatchObject({
      id: "tcp-egress",
      topology: "nat",
      tool: "iperf3",
      toolVersion: "3.12",
      command: "iperf3 -c 198.18.0.2 -p 5201 -J --connect-timeout 5000 -t 3 -i 1",
      status: "ok",
      failure: null,
      startedAt: attempt.startedAt,
      finishedAt: attempt.finishedAt,
      attempts: [attempt],
      sourceIp: "203.0.113.7",
      rawFile: "raw/k.stdout",
    });
    expect(cases[0]?.measurement?.bitsPerSecond).toBe(19058906969.428776);
  });

  const lost = expect.stringMatching(
    /^control socket has closed unexpectedly: a connection of the test was lost/,
  );
  const killed = { stdout: fixture("iperf3/3.12-server-killed.json"), stderr: "tail" };
  const mismatch = { class: "path-mismatch", message: "saw 192.0.2.1" } as const;
  it.each<[string, Partial<RunReport> | null, object]>([
    ["did not run", null, { class: "not-run", message: "the case did not run", stderrTail: "" }],
    ["failed by its output", killed, { class: "control-lost", message: lost, stderrTail: "tail" }],
    [
      "failed by what the agent knows, whatever the tool printed",
      { failure: mismatch, stderr: "tail" },
      { ...mismatch, stderrTail: "tail" },
    ],
    ["was ended", { timedOut: true, exitCode: null }, { class: "timeout" }],
    ["printed nothing", { stdout: "" }, { class: "bad-output" }],
  ])("%s", (_, change, failure) => {
    const [result] = assemble([run(change)]).cases;
    expect(result).toMatchObject({ status: "failed", failure, measurement: null, toolVersion: null });
  });
});

describe("a case that several pairs measured", () => {
  const pairCase = { ...iperf3Case, pairs: 2 };
  const at = (second: number, change: Partial<RunReport> = {}) =>
    report({
      startedAfterMs: second,
      attempts: [{ ...attempt, startedAt: `2026-11-21T08:00:0${second}Z` }],
      ...change,
    });
  const pairs = (...reports: (RunReport | null)[]) => {
    const all = reports.map((one, index) => ({ client: `c${index}`, server: `s${index}`, report: one }));
    return { ...run(null, "nat", pairCase), pairs: all };
  };

  it("is the sum of its pairs, and spans them", () => {
    const { cases, topologies } = assemble([pairs(at(2), at(1))]);
    const one = 19058906969.428776;
    expect(cases[0]).toMatchObject({
      status: "ok",
      toolVersion: "3.12",
      startedAt: "2026-11-21T08:00:01Z",
      measurement: { bitsPerSecond: 2 * one },
      pairs: [
        { client: "c0", server: "s0", bitsPerSecond: one, startSkewMs: 1, failure: null },
        { client: "c1", server: "s1", bitsPerSecond: one, startSkewMs: 0, failure: null },
      ],
    });
    expect(topologies[0]?.path.status).toBe("proved");
  });

  it("failed if one of its pairs did not run, and keeps the others' figures", () => {
    const [result] = assemble([pairs(at(1), null)]).cases;
    expect(result).toMatchObject({
      status: "failed",
      failure: { class: "not-run", message: "pair 2 of 2 (c1 to s1): the case did not run" },
      measurement: null,
      pairs: [{ bitsPerSecond: expect.any(Number) }, { bitsPerSecond: null }],
    });
  });

  it("proves the path by the addresses of all", () => {
    const [topology] = assemble([pairs(at(1), at(1, { sourceIp: "192.0.2.9" }))]).topologies;
    expect(topology?.path).toMatchObject({ status: "mismatch", sourceIps: ["203.0.113.7", "192.0.2.9"] });
  });
});

describe("a document", () => {
  it("spans its cases, in whatever order they are, and names this version", () => {
    const early = { ...attempt, startedAt: "2026-11-21T07:00:00Z", finishedAt: "2026-11-21T07:00:04.5Z" };
    const late = { ...attempt, startedAt: "2026-11-21T09:00:00Z", finishedAt: "2026-11-21T09:00:04.25Z" };
    const results = assemble([run({}), run({ attempts: [early, late] }), run(null)]);
    expect(results).toMatchObject({
      schemaVersion: 1,
      egressBenchVersion: VERSION,
      startedAt: early.startedAt,
      finishedAt: late.finishedAt,
      plan,
      notes: ["a note"],
    });
    expect(results.cases[1]).toMatchObject({ startedAt: early.startedAt, finishedAt: late.finishedAt });
  });

  it("has no times if nothing ran", () => {
    expect(assemble([run(null)])).toMatchObject({ startedAt: null, finishedAt: null });
  });

  it("refuses a report that breaks the schema rather than pass it on", () => {
    expect(() => assemble([run({ attempts: [{ ...attempt, startedAt: "yesterday" }] })])).toThrow(
      /startedAt|datetime/,
    );
  });

  it("names the version that package.json has", () => {
    const file = new URL("../../../package.json", import.meta.url);
    expect(JSON.parse(readFileSync(file, "utf8")).version).toBe(VERSION);
  });
});

describe("the path", () => {
  const topologies = (expectedSourceIps: string[]) => ({
    topologies: [
      { name: "nat", topology: "nat-instance", expectedSourceIps, hosts: [] },
      { name: "other", topology: "direct", expectedSourceIps: [], hosts: [] },
    ],
  });
  const proved = { status: "proved", sourceIps: ["203.0.113.7"] };
  const refused = {
    sourceIp: "192.0.2.1",
    failure: { class: "path-mismatch" as const, message: "saw 192.0.2.1" },
  };

  const [seven, eight] = ["203.0.113.7", "203.0.113.8"];
  const known = "the server saw 203.0.113.7; expected 203.0.113.8";
  it.each<[string, string[], CaseRun[], object]>([
    ["is proved by the address that the server saw", [seven], [run({})], { ...proved, message: null }],
    [
      "is proved by any of several",
      [seven, eight],
      [run({}), run({ sourceIp: eight }), run({})],
      { status: "proved", sourceIps: [seven, eight], message: null },
    ],
    ["is proved by a case that failed otherwise", [seven], [run({ stdout: "" }), run(null)], proved],
    [
      "is a mismatch where the agent says so",
      [seven],
      [run({}), run(refused)],
      { status: "mismatch", sourceIps: [seven, "192.0.2.1"], message: "saw 192.0.2.1" },
    ],
    ["is a mismatch of another address", [eight], [run({})], { status: "mismatch", message: known }],
    ["is unknown where nothing is expected", [], [run({})], { status: "unknown", sourceIps: [seven] }],
    [
      "is unknown where the server saw nothing",
      [seven],
      [run({ sourceIp: null }), run(null)],
      { status: "unknown", sourceIps: [] },
    ],
    [
      "is proved by the address that was expected when the case was measured",
      [eight],
      [run({ expectedSourceIps: [seven] }), run({ sourceIp: eight, expectedSourceIps: [eight] })],
      { status: "proved", sourceIps: [seven, eight], message: null },
    ],
    [
      "is a mismatch of one that was not expected then, though it is now",
      [seven],
      [run({ expectedSourceIps: [eight] })],
      { status: "mismatch", message: known },
    ],
    ["is proved by one that became known later", [seven], [run({ expectedSourceIps: [] })], proved],
    [
      "is a mismatch of another than became known later",
      [eight],
      [run({ expectedSourceIps: [] })],
      { status: "mismatch" },
    ],
    ["does not depend on others", [seven], [run({}), run(refused, "other")], { status: "proved" }],
  ])("%s", (_, expected, runs, path) => {
    expect(assemble(runs, topologies(expected)).topologies[0]?.path).toMatchObject(path);
  });
});
