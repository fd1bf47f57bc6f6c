/**
 * Counts of the agents of a client, a NAT instance and a server while real traffic passes: each in its own network
 * namespace, exactly. Not proved: a cloud's interface counters.
 */
import { beforeAll, describe, expect, test } from "vitest";
import {
  AGENT_DIRECTORY,
  AGENT_PROTOCOL_VERSION,
  type PrepareSpec,
  prepareReportSchema,
  type RunSpec,
} from "../../../bench/agent/protocol.ts";
import { jsonOf, readRunReport } from "../../../bench/agent/read-report.ts";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import type { Case } from "../../../bench/plan/plan.ts";
import type { CaseResult, HostFacts, HostUsage } from "../../../bench/results/index.ts";
import { SINK_PORT } from "../../../bench/tools/connect/index.ts";
import { servicesOf, toolOf } from "../../../bench/tools/index.ts";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import { AGENT_PORT } from "../../../bench/tools/ports.ts";
import { observedBy } from "../../../components/nat-instance/cloud-machine.ts";
import { natSetup } from "../../../components/nat-instance/index.ts";
import { installAgent } from "../../helpers/agent-files.ts";
import { judged } from "../../helpers/judged.ts";
import { PRIVATE_CIDR, SERVER, sharedLab } from "../../helpers/nat-lab.ts";
import { connectCase, onePair } from "../../unit/bench/fixture.ts";

const roles = { client: "client", instance: "nat", server: "server" } as const;
type Name = keyof typeof roles;
const GATEWAY = "198.18.1.1";

const lab = sharedLab();
const facts = new Map<Name, HostFacts>();

function agent(host: Name, command: string, document: unknown): string {
  return lab.run(
    host,
    `cat > /tmp/in <<'END_IN'\n${JSON.stringify(document)}\nEND_IN\n${command} < /tmp/in\n`,
  );
}

beforeAll(() => {
  lab.run("instance", natSetup({ ...observedBy([PRIVATE_CIDR], {}), privateCidrs: [PRIVATE_CIDR] }));
  for (const name of ["server", "instance", "client"] as const) {
    lab.run(name, installAgent("/root"));
    const spec: PrepareSpec = {
      version: AGENT_PROTOCOL_VERSION,
      host: name,
      role: roles[name],
      secret: "a secret of the stack",
      executables: ["iperf3"],
      port: AGENT_PORT,
      services: servicesOf([udp, connectCase], roles[name]),
    };
    const reported = agent(name, `cd /root && python3 ${AGENT_DIRECTORY}/agent.py prepare`, spec);
    facts.set(name, prepareReportSchema.parse(JSON.parse(jsonOf(reported))).facts);
  }
});

const udp: Iperf3Case = {
  id: "udp",
  tool: "iperf3",
  protocol: "udp",
  direction: "egress",
  streams: 2,
  bitsPerSecond: 10e6,
  datagramBytes: 1000,
  congestion: null,
  pairs: null,
  durationSeconds: 4,
  omitSeconds: 0,
};

const tcp = {
  protocol: "tcp",
  streams: 1,
  bitsPerSecond: null,
  datagramBytes: null,
  durationSeconds: 2,
} as const;

/**
 * Shell that opens connections to the sink, and leaves a process that holds its end of each: until a hundred others wait
 * for an answer, and then at most as long as the first of those.
 */
const holdOpen = (connections: number) => `
python3 - <<'END_HOLDER'
import os, socket, time
held = [socket.create_connection(("${SERVER}", ${SINK_PORT}), 5) for _ in range(${connections})]
if os.fork() == 0:
    os.closerange(0, 3)
    SYN_SENT, until = "02", time.monotonic() + 60
    def waiting():
        return sum(line.split()[3] == SYN_SENT for line in open("/proc/net/tcp"))
    while waiting() < 100 and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(3)
    os._exit(0)
END_HOLDER
`;

let runs = 0;
function measure(benchCase: Case): CaseResult {
  runs += 1;
  const tool = toolOf(benchCase);
  const at = (host: Name, address: string) => ({ host, role: roles[host], address, port: AGENT_PORT });
  const spec: RunSpec = {
    version: AGENT_PROTOCOL_VERSION,
    key: `run-${runs}`,
    command: tool.command(benchCase, SERVER),
    pauseSeconds: 0,
    timeoutSeconds: 30,
    reducer: tool.reducer ?? "none",
    retry: { patterns: [], attempts: 1, delaySeconds: 0 },
    path: { address: SERVER, port: AGENT_PORT, expected: [], forbidden: [] },
    observe: [at("client", "127.0.0.1"), at("server", SERVER), at("instance", GATEWAY)],
  };
  const report = readRunReport(agent("client", `cd /root && python3 ${AGENT_DIRECTORY}/agent.py run`, spec));
  const result = caseResult(
    { topology: "nat", case: benchCase, command: spec.command, pairs: onePair(report) },
    { sharedCpus: true },
  );
  expect(result.failure).toBeNull();
  return result;
}

function host(result: CaseResult, name: Name): HostUsage & { network: NonNullable<HostUsage["network"]> } {
  const found = result.hosts.find((one) => one.host === name)!;
  expect(found.problem).toBeNull();
  return { ...found, network: found.network! };
}

describe("UDP through an instance that carries it", () => {
  let result: CaseResult;
  beforeAll(() => {
    result = measure(udp);
  });

  test("comes out as it goes in", () => {
    const packets = result.measurement!.packets!;
    const { receivedPackets, sentPackets } = result.natDrops!;
    expect(packets).toBeGreaterThan(5_000);
    // The others are iperf3's control connection and the agents' requests.
    expect(receivedPackets).toBeGreaterThanOrEqual(packets);
    expect(receivedPackets).toBeLessThan(packets + 300);
    expect(Math.abs(receivedPackets - sentPackets)).toBeLessThan(50);
  });

  test("is counted by each host for itself, to the packet", () => {
    const names = (name: Name) => host(result, name).network.interfaces.map((one) => one.name);
    expect([names("client"), names("instance"), names("server")]).toEqual([
      ["eth0"],
      ["eth0", "eth1"],
      ["eth0"],
    ]);
    const sent = host(result, "client").network.interfaces[0]!;
    const bytes = result.measurement!.packets! * 1000;
    expect(sent.sentBytes).toBeGreaterThan(bytes);
    expect(sent.sentBytes).toBeLessThan(bytes * 1.06); // headers of 42 bytes a packet
    expect(sent.receivedPackets).toBeLessThan(300);
  });

  test("has a series that agrees with the CPU's and with the totals", () => {
    for (const name of ["client", "instance", "server"] as const) {
      const { cpu, network } = host(result, name);
      expect(network.series.map(({ at }) => at)).toEqual(cpu!.series.map(({ at }) => at));
      expect(network.series.length).toBeGreaterThanOrEqual(4);
      const inSeries = network.series.reduce((sum, one) => sum + one.receivedPacketsPerSecond, 0);
      const total = network.interfaces.reduce((sum, one) => sum + one.receivedPackets, 0);
      // The series lacks part of a second at either end.
      expect(inSeries).toBeLessThanOrEqual(total * 1.02 + 50);
      expect(inSeries).toBeGreaterThan(name === "client" ? -1 : total * 0.6);
    }
  });

  test("is tracked by the instance only", () => {
    const { conntrack, series } = host(result, "instance").network;
    // At least two streams and the control connection.
    expect(conntrack!.peak).toBeGreaterThanOrEqual(3);
    expect(conntrack!.peak).toBeLessThan(100);
    expect(conntrack!.limit).toBeGreaterThan(1000);
    expect(conntrack!.failures).toBe(0);
    expect(Math.max(...series.map((one) => one.conntrack ?? -1))).toBeGreaterThanOrEqual(3);
    expect(host(result, "client").network.conntrack).toBeNull();
    expect(host(result, "client").network.series.map((one) => one.conntrack)).not.toContain(0);
  });

  test("names no limiting host, since all hosts share the machine's CPUs", () =>
    judged(
      () => measure({ ...udp, durationSeconds: 2 }),
      ({ limits, measurement }) => {
        expect(measurement?.lostPackets).toBe(0);
        expect(limits).toEqual([]);
      },
    ));
});

describe("an instance with an outgoing link below the offered rate", () => {
  test("does not pass on the datagrams that the server lacks", () =>
    judged(
      () => {
        lab.run("instance", "tc qdisc replace dev eth1 root tbf rate 5mbit burst 20k limit 30k");
        const result = measure({ ...udp, durationSeconds: 2 });
        lab.run("instance", "tc qdisc del dev eth1 root");
        return result;
      },
      ({ measurement, natDrops, limits }) => {
        const lost = measurement?.lostPercent ?? Number.NaN;
        expect(lost).toBeGreaterThan(50);
        expect(Math.abs(natDrops!.lostPercent! - lost)).toBeLessThan(8);
        expect(limits).toEqual([
          { host: "instance", role: "nat", kind: "natLossPercent", value: natDrops!.lostPercent, bound: 1 },
        ]);
      },
    ));
});

describe("TCP over a link with a short queue", () => {
  test("is sent again by the client, and not counted as the instance's drops", () => {
    lab.run("instance", "tc qdisc replace dev eth1 root tbf rate 50mbit burst 20k limit 40k");
    const result = measure({ ...udp, ...tcp });
    lab.run("instance", "tc qdisc del dev eth1 root");
    const retransmits = result.measurement!.retransmits!;
    const { tcpRetransmits } = host(result, "client").network;
    expect(retransmits).toBeGreaterThan(0);
    expect(tcpRetransmits).toBeGreaterThanOrEqual(retransmits);
    expect(tcpRetransmits).toBeLessThan(1.3 * retransmits + 100); // with those after iperf3's last look
    expect(host(result, "instance").network.tcpRetransmits).toBeLessThan(50);
    expect(result.natDrops).toBeNull();
  });
});

describe("an instance without a port for every flow", () => {
  test("counts flows without a port", () => {
    const set = (more: object) =>
      lab.run("instance", natSetup({ ...observedBy([PRIVATE_CIDR], more), privateCidrs: [PRIVATE_CIDR] }));
    set({ portRange: { first: 2000, last: 2003 } });
    // The kernel reuses a closed connection's port at once, so a quiet host never ran out.
    lab.run("client", holdOpen(4));
    const result = measure({ ...connectCase, durationSeconds: 6 });
    set({});
    const { connections } = result.measurement!;
    expect(connections!.failed).toBeGreaterThan(0);
    expect(connections!.failed).toBeLessThan(connections!.attempted);
    const { conntrack } = host(result, "instance").network;
    expect(conntrack!.failures).toBeGreaterThanOrEqual(connections!.failed);
    expect(conntrack!.peak).toBeGreaterThanOrEqual(4);
  });
});

test("reports each interface's offloads like ethtool", () => {
  const reported = facts.get("instance")!.interfaces.find(({ name }) => name === "eth1")!.offloads;
  expect(reported["tcp-segmentation-offload"]).toBe(true);
  const listed = lab.run("instance", "ethtool -k eth1");
  const expected = Object.keys(reported).map((name) => [
    name,
    new RegExp(`^\\s*${name}: on`, "m").test(listed),
  ]);
  expect(Object.entries(reported)).toEqual(expected);
});
