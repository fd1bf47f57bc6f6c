/**
 * CPU and network figures in a report: they fit, and another host's figures cannot displace others. A host that lies to a real
 * agent: run-hosts.test.ts; the counts of a real host: udp-counters.test.ts.
 */
import { describe, expect, it } from "vitest";
import { MAX_REPORT_BYTES, reportedUsage, runReportSchema } from "../../bench/agent/protocol.ts";
import { evaluate } from "../helpers/agent-host.ts";
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
  queueDrops: 4,
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
  series: usageOf(seconds).series.map(({ at }, second) => ({
    at,
    busyPercent: second % 100,
    softirqPercent: 12.3,
    stealPercent: 10.1,
  })),
});

describe("a report", () => {
  it.each([
    [300, 5, 45 * 1024, 8],
    [60, 3, 12 * 1024, 30],
    [20, 3, 12 * 1024, 20],
    [3600, 4, 45 * 1024, 8],
  ])(
    "for %i s on %i hosts fits beside %i bytes of output, its series in step",
    (seconds, hosts, output, atLeast) => {
      const host = { host: "h", role: "nat", cpu: cpuOf(seconds), network: usageOf(seconds), problem: null };
      const whole = { ...silentReport, stdout: "x".repeat(output), hosts: Array(hosts).fill(host) };
      const text = evaluate("reducing.fit(data).decode()", whole) as string;
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_REPORT_BYTES);
      const fitted = runReportSchema.parse(JSON.parse(text));
      const busy = (all: readonly { readonly busyPercent: number | null }[] = []) =>
        all.reduce((sum, { busyPercent }) => sum + (busyPercent ?? 0), 0) / all.length;
      expect(fitted.failure).toBeNull();
      for (const { cpu, network } of fitted.hosts) {
        expect(network?.series.length).toBeGreaterThanOrEqual(atLeast);
        expect(network?.series.map(({ at }) => at)).toEqual(cpu?.series.map(({ at }) => at));
        expect(network?.series.reduce((sum, { drops }) => sum + drops, 0)).toBe(seconds);
        // The last group is smaller than the others, hence not exact.
        expect(Math.abs(busy(cpu?.series) - busy(host.cpu.series))).toBeLessThan(4);
        expect(network?.interfaces).toEqual(host.network.interfaces);
      }
    },
  );

  it("can be requested after any time: a host's answer stays below the control port's bound", () => {
    const [most, bound] = evaluate("[limits.MAX_WINDOW_SAMPLES, limits.MAX_REPLY_BYTES]") as [number, number];
    const answer = { cpu: cpuOf(most), network: usageOf(most, 999_999_999_999), problem: null };
    expect(JSON.stringify(answer).length).toBeLessThan(bound);
  });
});

describe("another host's figures", () => {
  const host = (changes: object) => ({
    host: "h",
    role: "nat",
    cpu: cpuOf(1),
    network: null,
    problem: null,
    ...changes,
  });
  const reported = (changes: object) => reportedUsage.parse(host(changes));

  it("are accepted in the protocol's shape, without unknown keys", () => {
    const usage = usageOf(3);
    const junk = { ...usage, junk: "x", series: usage.series.map((one) => ({ ...one, junk: 1 })) };
    const untracked = { ...usage, conntrack: null, tcpRetransmits: null };
    expect([usage, junk, untracked].map((network) => reported({ network, junk: [1] }))).toEqual(
      [usage, usage, untracked].map((network) => host({ network })),
    );
  });

  const usage = usageOf(1);
  const [second] = usage.series;
  const [eth0] = usage.interfaces;
  it.each<[string, unknown]>([
    ["nothing", null],
    ["a list", [1]],
    ["no interfaces", { ...usage, interfaces: undefined }],
    ["interfaces by name", { ...usage, interfaces: { eth0 } }],
    ["a name that is too long", { ...usage, interfaces: [{ ...eth0, name: "e".repeat(65) }] }],
    ["a count below 0", { ...usage, interfaces: [{ ...eth0, sentPackets: -1 }] }],
    ["an invalid count", { ...usage, interfaces: [{ ...eth0, sentPackets: true }] }],
    ["a count beyond counting", { ...usage, tcpRetransmits: 1e300 }],
    ["an invalid error count", { ...usage, udp: { receiveBufferErrors: 1, sendBufferErrors: "x" } }],
    ["a text for a table", { ...usage, conntrack: "full" }],
    ["a table without failures", { ...usage, conntrack: { peak: 1, limit: 2 } }],
    ["a series of texts", { ...usage, series: ["x"] }],
    ["an invalid time", { ...usage, series: [{ ...second, at: "now" }] }],
    ["an invalid rate", { ...usage, series: [{ ...second, sentBitsPerSecond: null }] }],
  ])("are left out in any other shape, without affecting others: %s", (_, network) => {
    expect(reported({ network })).toEqual(host({ network: null }));
  });

  it("are left out one by one, with a reason for the CPU's", () => {
    const cpu = { ...cpuOf(1), busyPercent: 5000 };
    const kept = { memory: { usedBytesAtStart: 1, usedBytesAtEnd: 1, peakUsedBytes: 1 } };
    const odd = {
      cpu,
      cpuTime: { start: null, end: null },
      allowances: { bw_in_allowance_exceeded: "x" },
      ...kept,
    };
    expect(reported(odd)).toEqual(host({ cpu: null, problem: "CPU figures that no host can have", ...kept }));
  });

  it.each<[string, object]>([
    ["a text for a CPU", { cpu: "busy" }],
    ["a series of numbers", { cpu: { ...cpuOf(2), series: [1, 2] } }],
    ["entries of two shapes", { cpu: { ...cpuOf(2), series: [{ at: "x" }, { at: "x", busyPercent: 1 }] } }],
    [
      "texts where figures add up",
      {
        cpu: {
          ...cpuOf(2),
          series: [
            { at: "x", busyPercent: "9" },
            { at: "x", busyPercent: 1 },
          ],
        },
      },
    ],
    ["an entry of more than a kilobyte", { cpu: { ...cpuOf(2), series: [{ at: "x".repeat(2000) }] } }],
    ["endless nesting", { cpu: cpuOf(2), deep: JSON.parse(`${"[".repeat(900)}${"]".repeat(900)}`) }],
    ["figures that fill the report", { cpu: cpuOf(2), junk: "x".repeat(80_000) }],
  ])("are not passed on if they could displace others in the report: %s", (_, answer) => {
    const [passed, problem] = evaluate("observe.passed_on(data)", answer) as [{ cpu?: unknown }, string];
    expect(passed.cpu ?? null).toBeNull();
    expect(problem).toMatch(/figures/);
  });

  it("are dropped for the others' if the report has no room for all", () => {
    const junk = (bytes: number) => ({ ...host({}), junk: "x".repeat(bytes) });
    const whole = { ...silentReport, stdout: "y".repeat(40_000), hosts: [host({}), junk(30_000)] };
    const { failure, hosts } = JSON.parse(evaluate("reducing.fit(data).decode()", whole) as string);
    expect(failure).toBeNull();
    expect(hosts).toMatchObject([{ cpu: cpuOf(1) }, { cpu: null, problem: expect.stringContaining("room") }]);
  });
});
