/** Network figures in a report: they fit, and another host's cannot break it. */
import { once } from "node:events";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { MAX_REPORT_BYTES, runReportSchema } from "../../agent/protocol.ts";
import { networkUsageSchema } from "../../bench/results/index.ts";
import { agentHost, evaluate } from "../helpers/agent-host.ts";
import { silentReport } from "../unit/bench/fixture.ts";

const usageOf = (seconds: number, figure = 123_456_789) => ({
  interfaces: [
    {
      name: "eth0",
      receivedPackets: figure,
      sentPackets: figure,
      receivedBytes: figure,
      sentBytes: figure,
      receiveDrops: 0,
      sendDrops: 0,
    },
  ],
  tcpRetransmits: 7,
  udp: { receiveBufferErrors: 5, sendBufferErrors: 0, sentDatagrams: 9, arrivedDatagrams: 4 },
  softnetDrops: 3,
  conntrack: { peak: 9, limit: 262144, failures: 0 },
  series: Array.from({ length: seconds }, (_, second) => ({
    at: new Date(Date.UTC(2026, 10, 21) + second * 1000).toISOString().replace(".000", ""),
    receivedBitsPerSecond: figure,
    sentBitsPerSecond: figure,
    receivedPacketsPerSecond: figure,
    sentPacketsPerSecond: figure,
    drops: 1,
    conntrack: figure,
    tcpRetransmits: 1,
  })),
});
const cpuOf = (seconds: number) => ({
  busyPercent: 50,
  userPercent: 10,
  systemPercent: 20,
  softirqPercent: 15,
  stealPercent: 5,
  series: usageOf(seconds).series.map(({ at }) => ({
    at,
    busyPercent: 99.9,
    softirqPercent: 12.3,
    stealPercent: 10.1,
  })),
});

describe("a report", () => {
  it.each([
    [300, 5, 45 * 1024, 8],
    [60, 3, 12 * 1024, 30],
    [20, 3, 12 * 1024, 20],
  ])(
    "of %i s on %i hosts fits beside %i bytes of output, its series in step",
    (seconds, hosts, output, atLeast) => {
      const host = { host: "h", role: "nat", cpu: cpuOf(seconds), network: usageOf(seconds), problem: null };
      const whole = { ...silentReport, stdout: "x".repeat(output), hosts: Array(hosts).fill(host) };
      const text = evaluate("reducing.fit(data).decode()", whole) as string;
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_REPORT_BYTES);
      const fitted = runReportSchema.parse(JSON.parse(text));
      expect(fitted.failure).toBeNull();
      for (const { cpu, network } of fitted.hosts) {
        expect(network?.series.length).toBeGreaterThanOrEqual(atLeast);
        expect(network?.series.map(({ at }) => at)).toEqual(cpu?.series.map(({ at }) => at));
        expect(network?.series.reduce((sum, { drops }) => sum + drops, 0)).toBe(seconds);
        expect(network?.interfaces).toEqual(host.network.interfaces);
      }
    },
  );

  it("can be asked of a host after any time: its answer stays below the control port's bound", () => {
    const [most, bound] = evaluate("[limits.MAX_WINDOW_SAMPLES, limits.MAX_REPLY_BYTES]") as [number, number];
    const answer = { cpu: cpuOf(most), network: usageOf(most, 999_999_999_999), problem: null };
    expect(JSON.stringify(answer).length).toBeLessThan(bound);
  });
});

describe("another host's figures", () => {
  const checkedAll = (all: readonly unknown[]) =>
    evaluate("[network_checks.checked_usage(one) for one in data]", all) as unknown[];

  it("are taken where they have the protocol's shape, without what it does not know", () => {
    const usage = usageOf(3);
    const junk = { ...usage, junk: "x", series: usage.series.map((one) => ({ ...one, junk: [1] })) };
    const untracked = { ...usage, conntrack: null, tcpRetransmits: null };
    expect(checkedAll([usage, junk, untracked])).toEqual([usage, usage, untracked]);
    expect(networkUsageSchema.parse(usage)).toEqual(usage);
  });

  const usage = usageOf(1);
  const [second] = usage.series;
  const [eth0] = usage.interfaces;
  const refused: readonly [string, unknown][] = [
    ["nothing", null],
    ["a list", [1]],
    ["no interfaces", { ...usage, interfaces: undefined }],
    ["interfaces by name", { ...usage, interfaces: { eth0 } }],
    ["a name that is too long", { ...usage, interfaces: [{ ...eth0, name: "e".repeat(16) }] }],
    ["a name that no terminal should see", { ...usage, interfaces: [{ ...eth0, name: "\u001b[2J" }] }],
    ["a count below 0", { ...usage, interfaces: [{ ...eth0, sentPackets: -1 }] }],
    ["a count that is none", { ...usage, interfaces: [{ ...eth0, sentPackets: true }] }],
    ["a count beyond counting", { ...usage, tcpRetransmits: 1e300 }],
    ["an error count that is none", { ...usage, udp: { receiveBufferErrors: 1, sendBufferErrors: "x" } }],
    ["a text for a table", { ...usage, conntrack: "full" }],
    ["a table without failures", { ...usage, conntrack: { peak: 1, limit: 2 } }],
    ["a series of texts", { ...usage, series: ["x"] }],
    ["a time that is none", { ...usage, series: [{ ...second, at: "now".repeat(1000) }] }],
    ["a rate that is none", { ...usage, series: [{ ...second, sentBitsPerSecond: null }] }],
  ];
  it("are left out where they have not", () => {
    const outcomes = checkedAll(refused.map(([, given]) => given));
    expect(refused.filter((_, index) => outcomes[index] !== null)).toEqual([]);
    expect(outcomes).toHaveLength(refused.length);
  });

  it("cannot break a report", async () => {
    const host = await agentHost("client");
    const cpu = cpuOf(2);
    const answers = [
      { cpu: { ...cpu, junk: "x".repeat(80_000) }, network: { ...usageOf(2), series: [{}] }, problem: null },
      {
        cpu: { ...cpu, series: [{ ...cpu.series[0], at: "x".repeat(80_000) }] },
        network: usageOf(2),
        problem: null,
      },
    ];
    const liars = answers.map((answer) =>
      createServer((socket) =>
        socket.once("data", () => socket.end(`${JSON.stringify(answer)}\n`)).write('{"nonce":"x"}\n'),
      ).listen(0, "127.0.0.1"),
    );
    try {
      await Promise.all(liars.map((liar) => once(liar, "listening")));
      await host.prepare();
      const report = await host.run({
        observe: liars.map((liar, index) => ({
          host: `liar-${index}`,
          role: "nat",
          address: "127.0.0.1",
          port: (liar.address() as { port: number }).port,
        })),
      });
      expect(report.failure).toBeNull();
      expect(report.hosts).toEqual([
        { host: "liar-0", role: "nat", cpu, network: null, problem: null },
        {
          host: "liar-1",
          role: "nat",
          cpu: null,
          network: usageOf(2),
          problem: "an answer without CPU figures",
        },
      ]);
    } finally {
      for (const liar of liars) liar.close();
      await host.dispose();
    }
  });
});

describe("a window of samples", () => {
  it("counts the datagrams that found a tool's socket full", async () => {
    const host = await agentHost("client");
    try {
      await host.prepare();
      const flood = [
        "import socket",
        "r = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "r.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)",
        "r.bind(('127.0.0.1', 0))",
        "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "[s.sendto(b'x' * 1000, r.getsockname()) for _ in range(500)]",
        "r.setblocking(False)",
        "kept = 0",
        "try:",
        "  while r.recv(2000): kept += 1",
        "except BlockingIOError: print(500 - kept)",
      ].join("\n");
      const { stdout, hosts } = await host.run({
        command: `python3 -c "${flood}"; sleep 2`,
        observe: [{ host: "client", role: "client", address: "127.0.0.1", port: host.ports.agent }],
      });
      const lost = Number(stdout);
      expect(lost).toBeGreaterThan(400);
      // The machine's own traffic may have lost some too.
      expect(hosts[0]?.network?.udp?.receiveBufferErrors).toBeGreaterThanOrEqual(lost);
      expect(hosts[0]?.network?.softnetDrops).toBeGreaterThanOrEqual(0);
    } finally {
      await host.dispose();
    }
  });
});
