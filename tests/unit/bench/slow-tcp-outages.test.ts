/** Outages of slow TCP egress: the sender's series shows how its socket's buffer empties, the server's samples what arrived. */
import { expect, it } from "vitest";
import { withOutages } from "../../../bench/assemble/outcome.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { HostUsage } from "../../../bench/results/index.ts";
import { caseOf, dead, flat, host, interval } from "./udp-hosts.ts";

/** Recorded: 2 Mbit/s with a buffer of 2 MB, in Mbit/s. The path was never silent. */
const written = [15.8, 0, 5.4, 0, 0, 5.7, 0, 0, 5.7, 0, 0, 5.7];
const arrived = [2.0, 2.0, 1.9, 2.0, 2.0, 1.9, 2.0, 2.0, 2.0, 2.0, 1.9, 2.0].map((rate) => rate * 1e6);

const slow = caseOf({ protocol: "tcp", bitrate: undefined });
const underProbe = parsePlan({
  cases: [{ tool: "irtt", durationSeconds: 12, load: { protocol: "tcp" } }],
}).cases[0]!;

const judge = (hosts: readonly HostUsage[], benchCase = slow, scale = 1) => {
  const series = written.map((rate, second) => interval(second, scale * 1e6 * rate));
  return withOutages({ ...flat(12), series }, benchCase, hosts).outages;
};
/** The server's samples, between the idle seconds of both ends. */
const hosts = (rates: readonly number[], sending = arrived) => [
  host("server", [0, 0, ...rates, 0, 0]),
  host("client", [0, 0, ...sending, 0, 0]),
];
const [cut, died] = [
  [...arrived.slice(0, 4), ...dead(4), ...arrived.slice(8)],
  [...arrived.slice(0, 7), ...dead(5)],
];

it.each<[string, HostUsage[], Case, object | null]>([
  ["none if the server received all the time", hosts(arrived), slow, []],
  ["none at a rate", hosts(arrived), caseOf({ protocol: "tcp", bitrate: "10M" }), []],
  ["the one in which the server received nothing", hosts(cut), slow, [{ startSeconds: 4, leastSeconds: 4 }]],
  [
    "the one at its end, in which the sender waits too",
    hosts(died, died),
    slow,
    [{ startSeconds: 7, seconds: 5, leastSeconds: 4 }],
  ],
  ["unknown ones if the server was not sampled", [], slow, null],
  ["unknown ones under a probe", hosts(arrived), underProbe, null],
])("slow TCP egress has %s", (_, samples, benchCase, expected) => {
  const found = judge(samples, benchCase);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatchObject(expected);
});

it("slow TCP egress is judged by its own series if the buffer holds less than a second", () => {
  expect(judge([], slow, 100)).toHaveLength(4);
});
