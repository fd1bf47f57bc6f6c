/**
 * Loss to the datagram, by what the hosts' kernels count: against the counter of a NAT instance that drops some, and where a
 * queue of the sender's own is full. What is on its way when a test ends is none, also where the server sends.
 */
import { expect, test } from "vitest";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import { caseOf, labSpec, runInLab } from "../../helpers/lab-runs.ts";
import type { NatLab } from "../../helpers/nat-lab.ts";
import { probeLab } from "../../helpers/nat-probes.ts";

const dropping = `
nft add table inet lossy
nft 'add chain inet lossy forward { type filter hook forward priority -20; }'
nft add rule inet lossy forward udp dport 5201 meta length '>' 200 numgen random mod 100 '<' 2 counter drop
`;
const dropped = "nft list chain inet lossy forward | sed -n 's/.*counter packets \\([0-9]*\\).*/\\1/p'";

const udp = { tool: "iperf3", protocol: "udp", bitrate: "5M", datagramBytes: 1000, durationSeconds: 4 };

const measure = (lab: NatLab, one: Case) => {
  const spec = labSpec(one);
  const report = runInLab(lab, spec);
  return caseResult(
    { topology: "nat-instance", case: one, command: spec.command, report },
    { sharedCpus: true },
  );
};

type Place = NonNullable<ReturnType<typeof measure>["lossPlaces"]>[number]["place"];

/** Datagrams that were lost at a place; at a socket that a busy machine reads too late some may be, whatever is tested. */
const lostAt = ({ lossPlaces }: ReturnType<typeof measure>, place: Place) =>
  lossPlaces?.find((one) => one.place === place)?.packets ?? 0;
const lostBeforeSocket = (result: ReturnType<typeof measure>) =>
  (result.measurement?.lostPackets ?? Number.NaN) - lostAt(result, "receiver-socket");

test("every lost datagram is counted, at its place, and none that came late", async () => {
  const lab = await probeLab({ dataPlane: "nftables" });
  for (const direction of ["egress", "ingress"]) {
    const whole = measure(lab, caseOf({ ...udp, direction }));
    expect(whole.failure).toBeNull();
    expect(lostBeforeSocket(whole)).toBe(0);
  }

  lab.run("box", dropping);
  const lossy = measure(lab, caseOf(udp));
  const counted = Number(lab.run("box", dropped));
  expect(counted).toBeGreaterThan(0);
  expect(lostBeforeSocket(lossy)).toBe(counted);
  expect(lostAt(lossy, "path")).toBe(counted);
  lab.run("box", "nft delete table inet lossy");

  // Half of the rate, and room for next to nothing.
  lab.run("client", "tc qdisc replace dev eth0 root tbf rate 2500kbit burst 3000 limit 3000");
  const queued = measure(lab, caseOf(udp));
  expect(lostAt(queued, "sender")).toBeGreaterThan(500);
  expect(lostAt(queued, "sender")).toBe(lostBeforeSocket(queued));
  const network = queued.hosts.find(({ role }) => role === "client")?.network;
  const seconds = network?.series.map(({ sendBufferErrors }) => sendBufferErrors ?? 0) ?? [];
  expect(Math.max(...seconds)).toBeGreaterThan(100);
  const total = network?.udp?.sendBufferErrors ?? 0;
  expect(seconds.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(total);
  expect(network?.series.some(({ queueDrops }) => (queueDrops ?? 0) > 0)).toBe(true);
});

test("a search for the rate without loss finds one where the server sends", async () => {
  const lab = await probeLab({ dataPlane: "nftables" });
  const search = caseOf({
    ...{ tool: "search", goal: "ndr", direction: "ingress", minBitrate: "1M", maxBitrate: "5M" },
    ...{ durationSeconds: 1, durationSumSeconds: 3, maxTrials: 12 },
  });
  const { failure, measurement } = measure(lab, search);
  expect(failure).toBeNull();
  expect(measurement?.search).toMatchObject({ goal: "ndr", lossBoundPercent: 0, limitedBy: "range" });
  expect(measurement?.search?.found).toBeGreaterThan(4.8e6);
  expect(measurement).toMatchObject({ lostPackets: 0 });
});
