/** Packets that a NAT instance did not pass on, from given counters. The counters' correctness: tests/lab/nat-instance. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { natDropsOf } from "../../../bench/assemble/host-drops.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { type HostUsage, natDropsSchema, type Role } from "../../../bench/results/index.ts";
import { connectCase, iperf3Case, sockperfCase, usageOf } from "./fixture.ts";

const udp = { ...iperf3Case, protocol: "udp" as const };

/** A host whose interfaces received and sent these numbers of packets. */
const host = (role: Role, ...interfaces: [received: number, sent: number][]) =>
  usageOf(
    role,
    interfaces.map(([receivedPackets, sentPackets]) => ({ receivedPackets, sentPackets })),
  );
const unknown: HostUsage = { ...host("nat"), network: null };

describe("a NAT instance's drops", () => {
  it("are the packets into all interfaces minus those out of them", () => {
    const instance = host("nat", [1000, 10], [10, 750]);
    const expected = { receivedPackets: 1010, sentPackets: 760, lostPercent: (100 * 250) / 1010 };
    expect(natDropsOf(udp, [host("client", [5, 1000]), instance, host("server", [750, 5])])).toEqual(
      expected,
    );
    expect(natDropsOf({ ...sockperfCase, protocol: "udp" }, [instance])).toEqual(expected);
  });

  it("are not computed for a NAT probe, whose packets end there", () => {
    const { cases } = parsePlan({ cases: [{ tool: "nat", probe: "idle-timeout", protocol: "udp" }] });
    expect(natDropsOf(cases[0]!, [host("nat", [1000, 10], [10, 750])])).toBeNull();
  });

  it("are not computed for a UDP probe over a TCP load, whose packets the instance's interfaces merge (GRO)", () => {
    const over = (load: object) =>
      parsePlan({ cases: [{ tool: "irtt", durationSeconds: 5, load }] }).cases.map((one) =>
        natDropsOf(one, [host("nat", [100_000, 40_000])]),
      )[0];
    // 60 % "not passed on" were published.
    expect(over({ protocol: "tcp" })).toBeNull();
    expect(over({ protocol: "udp", bitrate: "5M" })?.lostPercent).toBe(60);
  });

  it("are 0 if the instance sent more than it received, unknown if it received nothing", () => {
    expect(natDropsOf(udp, [host("nat", [100, 102])])?.lostPercent).toBe(0);
    expect(natDropsOf(udp, [host("nat", [0, 3])])?.lostPercent).toBeNull();
  });

  it.each<[string, typeof iperf3Case | typeof connectCase, HostUsage[]]>([
    ["TCP, whose packets interfaces merge", iperf3Case, [host("nat", [1000, 500])]],
    ["connections", connectCase, [host("nat", [1000, 500])]],
    ["a path without a NAT instance", udp, [host("client", [1, 2]), host("router", [1000, 500])]],
    ["an instance that was not counted", udp, [unknown]],
    ["one of two instances that was not counted", udp, [host("nat", [1000, 500]), unknown]],
    ["an instance without a known interface", udp, [host("nat")]],
  ])("are unknown for %s", (_, benchCase, hosts) => {
    expect(natDropsOf(benchCase, hosts)).toBeNull();
  });

  it("are a share from 0 to 100 that grows with each packet that does not come out", () => {
    const counts = fc.integer({ min: 1, max: 1e6 });
    fc.assert(
      fc.property(counts, counts, counts, (received, sent, more) => {
        const drops = natDropsSchema.parse(natDropsOf(udp, [host("nat", [received, sent])]));
        expect(drops.lostPercent).toBeGreaterThanOrEqual(0);
        expect(drops.lostPercent).toBeLessThan(100);
        const worse = natDropsOf(udp, [host("nat", [received + more, sent])])?.lostPercent ?? -1;
        if (sent < received) {
          expect(worse).toBeGreaterThan(drops.lostPercent as number);
        }
        // Their distribution over interfaces and instances makes no difference.
        const split = [host("nat", [received, 0], [0, 0]), host("nat", [0, sent])];
        expect(natDropsOf(udp, split)).toEqual(drops);
      }),
    );
  });
});
