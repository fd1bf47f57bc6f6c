/** Places of datagram loss by hosts' counts. The counts come from an audit on loopback, or are made up. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limitsOf } from "../../../bench/assemble/limits.ts";
import { lossNotes, lossPlacesOf } from "../../../bench/assemble/loss-places.ts";
import { parsePlan } from "../../../bench/plan/parse-plan.ts";
import type { CaseResult, Role } from "../../../bench/results/index.ts";
import { describeLimits } from "../../../bench/summary/limit-words.ts";
import type { IrttCase } from "../../../bench/tools/irtt/index.ts";
import { nothingMeasured } from "../../../bench/tools/shared/measurement.ts";
import { counted, host, lost } from "./counted-host.ts";
import { udpCase } from "./iperf3-case.ts";

const egress = udpCase;
const facts = { natDrops: null, sharedCpus: false };

it("under a load, loss has the load's direction", () => {
  const load = { protocol: "udp", direction: "ingress", streams: 1, bitsPerSecond: 1e8 } as const;
  const hosts = [host("client", { socket: 1000 }), host("server")];
  const [irttCase] = parsePlan({ cases: [{ tool: "irtt", durationSeconds: 2 }] }).cases as [IrttCase];
  const found = lossPlacesOf({ ...irttCase, load }, { ...facts, hosts, measurement: lost(1000, 10_000) });
  expect(found).toEqual([{ place: "receiver-socket", packets: 1000, percent: 10 }]);
});

it("a sender with a full queue loses them there, although its program counts them as sent", () => {
  const hosts = [host("client", { queued: 900, sent: 50 }), host("server")];
  expect(lossPlacesOf(egress, { ...facts, hosts, measurement: lost(1000) })).toEqual([
    { place: "sender", packets: 950, percent: 0.19 },
    { place: "path", packets: 50, percent: 0.01 },
  ]);
});

it("datagrams that a queue accepted and dropped later count once, for the sender", () => {
  const hosts = [host("client", { queued: 300, queueDrops: 900 }), host("server")];
  expect(lossPlacesOf(egress, { ...facts, hosts, measurement: lost(1000) })).toMatchObject([
    { place: "sender", packets: 900 },
    { place: "path", packets: 100 },
  ]);
});

it("a full socket is not blamed for losses that it cannot have caused", () => {
  // A lab's run: 421,621 sent, 421,099 arrived, 161,879 of them found no room; without warm-up 90,719 of 249,480 were lost.
  const hosts = [
    counted("client", { sentDatagrams: 421_621 }),
    counted("server", { arrivedDatagrams: 421_099, receiveBufferErrors: 161_879 }),
  ];
  const warmed = { ...egress, omitSeconds: 2 };
  const places = lossPlacesOf(warmed, { ...facts, hosts, measurement: lost(90_719, 249_480) });
  // The socket's other drops may be the warm-up's, whose other losses may be the test's.
  expect(places).toMatchObject([{ place: "receiver-socket", packets: 161_879 - (162_401 - 90_719) }]);
});

it("losses in a warm-up give the test's losses no place", () => {
  // A lab's run: the server's firewall dropped 200 in the warm-up alone, and the path 250 after it.
  const client = counted("client", { sentDatagrams: 4001 });
  const server = counted("server", { arrivedDatagrams: 3551, filteredDatagrams: 200 });
  const udp = { tool: "iperf3", protocol: "udp", bitrate: "4M", durationSeconds: 6 };
  const places = (omitSeconds: number) =>
    lossPlacesOf(parsePlan({ cases: [{ ...udp, omitSeconds }] }).cases[0]!, {
      ...facts,
      hosts: [client, server],
      measurement: lost(250, 2999),
    })?.map(({ place, packets }) => [place, packets]);
  expect(places(2)).toEqual([["path", 50]]);
  expect(places(0)).toEqual([
    ["receiver-host", 200],
    ["path", 50],
  ]);
});

it("an echo's loss does not count for the path because of datagrams that the server may have sent to itself", () => {
  // Counted: 1,000 sent, 100 dropped by the NAT; the others' 900 echoes all seem to be the server's own, beside TCP on loopback.
  const hosts = [
    counted("client", { sentDatagrams: 1000, arrivedDatagrams: 900 }),
    counted("server", { sentDatagrams: 0, arrivedDatagrams: 0 }),
  ];
  const natDrops = { receivedPackets: 1900, sentPackets: 1800, lostPercent: 5 };
  const [irttCase] = parsePlan({ cases: [{ tool: "irtt", durationSeconds: 10 }] }).cases as [IrttCase];
  const found = lossPlacesOf(irttCase, { ...facts, hosts, natDrops, measurement: lost(100, 1000) });
  expect(found).toEqual([{ place: "nat", packets: 100, percent: 10 }]);
});

it("a NAT instance that kept a packet of its own lost none of the test's", () => {
  const hosts = [
    counted("client", { sentDatagrams: 2500, arrivedDatagrams: 0 }),
    counted("server", { sentDatagrams: 0, arrivedDatagrams: 1000 }),
  ];
  const natDrops = { receivedPackets: 2501, sentPackets: 2500, lostPercent: 0.04 };
  const found = lossPlacesOf(egress, { ...facts, hosts, natDrops, measurement: lost(1500, 2500) });
  expect(found?.map(({ place }) => place)).not.toContain("nat");
});

describe("datagrams that no counter places", () => {
  it.each(["irtt", "sockperf"] as const)("do not count for the path under a load: %s", (tool) => {
    // The load lost 1,000 in the server's socket. 900 echoes were taken for the server's own, so 900 more seem lost.
    const load = { protocol: "udp", direction: "egress", streams: 1, bitsPerSecond: 1e8 } as const;
    const entry = { tool, ...(tool === "sockperf" && { protocol: "udp" }), durationSeconds: 2 };
    const [probe] = parsePlan({ cases: [entry] }).cases as [IrttCase];
    const hosts = [
      counted("client", { sentDatagrams: 10_900 }),
      counted("server", { receiveBufferErrors: 1000, arrivedDatagrams: 10_000 }),
    ];
    const found = lossPlacesOf({ ...probe, load }, { ...facts, hosts, measurement: lost(1000, 10_000) });
    expect(found).toEqual([{ place: "receiver-socket", packets: 1000, percent: 10 }]);
  });

  it("do not count for the path if the client sent others elsewhere", () => {
    const hosts = [
      counted("client", { sentDatagrams: 13_000 }),
      counted("server", { receiveBufferErrors: 1200, arrivedDatagrams: 12_000 }),
    ];
    const warmed = { ...egress, omitSeconds: 2 };
    // Nor do they count for the socket: 1,200 and more may have been lost in the warm-up.
    expect(lossPlacesOf(warmed, { ...facts, hosts, measurement: lost(1000, 10_000) })).toEqual([]);
  });

  it("do not count for the path if all arrived by the kernels' counts, except those that a socket dropped", () => {
    const hosts = [
      counted("client", { sentDatagrams: 10_000 }),
      counted("server", { receiveBufferErrors: 30, arrivedDatagrams: 10_000 }),
    ];
    expect(lossPlacesOf(egress, { ...facts, hosts, measurement: lost(100, 10_000) })).toMatchObject([
      { place: "receiver-socket", packets: 30 },
    ]);
  });

  it("count for the receiver if its firewall dropped them", () => {
    const hosts = [
      counted("client", { sentDatagrams: 10_000 }),
      counted("server", { arrivedDatagrams: 9600, filteredDatagrams: 300 }),
    ];
    expect(lossPlacesOf(egress, { ...facts, hosts, measurement: lost(400, 10_000) })).toMatchObject([
      { place: "receiver-host", packets: 300 },
      { place: "path", packets: 100 },
    ]);
  });

  it("do not count for the path if fragmented, since a NAT instance drops several fragments of each", () => {
    // A lab's run: the NAT instance dropped 69 of 2,900 bytes, and the server's firewall 131, which it cannot count.
    const hosts = [
      counted("client", { sentDatagrams: 1380, ofTestPorts: true, filteredDatagrams: 0 }),
      counted("server", { arrivedDatagrams: 1180, ofTestPorts: true }),
      host("nat"),
    ];
    const natDrops = { receivedPackets: 2815, sentPackets: 2678, lostPercent: 4.9 };
    const large = { ...egress, datagramBytes: 2900 };
    const places = lossPlacesOf(large, { ...facts, hosts, natDrops, measurement: lost(200, 1379) });
    expect(places).toMatchObject([{ place: "nat", packets: 69 }]);
  });

  it("are unknown if a NAT instance, the sender or its queue was not counted throughout", () => {
    const hosts = [host("client"), host("server", { socket: 10 }), host("nat")];
    const sender = [host("client", { socket: null }), host("server", { socket: 10 })];
    // A host whose queues are not counted.
    const noQueue = [host("client"), host("server", { socket: 10 })].map((one) => ({
      ...one,
      network: { ...one.network!, queueDrops: null },
    }));
    const again = (role: Role) =>
      [host("client"), host("server", { socket: 10 })].map((one) => ({
        ...one,
        network: {
          ...one.network!,
          interfaces: one.network!.interfaces.map((port) => ({
            ...port,
            ...(one.role === role && { restarted: true as const }),
          })),
        },
      }));
    for (const own of [hosts, sender, noQueue, again("client"), again("server")]) {
      expect(lossPlacesOf(egress, { ...facts, hosts: own, measurement: lost(100) })).toEqual([
        { place: "receiver-socket", packets: 10, percent: 0.002 },
      ]);
    }
  });
});

describe("a receiver that reads too slowly", () => {
  it("is named instead of the path: on loopback iperf3 and the kernel counted the same 98,841", () => {
    const hosts = [host("client"), host("server", { socket: 98_841 })];
    const measurement = lost(98_841);
    const lossPlaces = lossPlacesOf(egress, { ...facts, hosts, measurement });
    expect(lossPlaces).toEqual([{ place: "receiver-socket", packets: 98_841, percent: 19.7682 }]);
    for (const sharedCpus of [false, true]) {
      const limits = limitsOf({
        ...{ hosts, measurement, natDrops: null, lossPlaces, toolCpu: null, flows: 1, cpus: new Map() },
        sharedCpus,
      });
      expect(limits?.map(({ role, kind }) => [role, kind])).toEqual([["server", "receiveBufferPercent"]]);
      expect(describeLimits({ limits, hosts })).toEqual([
        "19.8 % of the datagrams reached the server and found its tool's socket full",
      ]);
    }
  });

  it("is the client if the server sends", () => {
    const hosts = [host("client", { socket: 100 }), host("server", { socket: 7 })];
    const ingress = { ...egress, direction: "ingress" as const };
    expect(lossPlacesOf(ingress, { ...facts, hosts, measurement: lost(100) })).toMatchObject([
      { place: "receiver-socket", packets: 100 },
    ]);
  });
});

describe("what is lost", () => {
  it("is divided by place, and the path has what no host counted", () => {
    const hosts = [
      host("client", { sent: 10 }),
      host("server", { socket: 20, received: 30, softnet: 5 }),
      host("nat"),
    ];
    const natDrops = { receivedPackets: 1000, sentPackets: 960, lostPercent: 4 };
    const places = lossPlacesOf(egress, { ...facts, hosts, natDrops, measurement: lost(200) });
    expect(places?.map(({ place, packets }) => [place, packets])).toEqual([
      ["receiver-socket", 20],
      ["receiver-host", 35],
      ["nat", 40],
      ["sender", 10],
      ["path", 95],
    ]);
  });

  it("is never more than was lost, nor less", () => {
    const count = fc.nat(1000);
    fc.assert(
      fc.property(count, count, count, count, count, (all, socket, received, sent, softnet) => {
        const hosts = [host("client", { sent }), host("server", { socket, received, softnet })];
        const places = lossPlacesOf(egress, { ...facts, hosts, measurement: lost(all) });
        expect((places ?? []).reduce((sum, { packets }) => sum + packets, 0)).toBe(all);
      }),
    );
  });

  it("has no place if the receiver counted nothing, nothing was lost, or the loss is unknown", () => {
    const hosts = [host("client"), host("server", { socket: null })];
    expect(lossPlacesOf(egress, { ...facts, hosts, measurement: lost(5) })).toBeNull();
    const counted = [host("client"), host("server")];
    expect(lossPlacesOf(egress, { ...facts, hosts: counted, measurement: lost(0) })).toBeNull();
    expect(lossPlacesOf(egress, { ...facts, hosts: counted, measurement: nothingMeasured })).toBeNull();
  });

  it("never counts for a CPU's queue in the lab, where all hosts share the queues", () => {
    const hosts = [host("client"), host("server", { softnet: 50 })];
    const places = lossPlacesOf(egress, { ...facts, sharedCpus: true, hosts, measurement: lost(50) });
    expect(places).toMatchObject([{ place: "path", packets: 50 }]);
  });
});

it("has a note on a receiver that cannot distinguish the test's datagrams from others'", () => {
  const seen = (
    role: Role,
    ofTestPorts: boolean,
    arrivedDatagrams: number,
    lostPackets: number | null = 0,
  ) => {
    const one = host(role);
    const udp = { receiveBufferErrors: 0, sendBufferErrors: 0, sentDatagrams: 1000 - arrivedDatagrams };
    const usage = { ...one, network: { ...one.network, udp: { ...udp, arrivedDatagrams, ofTestPorts } } };
    return { hosts: [usage], measurement: { ...nothingMeasured, lostPackets } } as unknown as CaseResult;
  };
  expect(lossNotes([seen("server", false, 990), seen("server", false, 990)])).toEqual([
    expect.stringMatching(/^a-server: without root/),
  ]);
  // The sender, a host that can distinguish them, and a case without loss.
  expect(
    lossNotes([seen("client", false, 10), seen("server", true, 990), seen("server", false, 990, null)]),
  ).toEqual([]);
});

it.each([
  ["most are others' datagrams", { queueDrops: 5751, sentPackets: 2935 }, [2500, 141], []],
  ["some are others' datagrams", { queueDrops: 3000, sentPackets: 8000 }, [10_000, 2500], [2000]],
  ["a control connection sends a few", { queueDrops: 1000, sentPackets: 9040 }, [10_000, 1000], [1000]],
] as const)(
  "a queue of the sender lost of the test what others cannot have lost: %s",
  (_, counts, own, places) => {
    const hosts = [host("client", counts), host("server")];
    const found = lossPlacesOf(egress, { ...facts, hosts, measurement: lost(own[1], own[0]) });
    // Datagrams in the queue that may be the test's or others' do not count for the path either.
    expect(found).toMatchObject(places.map((packets) => ({ place: "sender", packets })));
  },
);

it("fragmented datagrams do not count as other programs' packets", () => {
  const hosts = [host("client", { queueDrops: 600, sentPackets: 5400 }), host("server")];
  const large = { ...egress, datagramBytes: 8000 };
  const found = lossPlacesOf(large, { ...facts, hosts, measurement: lost(100, 1000) });
  expect(found).toMatchObject([{ place: "sender", packets: 100 }]);
});

it.each([
  [2000, []],
  [1900, [100]],
])(
  "datagrams that came to the receiver's interface were not lost on the path: %d of 2,000",
  (receivedPackets, path) => {
    // As its rules of a device dropped 100, which no counter of its sockets has; 23 packets are the control connection's.
    const sent = host("client", { sentPackets: 2023 });
    const hosts = [sent, host("server", { receivedPackets: receivedPackets + 23 })];
    const found = lossPlacesOf(egress, { ...facts, hosts, measurement: lost(100, 2000) });
    expect(found).toMatchObject(path.map((packets) => ({ place: "path", packets })));
  },
);
