/**
 * One of many CPUs at its limit: sampled per CPU, named, and with its main use. Figures come from an audit with eight flows in
 * one of eight receive queues, or are made up.
 */
import { describe, expect, it } from "vitest";
import { reportedUsage } from "../../../bench/agent/protocol.ts";
import { limitsOf } from "../../../bench/assemble/limits.ts";
import { type HostUsage, hostUsageSchema, limitedBy, type Role } from "../../../bench/results/index.ts";
import { describeLimits, shortLimit } from "../../../bench/summary/limit-words.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { evaluate } from "../../helpers/agent-host.ts";

interface Load {
  readonly busy: number;
  readonly soft: number;
}

const load = ({ busy, soft }: Load) => ({
  ...{ busyPercent: busy, userPercent: busy - soft, systemPercent: 0 },
  ...{ softirqPercent: soft, stealPercent: 0 },
});

/** The agent's samples of some seconds, each with the load of every CPU. */
const samples = (seconds: readonly (readonly Load[])[]) =>
  seconds.map((cpus, end) => {
    const mean = (of: (one: Load) => number) => cpus.reduce((sum, one) => sum + of(one), 0) / cpus.length;
    const all = { busy: mean(({ busy }) => busy), soft: mean(({ soft }) => soft) };
    return { end, seconds: 1, cpu: load(all), perCpu: { ...cpus.map(load) } };
  });

const idle: Load = { busy: 1, soft: 0 };
const cpusWith = (full: Load, at: number) =>
  Array.from({ length: 8 }, (_, cpu) => (cpu === at ? full : idle));
/** A test of five seconds between idle ones. */
const recorded = (full: Load, at = 3) =>
  samples([cpusWith(idle, at), ...Array(5).fill(cpusWith(full, at)), cpusWith(idle, at)]);

function usage(role: Role, sampled: unknown): HostUsage {
  const cpu = evaluate("cpu_usage.cpu_usage(data)", sampled);
  return hostUsageSchema.parse({ host: `a-${role}`, role, cpu, network: null, problem: null });
}

function limitsWith(hosts: readonly HostUsage[], flows = 8) {
  const observed = { hosts, measurement: nothingMeasured, natDrops: null, toolCpu: null, flows };
  return limitsOf({ ...observed, cpus: new Map([["a-nat", 8]]), sharedCpus: false });
}

describe("one full CPU of eight, of which all together are 13 % busy", () => {
  const quiet = [usage("client", samples(Array(7).fill(cpusWith(idle, 0)))), usage("server", samples([]))];

  it.each<[string, Role, Load, string, string, string]>([
    [
      "a receive queue that has all eight flows",
      "nat",
      { busy: 100, soft: 98 },
      "softirq",
      "NAT instance CPU 3 (softirq)",
      "the NAT instance's CPU 3 was 100 % busy, most of it in softirq: all packets came by one receive queue",
    ],
    [
      "one thread of a tool",
      "client",
      { busy: 99, soft: 4 },
      "tool",
      "client CPU 3 (tool)",
      "the client's CPU 3 was 99 % busy, most of it in a program: more CPUs do not help one thread",
    ],
  ])("is %s: named, and with what", (_, role, full, mostly, short, words) => {
    const hosts = [...quiet.filter((one) => one.role !== role), usage(role, recorded(full))];
    const limits = limitsWith(hosts);
    expect(limits).toEqual([
      { host: `a-${role}`, role, kind: "oneCpuBusyPercent", value: full.busy, bound: 95, cpu: 3, mostly },
    ]);
    expect(limits?.map(shortLimit)).toEqual([short]);
    expect(describeLimits({ limits, hosts })).toEqual([words]);
    expect(limitedBy(limits)).toBe(role === "nat" ? "path" : role);
  });

  it("is no limit below the bound, and none if all are full, which is reported once", () => {
    expect(limitsWith([...quiet, usage("nat", recorded({ busy: 94, soft: 94 }))])).toEqual([]);
    const full = samples(Array(5).fill(Array(8).fill({ busy: 99, soft: 50 })));
    expect(limitsWith([...quiet, usage("nat", full)])?.map(({ kind }) => kind)).toEqual(["cpuBusyPercent"]);
  });

  it("is not visible in earlier documents, whose softirq of a single flow still counts", () => {
    const { perCpu: _, ...cpu } = usage("nat", recorded({ busy: 99, soft: 97 })).cpu ?? {};
    const old = hostUsageSchema.parse({ host: "a-nat", role: "nat", cpu, network: null, problem: null });
    expect(old.cpu?.perCpu).toBeUndefined();
    expect(limitsWith([...quiet, old])).toEqual([]);
    expect(limitsWith([...quiet, old], 1)?.map(({ kind }) => kind)).toEqual(["oneCpuSoftirqPercent"]);
  });
});

it("another host's CPUs are accepted if they are valid", () => {
  const cpu = evaluate("cpu_usage.cpu_usage(data)", recorded({ busy: 99, soft: 1 })) as { perCpu: object[] };
  const known = (figures: object) =>
    reportedUsage.parse({ host: "a", role: "nat", cpu: figures, network: null, problem: null }).cpu;
  expect(known(cpu)).toEqual(cpu);
  const bad = [{ cpu: -1, busyPercent: 1, softirqPercent: 1 }, { cpu: 1, busyPercent: "x" }, 7];
  for (const one of bad) {
    expect(known({ ...cpu, perCpu: [one] })).toBeNull();
  }
  const { perCpu: _, ...old } = cpu;
  expect(known(old)).toEqual(old);
});
