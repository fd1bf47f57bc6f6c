/** Places of loss in a test that covers only a part of its hosts' counting time. */
import { expect, it } from "vitest";
import { lossPlacesOf } from "../../../bench/assemble/loss-places.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import { hostUsageSchema, type Role } from "../../../bench/results/index.ts";
import { host, lost } from "./counted-host.ts";

const facts = { natDrops: null, sharedCpus: false };

/** The only case of a plan's entry. */
function caseOf(entry: object) {
  const [one] = parsePlan({ cases: [entry] }).cases;
  if (one === undefined) throw new Error("a plan without a case");
  return one;
}

function counted(role: Role, udp: object) {
  const one = host(role);
  const none = { receiveBufferErrors: 0, sendBufferErrors: 0, sentDatagrams: 0, arrivedDatagrams: 0 };
  return hostUsageSchema.parse({ ...one, network: { ...one.network, udp: { ...none, ...udp } } });
}

it("losses in a warm-up give the test's losses no place", () => {
  // A lab's run: the server's firewall dropped 200 in the warm-up alone, and the path 250 after it.
  const client = counted("client", { sentDatagrams: 4001 });
  const server = counted("server", { arrivedDatagrams: 3551, filteredDatagrams: 200 });
  const udp = { tool: "iperf3", protocol: "udp", bitrate: "4M", durationSeconds: 6 };
  const places = (omitSeconds: number) =>
    lossPlacesOf(caseOf({ ...udp, omitSeconds }), {
      ...facts,
      hosts: [client, server],
      measurement: lost(250, 2999),
    })?.map(({ place, packets }) => [place, packets]);
  expect(places(2)).toEqual([["path", 50]]);
  expect(places(0)).toEqual([
    ["receiver-host", 200],
    ["path", 50],
  ]);
});

it("losses in a search's other trials give the last one's losses no place", () => {
  const client = counted("client", { sentDatagrams: 95_000 });
  const server = counted("server", { arrivedDatagrams: 94_600, receiveBufferErrors: 200 });
  const search = caseOf({ tool: "search", goal: "pdr", maxBitrate: "1G", durationSeconds: 2 });
  const measurement = lost(100, 10_000);
  expect(lossPlacesOf(search, { ...facts, hosts: [client, server], measurement })).toEqual([]);
});
