/**
 * A case's findings on its own path through a NAT instance, between real hosts by the kernel's own NAT: UDP with another
 * address than TCP's takes another path, loss is counted to the datagram with its place, and a control connection may be
 * silent for longer than the NAT remembers it. Not proved: a cloud's own NAT.
 */
import { expect, test } from "vitest";
import {
  AGENT_DIRECTORY,
  AGENT_PROTOCOL_VERSION,
  type RunReport,
  type RunSpec,
} from "../../../bench/agent/protocol.ts";
import { readRunReport } from "../../../bench/agent/read-report.ts";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import { timeoutSeconds, toolOf } from "../../../bench/tools/index.ts";
import { AGENT_PORT } from "../../../bench/tools/ports.ts";
import { INSTANCE, type NatLab, SERVER } from "../../helpers/nat-lab.ts";
import { sharedProbeLab, translate } from "../../helpers/nat-probes.ts";
import { onePair } from "../../unit/bench/fixture.ts";

const lab = sharedProbeLab();

function measure(one: Case, changes: Partial<RunSpec> = {}) {
  const spec = labSpec(one, changes);
  const report = runInLab(lab, spec);
  return caseResult(
    { topology: "nat-instance", case: one, command: spec.command, pairs: onePair(report) },
    { sharedCpus: true },
  );
}

const OTHER = "198.19.1.77";

const udpElsewhere = `
ip address add ${OTHER}/24 dev eth1
nft add table ip by_protocol
nft 'add chain ip by_protocol post { type nat hook postrouting priority 50; }'
nft add rule ip by_protocol post oifname eth1 meta l4proto udp snat to ${OTHER}
`;

const cases = {
  tcp: caseOf({ tool: "iperf3", bitrate: "10M", durationSeconds: 3 }),
  udp: caseOf({ tool: "iperf3", protocol: "udp", bitrate: "2M", durationSeconds: 3 }),
  irtt: caseOf({ tool: "irtt", durationSeconds: 2 }),
  connect: caseOf({ tool: "connect", durationSeconds: 2 }),
};

test("UDP fails if a NAT gives it another address, while TCP passes", () => {
  translate(lab, {});
  // The normal case: every protocol comes from the instance's one address.
  for (const one of Object.values(cases)) {
    const { failure, sourceIp, dataSources } = measure(one);
    expect({ id: one.id, failure, sourceIp }).toEqual({ id: one.id, failure: null, sourceIp: INSTANCE });
    expect(new Set(dataSources?.map(({ address }) => address))).toEqual(new Set([INSTANCE]));
  }

  lab.run("instance", udpElsewhere);
  for (const one of [cases.tcp, cases.connect]) {
    expect(measure(one)).toMatchObject({ status: "ok", sourceIp: INSTANCE });
  }
  for (const one of [cases.udp, cases.irtt]) {
    const { failure, sourceIp } = measure(one);
    // The proof alone sees nothing wrong.
    expect(sourceIp).toBe(INSTANCE);
    expect(failure).toMatchObject({ class: "path-mismatch" });
    expect(failure?.message).toContain(`the test's own UDP come from ${OTHER}`);
    expect(failure?.message).toContain(`expected ${INSTANCE}`);
  }
  lab.run("instance", `nft delete table ip by_protocol; ip address del ${OTHER}/24 dev eth1`);
});

const paced = { tool: "iperf3", protocol: "udp", bitrate: "5M", datagramBytes: 1000, durationSeconds: 4 };

type Place = NonNullable<ReturnType<typeof measure>["lossPlaces"]>[number]["place"];

/** Datagrams lost at a place; a busy machine may lose some at a socket that is read late. */
const lostAt = ({ lossPlaces }: ReturnType<typeof measure>, place: Place) =>
  lossPlaces?.find((one) => one.place === place)?.packets ?? 0;
const lostBeforeSocket = (result: ReturnType<typeof measure>) =>
  (result.measurement?.lostPackets ?? Number.NaN) - lostAt(result, "receiver-socket");

test("no late datagram counts as lost, and one that the sender drops is the sender's", () => {
  translate(lab, { dataPlane: "nftables" });
  for (const direction of ["egress", "ingress"]) {
    const whole = measure(caseOf({ ...paced, direction }));
    expect(whole.failure).toBeNull();
    expect(lostBeforeSocket(whole)).toBe(0);
    // The runner asks its own host's agent directly, so that both hosts count all of the test's datagrams.
    const [client, server] = ["client", "server"].map(
      (name) => whole.hosts.find(({ role }) => role === name)?.network?.udp,
    );
    expect(client?.sentDatagrams).toBe(server?.arrivedDatagrams);
    expect(server?.sentDatagrams).toBe(client?.arrivedDatagrams);
    expect(direction === "egress" ? client?.sentDatagrams : server?.sentDatagrams).toBeGreaterThan(2000);
  }

  // Half of the rate, and almost no queue.
  lab.run("client", "tc qdisc replace dev eth0 root tbf rate 2500kbit burst 3000 limit 3000");
  const queued = measure(caseOf(paced));
  expect(lostAt(queued, "sender")).toBeGreaterThan(500);
  expect(lostAt(queued, "sender")).toBe(lostBeforeSocket(queued));
  const network = queued.hosts.find(({ role }) => role === "client")?.network;
  const seconds = network?.series.map(({ sendBufferErrors }) => sendBufferErrors ?? 0) ?? [];
  expect(Math.max(...seconds)).toBeGreaterThan(100);
  const total = network?.udp?.sendBufferErrors ?? 0;
  expect(seconds.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(total);
  expect(network?.series.some(({ queueDrops }) => (queueDrops ?? 0) > 0)).toBe(true);
  lab.run("client", "tc qdisc del dev eth0 root");
});

test("drops by a rule of the receiver's device are not the path's", () => {
  translate(lab, { dataPlane: "nftables" });
  lab.run(
    "server",
    `nft add table netdev own
nft 'add chain netdev own ingress { type filter hook ingress device eth0 priority 0; }'
nft add rule netdev own ingress udp dport 5201 meta length '>' 200 numgen inc mod 20 == 3 counter drop`,
  );
  const filtered = measure(caseOf(paced));
  const dropped = Number(
    lab.run(
      "server",
      "nft list chain netdev own ingress | sed -n 's/.*counter packets \\([0-9]*\\).*/\\1/p'",
    ),
  );
  lab.run("server", "nft delete table netdev own");
  expect(dropped).toBeGreaterThan(100);
  expect(lostBeforeSocket(filtered)).toBe(dropped);
  expect(lostAt(filtered, "path")).toBe(0);
});

test("a search for the rate without loss finds one where the server sends", () => {
  const search = caseOf({
    ...{ tool: "search", goal: "ndr", direction: "ingress", minBitrate: "1M", maxBitrate: "5M" },
    ...{ durationSeconds: 1, durationSumSeconds: 3, maxTrials: 12 },
  });
  const { failure, measurement } = measure(search);
  expect(failure).toBeNull();
  expect(measurement?.search).toMatchObject({ goal: "ndr", lossBoundPercent: 0, limitedBy: "range" });
  expect(measurement?.search?.found).toBeGreaterThan(4.8e6);
  expect(measurement).toMatchObject({ lostPackets: 0 });
});

const IDLE_SECONDS = 5;

/** Resets unknown connections, like AWS's: Linux's own would pick a connection up midway. */
const forgetful = `
sysctl -qw net.netfilter.nf_conntrack_tcp_timeout_established=${IDLE_SECONDS} net.netfilter.nf_conntrack_tcp_loose=0
nft add table inet strict
nft 'add chain inet strict forward { type filter hook forward priority -10; }'
nft add rule inet strict forward ct state invalid meta l4proto tcp reject with tcp reset
`;

const silent = caseOf({ tool: "iperf3", protocol: "udp", bitrate: "1M", durationSeconds: 12 });

const once = { retry: { patterns: [], attempts: 1, delaySeconds: 0 } };

test("a control connection with keep-alive outlives a NAT's idle time-out, and one without is reported as lost by its class", () => {
  translate(lab, { dataPlane: "nftables" });
  lab.run("instance", forgetful);
  // The first probe would come after the test, as without keep-alive.
  const lost = measure(silent, once);
  expect(lost.failure).toMatchObject({ class: "control-lost" });
  expect(lost.failure?.message).toContain("unable to send control message: Broken pipe");

  // The server continues that test: it is restarted, or it would be busy for the next one.
  const contract = `/root/${AGENT_DIRECTORY}/contract.json`;
  lab.run("client", `sed -i 's/"keepAliveSeconds": 60,/"keepAliveSeconds": 2,/' ${contract}`);
  expect(lab.run("client", `grep -c '"keepAliveSeconds": 2,' ${contract}`).trim()).toBe("1");
  const kept = measure(silent, once);
  expect(kept.failure).toBeNull();
  expect(kept.measurement?.durationSeconds).toBeGreaterThan(11);
  expect(kept.measurement?.bitsPerSecond).toBeGreaterThan(0.9e6);
});

/** The only case of a plan's entry. */
function caseOf(input: object): Case {
  return parsePlan({ cases: [input] }).cases[0] as Case;
}

let runs = 0;

/** The request to the client's agent for a case; `changes` replace parts of it. The proof expects the instance's address. */
function labSpec(one: Case, changes: Partial<RunSpec> = {}): RunSpec {
  runs += 1;
  const host = (name: "client" | "server", address: string) => ({
    host: name,
    role: name,
    address,
    port: AGENT_PORT,
  });
  return {
    version: AGENT_PROTOCOL_VERSION,
    key: `${one.id}.${runs}`,
    command: toolOf(one).command(one, SERVER),
    pauseSeconds: 0,
    timeoutSeconds: timeoutSeconds(one),
    reducer: toolOf(one).reducer ?? "none",
    retry: { patterns: [...(toolOf(one).retryOn ?? [])], attempts: 3, delaySeconds: 1 },
    path: { address: SERVER, port: AGENT_PORT, expected: [INSTANCE], forbidden: [] },
    observe: [host("client", "127.0.0.1"), host("server", SERVER)],
    ...changes,
  };
}

function runInLab(lab: NatLab, spec: RunSpec): RunReport {
  const run = `cd /root && python3 ${AGENT_DIRECTORY}/agent.py run <<'END_SPEC'\n${JSON.stringify(spec)}\nEND_SPEC\n`;
  return readRunReport(lab.run("client", run));
}
