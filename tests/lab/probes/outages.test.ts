/**
 * UDP from the client: its own series is flat, and its receiver misses losses after the last received datagram. The
 * server's host saw both. The path's faults are `faulty-path.py`'s; those inside a host are its own rules and queues.
 */
import { expect, test } from "vitest";
import type { CaseResult } from "../../../bench/results/index.ts";
import { judged } from "../../helpers/judged.ts";
import { SERVER } from "../../helpers/nat-lab.ts";
import { behindFaults, resultOf, sharedProbeLab, translate } from "../../helpers/nat-probes.ts";

const lab = sharedProbeLab();

/** Drops all UDP that a host takes in after so many packets, and records the least and the most milliseconds of it. */
const blackhole = (packets: number, seconds: number) => `
rm -f /tmp/hole
nft 'add table inet hole; flush table inet hole'
nft 'add chain inet hole cut { type filter hook input priority -200; }'
nft 'add rule inet hole cut meta l4proto udp counter'
for _ in $(seq 600); do
  [ "$(nft list chain inet hole cut | grep -o 'packets [0-9]*' | tr -dc 0-9)" -lt ${packets} ] || break
  sleep 0.1
done
before=$(date +%s%3N)
nft 'add rule inet hole cut meta l4proto udp drop'
from=$(date +%s%3N)
sleep ${seconds}
to=$(date +%s%3N)
nft 'flush chain inet hole cut'
echo $((to - from)) $(($(date +%s%3N) - before)) > /tmp/hole`;

/** Least packets a second of 20 Mbit/s in iperf3's datagrams. */
const PACKETS_PER_SECOND = 1700;

/** Measures 20 Mbit/s of UDP, or `more`: the parsed case. */
const measured = (durationSeconds: number, key: string, more: object = {}) =>
  resultOf(lab, { tool: "iperf3", protocol: "udp", bitrate: "20M", durationSeconds, ...more }, key);

/** {@link measured} behind faults of the path, and what it counted. */
function behind(faults: object, ...how: Parameters<typeof measured>) {
  translate(lab, undefined);
  return behindFaults(lab, { port: 5201, protocol: "udp", least: 200, ...faults }, () => measured(...how));
}

/** Datagrams lost at a place; a busy machine may lose some at a socket that is read late. */
const lostAt = ({ lossPlaces }: CaseResult, place: NonNullable<CaseResult["lossPlaces"]>[number]["place"]) =>
  lossPlaces?.find((one) => one.place === place)?.packets ?? 0;

/** Measures UDP through a blackhole: the result, the least and the most seconds of it, and the datagrams lost at its place. */
const interrupted = {
  path(seconds: number) {
    const outages = [[3, 3 + seconds]];
    const { found, truth } = behind({ outages }, Math.ceil(seconds) + 6, `run-1.outage.path.${seconds}`);
    expect(lostAt(found, "path")).toBe(truth.egress.lost);
    return { found, least: seconds, most: seconds, lost: truth.egress.lost };
  },
  "receiver-host"(seconds: number) {
    translate(lab, undefined);
    lab.run("server", `(${blackhole(3 * PACKETS_PER_SECOND, seconds)}) > /dev/null 2>&1 &`);
    const found = measured(Math.ceil(seconds) + 6, `run-1.outage.host.${seconds}`);
    const [least = 0, most = 0] = lab
      .run("server", "cat /tmp/hole; nft delete table inet hole")
      .split(" ")
      .map((milliseconds) => Number(milliseconds) / 1000);
    return { found, least, most, lost: lostAt(found, "receiver-host") };
  },
} as const;

test.each([
  ["path", 2.9],
  // While datagrams keep arriving at the host, two silent seconds may be late readings: unknown. Three are an outage.
  ["receiver-host", 4.2],
] as const)("a blackhole of the %s, of %d s, is an outage of that length", (place, seconds) =>
  judged(
    () => interrupted[place](seconds),
    ({ found: { measurement }, least, most, lost }) => {
      expect(lost).toBeGreaterThan(0.9 * PACKETS_PER_SECOND * least);
      // The client's own series: it kept sending.
      const rates = (measurement?.series ?? []).map((one) => one.bitsPerSecond ?? 0);
      expect(Math.min(...rates)).toBeGreaterThan(1e7);
      expect(measurement?.outages).toHaveLength(1);
      const [outage] = measurement?.outages ?? [];
      expect(outage?.seconds).toBeGreaterThan(least - 0.5);
      expect(outage?.seconds).toBeLessThan(most + 0.5);
      expect(outage?.leastSeconds).toBeLessThanOrEqual(most);
      expect(outage?.mostSeconds).toBeGreaterThanOrEqual(least);
    },
  ),
);

/** Datagrams of 100 bytes to a foreign port, until a file ends them. */
const others = (address: string) => `python3 -c '
import os, socket, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while not os.path.exists("/tmp/enough"):
    sender.sendto(b"x" * 100, ("${address}", 6000))
    time.sleep(0.002)
' > /dev/null 2>&1 &`;

test("datagrams lost at a test's end count as lost, whatever else reaches the server's host", () => {
  const seconds = 3;
  const sent = (20e6 * seconds) / 8 / 1448;
  for (const [host, address] of [
    ["server", "127.0.0.1"],
    ["instance", SERVER],
  ] as const) {
    lab.run(host, `rm -f /tmp/enough\n${others(address)}`);
  }
  const { found, truth } = behind(
    { after: Math.round(sent) - 200, egress: { drop: 1 } },
    seconds,
    "run-1.last",
  );
  for (const host of ["server", "instance"] as const) lab.run(host, "touch /tmp/enough");
  const { drop } = truth.egress;
  expect(drop).toBeGreaterThan(150);
  const udp = found.hosts.find(({ role }) => role === "server")?.network?.udp;
  expect(udp?.ofTestPorts).toBe(true);
  const atSocket = udp?.receiveBufferErrors ?? 0;
  expect(found.measurement?.lostPackets).toBe(drop + atSocket);
  // The other programs' datagrams, which would have hidden the loss, are not counted.
  expect(found.measurement?.toolLostPackets).toBeLessThanOrEqual(atSocket);
});

test("slow TCP has no outage if its sender only waits for room in a large socket buffer", () => {
  translate(lab, undefined);
  const device = lab
    .run("instance", `ip -o route get ${SERVER} | grep -o 'dev [^ ]*' | cut -d' ' -f2`)
    .trim();
  lab.run("instance", `tc qdisc replace dev ${device} root tbf rate 2mbit burst 10k latency 1s`);
  const before = lab.run("client", "cat /proc/sys/net/ipv4/tcp_wmem").trim();
  lab.run("client", "echo 4096 2000000 4194304 > /proc/sys/net/ipv4/tcp_wmem");
  const { measurement } = measured(12, "run-1.slow", { protocol: "tcp", bitrate: undefined });
  lab.run("client", `echo ${before} > /proc/sys/net/ipv4/tcp_wmem`);
  lab.run("instance", `tc qdisc del dev ${device} root`);
  // The sender's series has whole seconds without data.
  expect(Math.min(...(measurement?.series ?? []).map((one) => one.bitsPerSecond ?? 1))).toBe(0);
  expect(measurement?.outages).toEqual([]);
});

test("datagrams lost in the warm-up are not the test's", () => {
  const { found, truth } = behind({ until: 1000, egress: { drop: 1 / 3 } }, 4, "run-1.warm-up", {
    ...{ bitrate: "4M", datagramBytes: 1000, omitSeconds: 3 },
  });
  const { drop } = truth.egress;
  expect(drop).toBeGreaterThan(250);
  expect(found.measurement?.toolLostPackets).toBeGreaterThanOrEqual(drop);
  const udp = (role: string) => found.hosts.find((one) => one.role === role)?.network?.udp;
  const arrived = (udp("server")?.arrivedDatagrams ?? 0) - (udp("server")?.receiveBufferErrors ?? 0);
  // A busy machine's server may read too late and lose some of the test's own, but no others.
  const others = (udp("client")?.sentDatagrams ?? 0) - arrived - drop;
  expect(found.measurement?.lostPackets).not.toBeNull();
  expect(found.measurement?.lostPackets).toBeLessThanOrEqual(others);
});

const paced = { bitrate: "5M", datagramBytes: 1000 };

test.each(["egress", "ingress"] as const)(
  "every datagram lost on the path of %s is the path's",
  (direction) => {
    // The last datagrams of 2,500 are spared: a loss behind the last one that arrives is another test's.
    const faults = { until: 2400, [direction]: { drop: 0.02 } };
    const { found, truth } = behind(faults, 4, `run-1.lost.${direction}`, { ...paced, direction });
    const { drop } = truth[direction];
    expect(drop).toBeGreaterThan(10);
    expect(lostAt(found, "path")).toBe(drop);
    expect((found.measurement?.lostPackets ?? 0) - lostAt(found, "receiver-socket")).toBe(drop);
  },
);

test("loss in a queue that drops after it has accepted is the sender's, though no socket reports it", () => {
  lab.run(
    "client",
    `tc qdisc replace dev eth0 root handle 1: tbf rate 2500kbit burst 3000 limit 30000
tc qdisc add dev eth0 parent 1:1 pfifo_head_drop limit 10`,
  );
  const { found, truth } = behind({}, 4, "run-1.queue", paced);
  lab.run("client", "tc qdisc del dev eth0 root");
  const network = found.hosts.find(({ role }) => role === "client")?.network;
  expect(network?.udp?.sendBufferErrors).toBe(0);
  const inQueue = (found.measurement?.packets ?? 0) - truth.egress.seen;
  expect(inQueue).toBeGreaterThan(500);
  expect(network?.queueDrops).toBe(inQueue);
  expect(lostAt(found, "sender")).toBe(inQueue);
  expect(lostAt(found, "path")).toBe(0);
  expect(found.measurement?.packetRates?.senderDrops).toBe(inQueue);
});
