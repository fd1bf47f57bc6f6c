/** Observations of hosts during a case appear in its result. The rules: limits, nat-drops. */
import { describe, expect, it } from "vitest";
import { runReportSchema } from "../../../bench/agent/protocol.ts";
import { type AssembleArgs, assembleResults } from "../../../bench/assemble/assemble.ts";
import type { CaseRun } from "../../../bench/assemble/case-result.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { Role } from "../../../bench/results/index.ts";
import { fixture, iperf3Case, onePair, planOf, silentFacts, silentReport, usageOf } from "./fixture.ts";

function run(change: object, benchCase: Case = iperf3Case): CaseRun {
  const stdout = fixture("iperf3/3.12-tcp-omit.json");
  const report = runReportSchema.parse({ ...silentReport, stdout, ...change });
  return { topology: "nat", case: benchCase, command: "x", pairs: onePair(report) };
}

function results(one: CaseRun, cloud: AssembleArgs["cloud"], change: Partial<AssembleArgs> = {}) {
  const rest = { stack: "s", runId: "1", server: null, topologies: [], notes: [], ...change };
  return assembleResults({ ...rest, cloud, plan: planOf([one.case]), runs: [one] });
}

function assemble(...args: Parameters<typeof results>) {
  return results(...args).cases[0];
}

describe("what was observed during a case", () => {
  const busy = (host: string, role: Role, busyPercent: number, sentPackets: number) => {
    const parts = { userPercent: 0, systemPercent: 0, softirqPercent: busyPercent, stealPercent: 0 };
    const cpu = { busyPercent, ...parts, series: [] };
    return usageOf(role, [{ receivedPackets: 1000, sentPackets }], { host, cpu });
  };
  const hosts = [busy("client", "client", 10, 0), busy("instance", "nat", 48, 900)];
  const instance = { ...silentFacts("instance", "nat"), cpus: 2 };
  const topology = { name: "nat", topology: "nat-instance", expectedSourceIps: [], hosts: [instance] };
  const udp = { ...iperf3Case, protocol: "udp" as const, bitsPerSecond: 1e9, datagramBytes: 64 };
  const udpRun = run({ stdout: fixture("iperf3/3.12-udp-64B.json"), hosts }, udp);

  it("has the NAT instance's loss and the limit", () => {
    expect(assemble(udpRun, "aws")).toMatchObject({
      hosts,
      natDrops: { receivedPackets: 1000, sentPackets: 900, lostPercent: 10 },
      limits: [{ host: "instance", role: "nat", kind: "natLossPercent", value: 10, bound: 1 }],
    });
  });

  it("is judged by each host's number of CPUs, and not by CPUs in the lab", () => {
    const topologies = [topology];
    const limits = (cloud: AssembleArgs["cloud"]) => assemble(run({ hosts }), cloud, { topologies })?.limits;
    expect(limits("azure")?.filter(({ kind }) => kind !== "toolCpuPercent")).toEqual([
      { host: "instance", role: "nat", kind: "oneCpuSoftirqPercent", value: 96, bound: 90 },
    ]);
    expect(limits("local")).toEqual([]);
  });

  it("has a machine's credits, and notes that they ran out", () => {
    const cpu = { creditsPerHour: 24, maximumCredits: 576, initialCredits: 0, mode: "standard" as const };
    const topologies = [{ ...topology, hosts: [{ ...instance, burst: { cpu, network: null } }] }];
    const cpuTime = {
      start: { uptimeSeconds: 3600, busySeconds: 1200 },
      end: { uptimeSeconds: 3660, busySeconds: 1500 },
    };
    const observed = run({ hosts: hosts.map((host) => ({ ...host, cpuTime })) });
    const { cases, notes } = results(observed, "azure", { topologies, notes: ["a note"] });
    expect(cases[0]?.hosts.map(({ burst }) => burst?.cpuCreditsAtStart)).toEqual([undefined, 4]);
    expect(notes).toEqual(["a note", expect.stringMatching(/^instance used more CPU credits .*\(-0\.6 at/)]);
  });

  it("notes only once that the credits of a host of several paths ran out", () => {
    const cpu = { creditsPerHour: 6, maximumCredits: 144, initialCredits: 0, mode: null };
    const shared = { ...topology, hosts: [{ ...instance, burst: { cpu, network: null } }] };
    const time = { uptimeSeconds: 600, busySeconds: 120 };
    const observed = run({ hosts: hosts.map((host) => ({ ...host, cpuTime: { start: time, end: time } })) });
    const topologies = [shared, { ...shared, name: "other" }];
    expect(results(observed, "aws", { topologies }).notes).toEqual([
      expect.stringMatching(/^instance used more CPU credits/),
    ]);
  });

  it("counts iperf3's threads", () => {
    const stdout = JSON.parse(fixture("iperf3/3.12-tcp-omit.json"));
    stdout.end.cpu_utilization_percent.host_total = 99;
    const result = assemble(run({ hosts, stdout: JSON.stringify(stdout) }), "aws");
    expect(result?.limits).toContainEqual({
      host: "client",
      role: "client",
      kind: "toolCpuPercent",
      value: 99,
      bound: 95,
    });
  });

  it("is empty if the case failed", () => {
    expect(assemble(run({ hosts, stdout: "" }), "aws")).toMatchObject({
      limits: null,
    });
  });
});
