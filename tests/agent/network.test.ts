/**
 * The agent's figures from a host's network counters, with recorded output of the real programs. That each host counts its
 * own traffic, and all of it: tests/lab/nat-instance/metrics.test.ts.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NetworkUsage } from "../../bench/results/index.ts";
import { evaluate } from "../helpers/agent-host.ts";
import { fixture } from "../unit/bench/fixture.ts";

/** The value of an expression, `usage` being the module. */
const inModule = (expression: string, data: unknown) =>
  evaluate(expression.replaceAll("usage.", "network_usage."), data);

const links: Record<string, unknown>[] = JSON.parse(fixture("host-metrics/ip-6.1.0-links.json"));
const link = (ifname: string, more: object = {}) => ({
  ifname,
  flags: ["UP"],
  stats64: { rx: { packets: 1, bytes: 2, dropped: 3 }, tx: { packets: 4, bytes: 5, dropped: 6 } },
  ...more,
});
const counted = (given: unknown) => Object.keys(inModule("usage.link_counters(data)", given) as object);

describe("interfaces", () => {
  it("are counted as `ip` counts them, a bridge by its ports", () => {
    const found = inModule("usage.link_counters(data)", links) as Record<string, Record<string, number>>;
    expect(Object.keys(found)).toEqual(["client1", "eth1"]);
    // biome-ignore lint/suspicious/noExplicitAny: recorded output
    const { rx, tx } = links.find(({ ifname }) => ifname === "eth1")!.stats64 as any;
    expect(rx.packets).toBeGreaterThan(0);
    expect(found.eth1).toEqual({
      index: 5,
      receivedPackets: rx.packets,
      sentPackets: tx.packets,
      receivedBytes: rx.bytes,
      sentBytes: tx.bytes,
      receiveDrops: rx.dropped,
      sendDrops: tx.dropped,
    });
  });

  it.each<[string, unknown, string[]]>([
    [
      "a bond, not its slaves",
      [link("bond0", { linkinfo: { info_kind: "bond" } }), link("eth0", { master: "bond0" })],
      ["bond0"],
    ],
    [
      "Azure's synthetic interface, not its slave",
      [link("eth0"), link("enP1s1", { master: "eth0" })],
      ["eth0"],
    ],
    [
      "an interface, not its VLAN",
      [link("eth0"), link("eth0.7", { link: "eth0", linkinfo: { info_kind: "vlan" } })],
      ["eth0"],
    ],
    [
      "a MACVLAN whose parent is not here",
      [link("eth0", { link_index: 7, linkinfo: { info_kind: "macvlan" } })],
      ["eth0"],
    ],
    [
      "no copy of what was received",
      [link("eth0"), link("ifb0", { linkinfo: { info_kind: "ifb" } })],
      ["eth0"],
    ],
    ["no test of forwarding by a NAT instance", [link("ebcheck0"), link("eth0")], ["eth0"]],
    ["no figures where `ip` is missing", null, []],
    ["no figures from an old `ip`", [{ ifname: "eth0" }], []],
  ])("count each packet once: %s", (_, given, expected) => {
    expect(counted(given)).toEqual(expected);
  });

  it("rise by the difference: from 0 if new, and since the reset if reset", () => {
    const count = (value: number) => ({
      receivedPackets: value,
      sentPackets: value,
      receivedBytes: 2 ** 40 + value,
      sentBytes: value,
      receiveDrops: 0,
      sendDrops: value,
    });
    const data = [
      { eth0: count(10), gone: count(1), reset: count(9), vf: { ...count(1), index: 4 } },
      { eth0: count(15), new: count(3), reset: count(2), vf: { ...count(7), index: 5 } },
    ];
    const risen = inModule("usage.risen(*data)", data) as {
      name: string;
      sentPackets: number;
      receivedBytes: number;
      restarted?: boolean;
    }[];
    expect(risen.map(({ name, sentPackets }) => [name, sentPackets])).toEqual([
      ["eth0", 5],
      ["new", 3],
      ["reset", 2],
      // Remade, and already beyond the old one's counts.
      ["vf", 7],
    ]);
    expect(risen.map(({ restarted = false }) => restarted)).toEqual([false, false, true, true]);
    expect(risen[0]?.receivedBytes).toBe(5);
  });

  it("of 32 bits that overflowed are incomplete, like a total that overflowed", () => {
    const count = (value: number) =>
      Object.fromEntries(
        ["receivedPackets", "sentPackets", "receivedBytes", "sentBytes", "receiveDrops", "sendDrops"].map(
          (name) => [name, name === "receivedBytes" ? value : 0],
        ),
      );
    const wrapped = [{ eth0: count(2 ** 32 - 10) }, { eth0: count(90) }];
    expect(inModule("usage.risen(*data)", wrapped)).toMatchObject([{ name: "eth0", restarted: true }]);
    expect(inModule("usage.risen_by(*data)", [2 ** 32 - 10, 90])).toBeNull();
  });
});

it("a counter that went back, or overflowed at 32 bits, is unknown and not 0", () => {
  const pairs = [
    [5, 9],
    [9, 5],
    [2 ** 32 - 6, 10],
    [null, 3],
  ];
  expect(inModule("[usage.risen_by(*pair) for pair in data]", pairs)).toEqual([4, null, null, null]);
});

it("a queue's counter that was reset in between is unknown, even if it passed its first value", () => {
  const readings = [
    [3, 5, 9],
    [3, 5, 0, 4],
    [3, null, 9],
  ];
  expect(inModule("[usage.risen_through(one) for one in data]", readings)).toEqual([6, null, null]);
});

describe("the kernel's tables", () => {
  const snmp = `Ip: Forwarding DefaultTTL
Ip: 1 64
Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors
Tcp: 1 200 120000 -1 261202 203556 56985 264307 0 11251101 11202365 10990 0 226617 0
`;
  // Linux 6.18's header, with figures.
  const names =
    "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop early_drop icmp_error  expect_new expect_create expect_delete search_restart";
  const row = (failed: string, drop: string, early: string) =>
    `0000002a  00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 ${failed} ${drop} ${early} 00000000  00000000 00000000 00000000 00000000`;

  it("tell retransmits", () => {
    expect(evaluate("kernel_counters.tcp_retransmits(data)", snmp)).toBe(10990);
    expect(evaluate("kernel_counters.tcp_retransmits(data)", "")).toBeNull();
  });

  it("count flows that found no place, over all CPUs, each once", () => {
    const failures = (...rows: string[]) =>
      evaluate("conntrack.conntrack_failures(data)", [names, ...rows, ""].join("\n"));
    expect(failures(row("0000000a", "00000010", "00000000"), row("00000001", "00000000", "00000100"))).toBe(
      16 + 256,
    );
    expect(failures(row("0000000a", "00000000", "00000000"))).toBe(10);
    expect(failures()).toBe(0);
    expect(evaluate("conntrack.conntrack_failures(data)", "")).toBeNull();
    expect(evaluate("conntrack.conntrack_failures(data)", "something else\n1 2\n")).toBeNull();
  });
});

/** What the agent read each second: its files' texts, and two clocks. */
const readings: [at: number, clock: number, stat: string, dev: string, ...string[]][] = JSON.parse(
  fixture("host-metrics/readings.json"),
);
const sampled = evaluate(
  "[kernel_samples.sample(*pair) for pair in zip(data, data[1:])]",
  readings,
) as object[];
const series = (names: string[]) =>
  inModule("[usage.second_of(one, set(data[1])) for one in data[0]]", [
    sampled,
    names,
  ]) as NetworkUsage["series"];

describe("a series", () => {
  it("has the rise of each second's counters, of the counted interfaces", () => {
    const columns = (reading: number) =>
      (/eth1:(.*)/.exec(readings[reading]?.[3] ?? "")?.[1] ?? "").trim().split(/\s+/).map(Number);
    const [before, after] = [columns(1), columns(2)];
    const perSecond = (column: number) => ((after[column] ?? 0) - (before[column] ?? 0)) / 1.0;
    const [, second, last] = series(["client1", "eth1"]);
    expect(second?.at).toBe("2026-11-28T22:26:08Z");
    expect(perSecond(8)).toBeGreaterThan(5_000_000);
    expect(second?.sentBitsPerSecond).toBeCloseTo(8 * perSecond(8), -5);
    expect(second?.receivedPacketsPerSecond).toBe(perSecond(1));
    expect(second).toMatchObject({ drops: 0, tcpRetransmits: 0 });
    expect(last?.sentBitsPerSecond).toBeLessThan(1_000_000);
    expect(series([])[0]).toMatchObject({ sentBitsPerSecond: 0, tcpRetransmits: 365 });
  });

  it("has the datagrams of each second, unless all ports' are no more than those of DNS and NTP", () => {
    const none = Object.fromEntries((inModule("usage.RARE", null) as string[]).map((name) => [name, 0]));
    const kept = (counts: readonly (number | null)[], most = "usage.IDLE_OF_ALL") =>
      inModule(
        `usage.without_idle(data, ${most})`,
        counts.map((arrivedDatagrams) => ({ ...none, arrivedDatagrams })),
      );
    const whole = (counts: readonly (number | null)[]) =>
      counts.map((arrivedDatagrams) => ({ arrivedDatagrams }));
    expect(kept([3, 51, 0, null])).toEqual(whole([3, 51, 0, null]));
    expect(kept([3, 50, null])).toEqual([{}, {}, {}]);
    // For the test's own ports, a few datagrams are a slow test.
    expect(kept([3, 10, 0, null], "{}")).toEqual(whole([3, 10, 0, null]));
    expect(kept([0, 0, null], "{}")).toEqual([{}, {}, {}]);
  });

  it("leaves out datagrams that the host's firewall dropped", () => {
    const found = (counts: object) =>
      inModule(
        "usage.read_in(data[0], type('Read', (), dict(rise=lambda _, name, *__: data[1].get(name), peak=lambda *_: None))(), False)['arrivedDatagrams']",
        [sampled[0], counts],
      );
    expect(found({ arrivedDatagrams: 4, testDatagrams: 1700 })).toBe(4);
    expect(found({ arrivedDatagrams: 1900, testDatagrams: 1700 })).toBe(1700);
    expect(found({ arrivedDatagrams: 1900 })).toBe(1900);
    expect(found({ testDatagrams: 1700 })).toBeNull();
  });

  it("has an entry for each of the CPU's", () => {
    const cpu = evaluate("cpu_usage.cpu_usage(data)['series']", sampled) as { at: string }[];
    expect(series(["eth1"]).map(({ at }) => at)).toEqual(cpu.map(({ at }) => at));
  });

  const count = fc.nat({ max: 1e9 });
  const second = fc.record({
    at: fc.constant("2026-11-21T08:00:00Z"),
    receivedBitsPerSecond: count,
    sentBitsPerSecond: count,
    receivedPacketsPerSecond: count,
    sentPacketsPerSecond: count,
    drops: count,
    conntrack: fc.option(count),
    tcpRetransmits: fc.option(count),
  });

  it("becomes coarser without losing a count or a peak", () => {
    const cases = fc.sample(
      fc.tuple(fc.array(second, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 50 })),
      40,
    );
    const all = inModule("[usage.thin_network(*one) for one in data]", cases) as NetworkUsage["series"][];
    const known = (entries: NetworkUsage["series"], key: "drops" | "conntrack" | "tcpRetransmits") =>
      entries.flatMap((entry) => entry[key] ?? []);
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    cases.forEach(([whole, group], index) => {
      const thinned = all[index] ?? [];
      expect(thinned).toHaveLength(Math.ceil(whole.length / group));
      expect(sum(known(thinned, "drops"))).toBe(sum(known(whole, "drops")));
      expect(sum(known(thinned, "tcpRetransmits"))).toBe(sum(known(whole, "tcpRetransmits")));
      expect(Math.max(...known(thinned, "conntrack"))).toBe(Math.max(...known(whole, "conntrack")));
      const first = whole.slice(0, group).map((entry) => entry.sentBitsPerSecond);
      expect(Math.abs((thinned[0]?.sentBitsPerSecond ?? -1) - sum(first) / first.length)).toBeLessThanOrEqual(
        0.5,
      );
    });
  });
});
