/** Samples of the kernel's counters: from texts of its files, and compared with Node's figures of this machine. */
import { cpus, totalmem } from "node:os";
import { describe, expect, it } from "vitest";
import { type HostUsage, hostUsageSchema } from "../../bench/results/index.ts";
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
  const before = [1000, 50, "cpu  100 10 200 1000 50 5 20 0 40 4", dev(100, 10, 0), snmp(3), ""];
  // 200 ticks later: user 60, including guests' 20; nice 0; system 20; idle 80; waiting 10; irq 2; softirq 18; stolen 10.
  const after = [
    1002,
    52,
    "cpu  160 10 220 1080 60 7 38 10 60 4",
    dev(300, 50, 4),
    snmp(9),
    "MemTotal: 9 kB\nMemAvailable:    7 kB\n",
  ];

  it("has rates, shares of all CPUs' time, and counts", () => {
    expect(evaluate("kernel_samples.sample(*data)", [before, after])).toEqual({
      end: 1002,
      seconds: 2,
      cpu: { busyPercent: 55, userPercent: 30, systemPercent: 11, softirqPercent: 9, stealPercent: 5 },
      perCpu: {},
      availableBytes: 7 * 1024,
      interfaces: {
        lo: {
          receivedBitsPerSecond: 0,
          sentBitsPerSecond: 0,
          receivedPacketsPerSecond: 0,
          sentPacketsPerSecond: 0,
          drops: 0,
        },
        eth0: {
          receivedBitsPerSecond: 100 * 8192,
          sentBitsPerSecond: 20 * 8192,
          receivedPacketsPerSecond: 100,
          sentPacketsPerSecond: 20,
          drops: 4,
        },
      },
      tcpRetransmits: 6,
    });
  });

  it("continues after an overflow of a 32-bit counter, and starts at 0 after a reset", () => {
    const [wraps, begins] = [2 ** 32 - 100, 5_000_000];
    const packets = (received: number, sent: number) =>
      dev(received, sent, 0).replace(/eth0: \d+/, "eth0: 0");
    const sample = evaluate("kernel_samples.sample(*data)", [
      [...before.slice(0, 3), packets(wraps, begins), snmp(2 ** 32 - 2), ""],
      [...after.slice(0, 3), packets(100, 7), snmp(4), ""],
    ]);
    expect(sample).toMatchObject({
      interfaces: { eth0: { receivedPacketsPerSecond: 100, sentPacketsPerSecond: 0 } },
      tcpRetransmits: 6,
    });
  });

  it.each(["", "intr 1 2"])("does not come from a text that is not the kernel's: %j", (stat) => {
    const bad = [1000, 50, stat, dev(0, 0, 0), snmp(0), ""];
    expect(() => evaluate("kernel_samples.sample(*data)", [bad, bad])).toThrow(/ValueError/);
  });
});

it("a window with texts that are not the kernel's reports that", () => {
  const window = `(kernel_samples.__dict__.update(read=lambda: (0, 0, *['x'] * 4)), windows.Window(9, {}, counter.TestPorts([])))[1]`;
  const late = `(lambda window: (__import__('time').sleep(1.1), window.finish()))(${window})`;
  expect(() => evaluate(late)).toThrow(/the samples have no CPU statistics/);
});

it("a window of a second or more without samples is one sample, a shorter one has none", () => {
  // A window of up to a day is sampled every ten seconds.
  const window = (seconds: number) =>
    evaluate(
      `(lambda sampler: [network_usage.__dict__.update(SILENCE_SECONDS=0), sampler.start('w', 86400), __import__('time').sleep(${seconds}), sampler.stop('w')])(windows.Sampler())[3]`, // other programs' datagrams are not waited for
    );
  const { cpu, network, problem } = window(1.1) as HostUsage;
  expect(problem).toBeNull();
  expect(cpu?.series).toHaveLength(1);
  expect(cpu?.busyPercent).toBeLessThanOrEqual(100);
  expect(network?.series).toHaveLength(1);
  expect(window(0.1)).toMatchObject({
    cpu: null,
    problem: "no sample: the case took less than a second",
  });
});

it("a window has CPU, memory, network and their series, and agrees with Node's figures", () => {
  const ticks = () => {
    const times = cpus().map((cpu) => cpu.times);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap(Object.values<number>)) };
  };
  const before = ticks();
  const [, usage] = evaluate(
    "(lambda sampler: [sampler.start('w', 30), __import__('time').sleep(3.3), sampler.stop('w')])(windows.Sampler())[1:]",
  ) as [null, Record<string, unknown>];
  const after = ticks();
  const { problem, cpu, network, memory } = hostUsageSchema.parse({ host: "h", role: "nat", ...usage });
  expect(problem).toBeNull();
  expect(cpu?.series.length).toBeGreaterThanOrEqual(2);
  expect(network?.series.map(({ at }) => at)).toEqual(cpu?.series.map(({ at }) => at));
  const { usedBytesAtStart = 0, peakUsedBytes = 0 } = memory ?? {};
  expect(usedBytesAtStart).toBeGreaterThan(0);
  expect(peakUsedBytes).toBeLessThan(totalmem());
  const busy = 100 - (100 * (after.idle - before.idle)) / (after.all - before.all);
  expect(Math.abs((cpu?.busyPercent as number) - busy)).toBeLessThan(25);
});

it("a window of datagrams ends when no more come, and one without them at once", () => {
  // 20 are in a queue when the tool is over; the last reading is the window's own.
  const counted = (...readings: number[]) =>
    evaluate(
      `(lambda left: (network_usage.__dict__.update(SILENCE_SECONDS=0.05,
        read_udp=lambda _=None: {**dict.fromkeys(('receiveBufferErrors', 'sendBufferErrors', 'damagedDatagrams', 'fragments', 'sentDatagrams', 'loopbackPackets'), 0), 'arrivedDatagrams': left.pop(0)},
        read_queues=lambda: {}),
        (lambda window: [window.drain(), window.read([])['udp']['arrivedDatagrams'], left])(network_usage.NetworkWindow([], 9, {}))))(data)[1]`,
      readings,
    );
  expect(counted(0, 100, 110, 120, 120, 120)).toEqual([null, 120, []]);
  expect(counted(7, 7, 7, 8)).toEqual([null, 0, [8]]);
});
