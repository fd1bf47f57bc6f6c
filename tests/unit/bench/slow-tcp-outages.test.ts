/** Outages of slow TCP egress: the sender's series shows how its socket's buffer empties, the server's samples what arrived. */
import { describe, expect, it } from "vitest";
import { withOutages } from "../../../bench/assemble/outcome.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { HostUsage } from "../../../bench/results/index.ts";
import { caseOf, dead, flat, host } from "./udp-hosts.ts";

/** Recorded: 2 Mbit/s with a buffer of 2 MB, in Mbit/s. The path was never silent. */
const written = [15.8, 0, 5.4, 0, 0, 5.7, 0, 0, 5.7, 0, 0, 5.7];
const arrived = [2.0, 2.0, 1.9, 2.0, 2.0, 1.9, 2.0, 2.0, 2.0, 2.0, 1.9, 2.0].map((rate) => rate * 1e6);
const around = (rates: readonly number[]) => [0, 0, ...rates, 0, 0];

const slow = caseOf({ protocol: "tcp", bitrate: undefined });
const underProbe = parsePlan({
  cases: [{ tool: "irtt", durationSeconds: 12, load: { protocol: "tcp" } }],
}).cases[0]!;

const judge = (hosts: readonly HostUsage[], benchCase = slow, scale = 1) => {
  const series = flat(12).series.map((one, second) => ({
    ...one,
    bitsPerSecond: scale * 1e6 * (written[second] ?? 0),
  }));
  return withOutages({ ...flat(12), series }, benchCase, hosts).outages;
};
const hosts = (rates: readonly number[]) => [host("server", around(rates)), host("client", around(arrived))];

describe("slow TCP egress", () => {
  it("has no outage if the server received all the time", () => {
    expect(judge(hosts(arrived))).toEqual([]);
    expect(judge(hosts(arrived), caseOf({ protocol: "tcp", bitrate: "10M" }))).toEqual([]);
  });

  it("has the outage in which the server received nothing", () => {
    expect(judge(hosts([...arrived.slice(0, 4), ...dead(4), ...arrived.slice(8)]))).toMatchObject([
      { startSeconds: 4, leastSeconds: 4 },
    ]);
  });

  it("has the outage at its end, in which the sender waits too", () => {
    const died = [...arrived.slice(0, 7), ...dead(5)];
    const both = [host("server", around(died)), host("client", around(died))];
    expect(judge(both)).toMatchObject([{ startSeconds: 7, seconds: 5, leastSeconds: 4 }]);
  });

  it("has unknown outages if the server was not sampled", () => {
    expect(judge([])).toBeNull();
  });

  it("has unknown outages under a probe", () => {
    expect(judge(hosts(arrived), underProbe)).toBeNull();
  });

  it("is judged by its own series if the buffer holds less than a second", () => {
    expect(judge([], slow, 100)).toHaveLength(4);
  });
});
