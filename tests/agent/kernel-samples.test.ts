/** Sampling where sysstat is not: of recorded texts of the kernel, and beside sysstat on this machine. */
import { describe, expect, it } from "vitest";
import { hostUsageSchema } from "../../bench/results/index.ts";
import { evaluate } from "../helpers/agent-host.ts";

const dev = (received: number, sent: number, drops: number) =>
  `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 9999 10 0 0 0 0 0 0 9999 10 0 0 0 0 0 0
  eth0: ${1024 * received} ${received} 0 ${drops} 0 0 0 0 ${1024 * sent} ${sent} 0 0 0 0 0 0
`;
const snmp = (retransmitted: number) =>
  `Tcp: RtoAlgorithm RetransSegs\nTcp: 1 ${retransmitted}\nUdp: InDatagrams\nUdp: 5\n`;

describe("a second between two readings", () => {
  const before = [1000, 50, "cpu  100 10 200 1000 50 5 20 0 40 4", dev(100, 10, 0), snmp(3)];
  // 200 ticks later: user 60, of them guests 20; nice 0; system 20; idle 80; waiting 10; irq 2; softirq 18; stolen 10.
  const after = [1002, 52, "cpu  160 10 220 1080 60 7 38 10 60 4", dev(300, 50, 4), snmp(9)];

  it("has the figures that sysstat would have", () => {
    const entry = evaluate("kernel_samples.entry_of(*data)", [before, after]);
    expect(entry).toEqual({
      timestamp: { date: "1970-01-01", time: "00:16:42", interval: 2 },
      "cpu-load": [
        {
          cpu: "all",
          usr: 20,
          nice: 0,
          sys: 10,
          idle: 40,
          iowait: 5,
          irq: 1,
          soft: 9,
          steal: 5,
          guest: 10,
          gnice: 0,
        },
      ],
      network: {
        "net-dev": [
          { iface: "lo", rxpck: 0, txpck: 0, rxkB: 0, txkB: 0 },
          { iface: "eth0", rxpck: 100, txpck: 20, rxkB: 100, txkB: 20 },
        ],
        "net-edev": [
          { iface: "lo", rxdrop: 0, txdrop: 0 },
          { iface: "eth0", rxdrop: 2, txdrop: 0 },
        ],
        "net-etcp": { retrans: 3 },
      },
    });
  });

  it("counts on where a counter of 32 bits wrapped, and from nothing where one began anew", () => {
    const [wraps, begins] = [2 ** 32 - 100, 5_000_000];
    const packets = (received: number, sent: number) =>
      dev(received, sent, 0).replace(/eth0: \d+/, "eth0: 0");
    const entry = evaluate("kernel_samples.entry_of(*data)", [
      [...before.slice(0, 3), packets(wraps, begins), snmp(2 ** 32 - 2)],
      [...after.slice(0, 3), packets(100, 7), snmp(4)],
    ]) as { network: Record<string, Record<string, number>[]> };
    expect(entry.network["net-dev"]![1]).toMatchObject({ rxpck: 100, txpck: 0 });
    expect(entry.network["net-etcp"]).toEqual({ retrans: 3 });
  });

  it.each(["", "intr 1 2"])("is none of a text that is not the kernel's: %j", (stat) => {
    const bad = [1000, 50, stat, dev(0, 0, 0), snmp(0)];
    expect(() => evaluate("kernel_samples.entry_of(*data)", [bad, bad])).toThrow(/ValueError/);
  });
});

it("a window has CPU, network and their series without sysstat, and beside it agrees", () => {
  const [problem, bare, beside] = evaluate(
    `(lambda sampler, known: [
      setattr(sysstat_samples, 'collector', lambda: None), sampler.start('bare', 30),
      setattr(sysstat_samples, 'collector', known), sampler.start('beside', 30),
      __import__('time').sleep(3.3), sampler.stop('bare'), sampler.stop('beside')]
    )(windows.Sampler(__import__('tempfile').mkdtemp(prefix='egress-bench-windows-')), sysstat_samples.collector)[4:]`,
  ) as [null, Record<string, unknown>, Record<string, unknown>];
  expect(problem).toBeNull();
  const usages = [bare, beside].map((usage) => hostUsageSchema.parse({ host: "h", role: "nat", ...usage }));
  for (const usage of usages) {
    expect(usage.problem).toBeNull();
    expect(usage.cpu?.series.length).toBeGreaterThanOrEqual(2);
    expect(usage.network?.series.map(({ at }) => at)).toEqual(usage.cpu?.series.map(({ at }) => at));
  }
  const [one, other] = usages.map(({ cpu }) => cpu?.busyPercent as number) as [number, number];
  expect(Math.abs(one - other)).toBeLessThan(25);
});
