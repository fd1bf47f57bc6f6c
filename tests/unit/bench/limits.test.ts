/** The limit of a case by hosts' reports, and its wording. Figures are made up; each rule is tried on both sides of its bound. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitsOf, type Observation } from "../../../bench/assemble/limits.ts";
import { type HostUsage, limitedBy, limitSchema, type Role } from "../../../bench/results/index.ts";
import { describeLimits, shortLimit } from "../../../bench/summary/limit-words.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { usageOf } from "./fixture.ts";

interface Usage {
  readonly busy?: number;
  readonly softirq?: number;
  readonly steal?: number;
  readonly received?: number;
  readonly dropped?: number;
  readonly conntrack?: { peak: number; limit: number | null; failures: number };
  readonly allowances?: Record<string, number>;
  /** Values of each second, if not `busy` throughout. */
  readonly seconds?: readonly number[];
}

function host(role: Role, usage: Usage = {}): HostUsage {
  const { busy = 20, softirq = 5, steal = 0, received = 1e6, dropped = 0, conntrack = null } = usage;
  const seconds = usage.seconds ?? Array(10).fill(busy);
  return usageOf(role, [{ receivedPackets: received, receiveDrops: dropped }], {
    cpu: {
      busyPercent: seconds.reduce((sum, value) => sum + value, 0) / seconds.length,
      ...{ userPercent: 1, systemPercent: 1, softirqPercent: softirq, stealPercent: steal },
      series: seconds.map((busyPercent, second) => ({
        at: `2026-11-21T08:00:${String(second).padStart(2, "0")}Z`,
        busyPercent,
        softirqPercent: softirq,
      })),
    },
    network: { conntrack },
    ...(usage.allowances === undefined ? {} : { allowances: usage.allowances }),
  });
}

function observation(change: Partial<Observation> & { [role in Role]?: Usage } = {}): Observation {
  const { client, server, nat, router, jump, ...rest } = change;
  const hosts = [host("client", client), host("server", server), host("nat", nat)];
  return {
    hosts: [
      ...hosts,
      ...(router === undefined ? [] : [host("router", router)]),
      ...(jump === undefined ? [] : [host("jump", jump)]),
    ],
    measurement: nothingMeasured,
    natDrops: null,
    toolCpu: null,
    flows: 8,
    cpus: new Map([["a-nat", 2]]),
    sharedCpus: false,
    ...rest,
  };
}

const limits = (change?: Parameters<typeof observation>[0]) => limitsOf(observation(change));
/** The limit of a case and its reason, as in the summary. */
const said = (change?: Parameters<typeof observation>[0]) => {
  const hosts = [...observation(change).hosts];
  return {
    at: limitedBy(limits(change)),
    words: describeLimits({ limits: limits(change), hosts }).join("; "),
  };
};

const lossy = { ...nothingMeasured, lostPercent: 5 };

describe("the limit of a case", () => {
  const drops = (sentPackets: number, lostPercent: number) => ({
    ...{ natDrops: { receivedPackets: 1000, sentPackets, lostPercent }, measurement: lossy },
  });
  const flows = (peak: number, failures: number) => ({ nat: { conntrack: { peak, limit: 1000, failures } } });
  const spent = "used up an allowance of its instance:";
  const single = "spent 96 % of one CPU in softirq, about all that a single flow can use";
  const edges = [2, 50, 99, 99, 99, 99, 99, 30, 1];
  const packets = { pps_allowance_exceeded: 5000, bw_in_allowance_exceeded: 0 };
  const lost = "5.0 % of the packets were lost on the way, while neither end was at its limit";
  it.each<[string, string, Parameters<typeof observation>[0]]>([
    [
      "the NAT instance's CPU was 97 % busy, 91 % of it in softirq",
      "path",
      { nat: { busy: 97, softirq: 88 } },
    ],
    ["the client's CPU was 96 % busy", "client", { client: { busy: 96 } }],
    [
      "the server's CPU was 90 % busy, 50 % of it stolen by the hypervisor",
      "server",
      { server: { busy: 90, steal: 45 } },
    ],
    // Idle before and after the test.
    ["the client's CPU was 99 % busy", "client", { client: { seconds: edges } }],
    [`the NAT instance ${single}`, "path", { nat: { busy: 50, softirq: 48 }, flows: 1 }],
    [
      "the client's tool took 100 % of the CPU that its threads can use",
      "client",
      { toolCpu: { client: 99.6, server: 40, threads: 1 } },
    ],
    [
      "the server's tool took 99 % of the CPU that its threads can use",
      "server",
      { toolCpu: { client: 300, server: 790, threads: 8 } },
    ],
    [
      "the NAT instance's interfaces dropped 0.01 % of the packets",
      "path",
      { nat: { received: 9_999, dropped: 1 } },
    ],
    [`the NAT instance ${spent} pps_allowance_exceeded 5000`, "path", { nat: { allowances: packets } }],
    [
      `the client ${spent} bw_out_allowance_exceeded 5000`,
      "client",
      { client: { allowances: { bw_out_allowance_exceeded: 5000 } } },
    ],
    ["the NAT instance had no room for 10 flows", "path", flows(500, 10)],
    ["the NAT instance's table of flows was 99 % full", "path", flows(990, 0)],
    ["the NAT instance did not pass on 7.4 % of the packets it received", "path", drops(926, 7.4)],
    [lost, "path", drops(1000, 0)],
    ["the router's CPU was 95 % busy", "path", { router: { busy: 95 } }],
  ])("%s: %s", (words, at, observed) => {
    expect(said(observed)).toEqual({ at, words });
  });

  it.each<[string, Parameters<typeof observation>[0]]>([
    ["CPUs that had some left", { nat: { busy: 89 }, client: { busy: 89 }, server: { busy: 89 } }],
    ["a busy second among idle ones", { client: { seconds: [20, 20, 100, 20, 20] } }],
    ["one core's worth of softirq for several flows", { nat: { busy: 50, softirq: 48 }, flows: 8 }],
    ["less than one core", { nat: { busy: 50, softirq: 44 }, flows: 1 }],
    ["threads that waited", { toolCpu: { client: 94, server: 94, threads: 1 } }],
    ["one busy thread of eight", { toolCpu: { client: 100, server: 100, threads: 8 } }],
    ["a drop in a million", { nat: { received: 1e6, dropped: 1 } }],
    ["an allowance exceeded for moments", { nat: { allowances: { pps_allowance_exceeded: 999 } } }],
    ["flows that raced each other", { nat: { conntrack: { peak: 9, limit: 1000, failures: 9 } } }],
    ["a single lost packet", { measurement: { ...nothingMeasured, lostPercent: 0.9 } }],
    ["loss where the NAT instance is not counted", { measurement: lossy }],
    [
      "packets that the instance's interfaces merged, none being lost",
      {
        natDrops: { receivedPackets: 1000, sentPackets: 500, lostPercent: 50 },
        measurement: { ...nothingMeasured, lostPercent: 0 },
      },
    ],
    ["a jump host, which carries no test traffic", { jump: { busy: 100, dropped: 1e6 } }],
  ])("is not %s", (_, observed) => {
    expect(limits(observed)).toEqual([]);
  });

  it("has its value and threshold", () => {
    expect(limits({ client: { busy: 96 }, nat: { conntrack: { peak: 1, limit: 9, failures: 12 } } })).toEqual(
      [
        { host: "a-client", role: "client", kind: "cpuBusyPercent", value: 96, bound: 90 },
        { host: "a-nat", role: "nat", kind: "conntrackFailures", value: 12, bound: 10 },
      ],
    );
  });

  it("is an end if both path and end were at their limit, and the words have both", () => {
    expect(said({ nat: { busy: 97 }, server: { busy: 99 } })).toEqual({
      at: "server",
      words: "the server's CPU was 99 % busy; the NAT instance's CPU was 97 % busy",
    });
    // Loss then needs no path to explain it.
    const natDrops = { receivedPackets: 10, sentPackets: 10, lostPercent: 0 };
    expect(limits({ server: { busy: 99 }, natDrops, measurement: lossy })).toMatchObject([
      { kind: "cpuBusyPercent" },
    ]);
  });

  it("is unknown without a measurement or an observation", () => {
    expect(limits({ measurement: null, client: { busy: 99 } })).toBeNull();
    const blind = { ...host("client"), cpu: null, network: null, problem: "no samples" };
    expect(limits({ hosts: [blind] })).toBeNull();
    expect(limits({ hosts: [] })).toBeNull();
    expect(limits({ hosts: [blind, host("server")] })).toEqual([]);
    const allowances = { pps_allowance_exceeded: 1 };
    expect(limits({ hosts: [{ ...blind, allowances }, host("server")] })).toMatchObject([
      { kind: "allowanceExceededPercent", value: null },
    ]);
  });

  it("cannot be judged by shared CPUs, only by a NAT instance's counters", () => {
    const busy = { client: { busy: 99, dropped: 1e6 }, nat: { busy: 98 }, sharedCpus: true };
    const toolCpu = { client: 100, server: 100, threads: 1 };
    expect(limits({ ...busy, toolCpu, measurement: lossy })).toEqual([]);
    const natDrops = { receivedPackets: 100, sentPackets: 50, lostPercent: 50 };
    expect(limits({ ...busy, natDrops })).toEqual([
      { host: "a-nat", role: "nat", kind: "natLossPercent", value: 50, bound: 1 },
    ]);
  });

  it("names no host if several NAT instances lost packets", () => {
    const hosts = [host("client"), host("server"), host("nat"), { ...host("nat"), host: "b-nat" }];
    const natDrops = { receivedPackets: 100, sentPackets: 50, lostPercent: 50 };
    expect(limits({ hosts, natDrops, measurement: lossy })).toMatchObject([{ host: null, role: "nat" }]);
  });

  it("has words for any report, and more load never removes it", () => {
    const usage = fc.record({
      busy: fc.double({ min: 0, max: 100, noNaN: true }),
      softirq: fc.double({ min: 0, max: 100, noNaN: true }),
      received: fc.nat(),
      dropped: fc.nat({ max: 1000 }),
    });
    fc.assert(
      fc.property(usage, usage, usage, fc.boolean(), (client, server, nat, sharedCpus) => {
        const found = limitSchema.array().parse(limits({ client, server, nat, sharedCpus }));
        for (const limit of found) {
          expect(limit.value).toBeGreaterThanOrEqual(limit.bound!);
          expect(shortLimit(limit)).toMatch(/^(client|server|NAT instance) \w/);
        }
        expect(said({ client, server, nat, sharedCpus }).words.split("; ")).toHaveLength(found.length || 1);
        const more = said({ client: { ...client, busy: 100 }, server, nat, sharedCpus });
        expect(more.at).toBe(sharedCpus ? limitedBy(found) : "client");
      }),
    );
  });
});
