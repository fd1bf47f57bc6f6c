/**
 * UDP from the client: its own series is flat, and its receiver misses losses after the last received datagram. The
 * server's host saw both.
 */
import { expect, test } from "vitest";
import { judged } from "../../helpers/judged.ts";
import { SERVER } from "../../helpers/nat-lab.ts";
import { resultOf, sharedProbeLab, translate } from "../../helpers/nat-probes.ts";

const lab = sharedProbeLab();

/** Drops all UDP at a hook of a host after so many packets, and records the least and the most milliseconds of it. */
const blackhole = (hook: "forward" | "input", packets: number, seconds: number) => `
rm -f /tmp/hole
nft 'add table inet hole; flush table inet hole'
nft 'add chain inet hole cut { type filter hook ${hook} priority -200; }'
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

/** Measures 20 Mbit/s of UDP, or `more`: the parsed case. `run` starts the disturbance on the lab's hosts. */
function measured(durationSeconds: number, key: string, run: () => void, more: object = {}) {
  run();
  return resultOf(lab, { tool: "iperf3", protocol: "udp", bitrate: "20M", durationSeconds, ...more }, key);
}

const holes = { instance: "forward", server: "input" } as const;

/** Measures UDP through a blackhole: the result, and the least and the most seconds of the blackhole. */
function interrupted(host: keyof typeof holes, seconds: number) {
  const { measurement, lossPlaces } = measured(
    Math.ceil(seconds) + 6,
    `run-1.outage.${host}.${seconds}`,
    () => lab.run(host, `(${blackhole(holes[host], 3 * PACKETS_PER_SECOND, seconds)}) > /dev/null 2>&1 &`),
  );
  const [least = 0, most = 0] = lab
    .run(host, "cat /tmp/hole; nft delete table inet hole")
    .split(" ")
    .map((milliseconds) => Number(milliseconds) / 1000);
  return { measurement, lossPlaces, least, most };
}

test.each([
  ["instance", 5, "path"],
  ["instance", 2.9, "path"],
  // While datagrams keep arriving at the host, two silent seconds may be late readings: unknown. Three are an outage.
  ["server", 4.2, "receiver-host"],
] as const)("a blackhole of the %s, of %d s, is an outage of that length", (host, seconds, place) => {
  translate(lab, undefined);
  return judged(
    () => interrupted(host, seconds),
    ({ measurement, lossPlaces, least, most }) => {
      const lost = lossPlaces?.find((one) => one.place === place)?.packets ?? 0;
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
  );
});

/** Datagrams of 100 bytes to a foreign port, until a file ends them. */
const others = (address: string) => `python3 -c '
import os, socket, time
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while not os.path.exists("/tmp/enough"):
    sender.sendto(b"x" * 100, ("${address}", 6000))
    time.sleep(0.002)
' > /dev/null 2>&1 &`;

test("datagrams lost at a test's end count as lost, whatever else reaches the server's host", () => {
  translate(lab, undefined);
  const seconds = 3;
  const sent = (20e6 * seconds) / 8 / 1448;
  // Drops everything after so many bytes, headers included.
  lab.run(
    "instance",
    `nft 'add table inet last; flush table inet last'
nft 'add chain inet last forward { type filter hook forward priority -200; }'
nft 'add rule inet last forward udp dport 5201 quota over ${Math.round(sent - 200) * 1476} bytes counter drop'`,
  );
  lab.run(
    "server",
    `nft 'add table inet last; add chain inet last input { type filter hook input priority 0; }'
nft 'add rule inet last input udp dport 5201 counter'`,
  );
  const { measurement, hosts } = measured(seconds, "run-1.last", () => {
    lab.run("server", `rm -f /tmp/enough\n${others("127.0.0.1")}`);
    lab.run("instance", `rm -f /tmp/enough\n${others(SERVER)}`);
  });
  const counted = (host: "instance" | "server", chain: string) =>
    Number(
      /counter packets (\d+)/.exec(
        lab.run(host, `touch /tmp/enough; nft list chain inet last ${chain}; nft delete table inet last`),
      )?.[1],
    );
  const [dropped, came] = [counted("instance", "forward"), counted("server", "input")];
  expect(dropped).toBeGreaterThan(150);
  const udp = hosts.find(({ role }) => role === "server")?.network?.udp;
  expect(udp?.ofTestPorts).toBe(true);
  // The count of the server's own rule beside the datagram that opens the stream, and the drops of its socket.
  const missing = (measurement?.packets ?? 0) - (came - 1) + (udp?.receiveBufferErrors ?? 0);
  expect(measurement?.lostPackets).toBe(missing);
  expect(missing).toBeGreaterThanOrEqual(dropped);
  // The other programs' datagrams, which would have hidden the loss, are not counted.
  expect(measurement?.toolLostPackets).toBeLessThanOrEqual(missing - dropped);
});

test("slow TCP has no outage if its sender only waits for room in a large socket buffer", () => {
  translate(lab, undefined);
  const device = lab
    .run("instance", `ip -o route get ${SERVER} | grep -o 'dev [^ ]*' | cut -d' ' -f2`)
    .trim();
  lab.run("instance", `tc qdisc replace dev ${device} root tbf rate 2mbit burst 10k latency 1s`);
  const before = lab.run("client", "cat /proc/sys/net/ipv4/tcp_wmem").trim();
  lab.run("client", "echo 4096 2000000 4194304 > /proc/sys/net/ipv4/tcp_wmem");
  const { measurement } = measured(12, "run-1.slow", () => {}, { protocol: "tcp", bitrate: undefined });
  lab.run("client", `echo ${before} > /proc/sys/net/ipv4/tcp_wmem`);
  lab.run("instance", `tc qdisc del dev ${device} root`);
  // The sender's series has whole seconds without data.
  expect(Math.min(...(measurement?.series ?? []).map((one) => one.bitsPerSecond ?? 1))).toBe(0);
  expect(measurement?.outages).toEqual([]);
});

test("datagrams lost in the warm-up are not the test's", () => {
  translate(lab, undefined);
  // Drops one in three of the first 1,000 datagrams, within the warm-up's 1,500.
  lab.run(
    "instance",
    `nft 'add table inet warm; flush table inet warm'
nft 'add chain inet warm forward { type filter hook forward priority -200; }'
nft 'add rule inet warm forward udp dport 5201 quota over 1028000 bytes accept'
nft 'add rule inet warm forward udp dport 5201 numgen inc mod 3 == 1 counter drop'`,
  );
  const { measurement, hosts } = measured(4, "run-1.warm-up", () => {}, {
    ...{ bitrate: "4M", datagramBytes: 1000, omitSeconds: 3 },
  });
  const chain = lab.run("instance", "nft list chain inet warm forward; nft delete table inet warm");
  const dropped = Number(/counter packets (\d+)/.exec(chain)?.[1]);
  expect(dropped).toBeGreaterThan(300);
  expect(measurement?.toolLostPackets).toBeGreaterThanOrEqual(dropped);
  const udp = (role: string) => hosts.find((one) => one.role === role)?.network?.udp;
  const arrived = (udp("server")?.arrivedDatagrams ?? 0) - (udp("server")?.receiveBufferErrors ?? 0);
  // A busy machine's server may read too late and lose some of the test's own, but no others.
  const others = (udp("client")?.sentDatagrams ?? 0) - arrived - dropped;
  expect(measurement?.lostPackets).not.toBeNull();
  expect(measurement?.lostPackets).toBeLessThanOrEqual(others);
});
