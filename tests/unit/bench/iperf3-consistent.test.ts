/** Figures of iperf3 that must agree with each other, even if the document's do not: loss above all. */
import { describe, expect, it } from "vitest";
import { fixture, iperf3Case } from "./fixture.ts";
import { edited, parse, udpCase } from "./iperf3-case.ts";

describe("figures that contradict each other", () => {
  const recorded = JSON.parse(fixture("iperf3/3.12-udp.json")).end;
  const missing = (share: number, lost = 0, lostBetweenHosts: number | null = null) =>
    parse(
      edited("iperf3/3.12-udp.json", ({ end }) => {
        end.sum_received.bytes = Math.round(recorded.sum_sent.packets * (1 - share)) * 1400;
        end.sum_received.lost_packets = lost;
        end.sum_received.lost_percent = 0;
      }),
      udpCase,
      { lostBetweenHosts },
    ).measurement;

  it("leave the loss unknown, not 0: some datagrams neither arrived nor were counted", () => {
    expect(missing(0)).toMatchObject({ lostPackets: 0, lostPercent: 0 });
    expect(missing(0.009)).toMatchObject({ lostPackets: null, lostPercent: null });
    expect(missing(0.1, 3)).toMatchObject({ lostPackets: null, lostPercent: null });
    // Even a single unaccounted datagram rules out a loss of 0.
    expect(missing(1 / recorded.sum_sent.packets)).toMatchObject({ lostPackets: null, lostPercent: null });
  });

  it("limit the loss to the missing datagrams: a lagging receiver counts the warm-up's losses too", () => {
    const { packets } = recorded.sum_sent;
    const { lostPackets, lostPercent } = missing(0.98, Math.round(packets * 1.011));
    expect((lostPackets ?? 0) / packets).toBeCloseTo(0.98, 3);
    expect(lostPercent).toBeCloseTo(98, 1);
  });

  it("are settled by the hosts' kernel counts: in flight at the end, or lost", () => {
    const { packets } = recorded.sum_sent;
    const gone = Math.round(packets * 0.1);
    expect(missing(0.1, 0, 0)).toMatchObject({ lostPackets: 0, lostPercent: 0 });
    expect(missing(0.1, 3, 0)).toMatchObject({ lostPackets: 3, lostPercent: (100 * 3) / packets });
    expect(missing(0.1, 3, 20)).toMatchObject({ lostPackets: 20 });
    expect(Math.abs((missing(0.1, 0, 1e9).lostPackets ?? 0) - gone)).toBeLessThanOrEqual(1);
  });

  it("use the receiver's count if the warm-up's late datagrams hide missing ones", () => {
    const { packets } = recorded.sum_sent;
    // By iperf3 1,443 and by the queue 1,445 of 10,000 were lost; 9.6 % are missing.
    const lost = Math.round(packets * 0.1443);
    const byQueue = Math.round(packets * 0.1445);
    for (const counted of [byQueue, null]) {
      const found = missing(0.096, lost, counted);
      expect(found).toMatchObject({ lostPackets: lost, toolLostPackets: lost });
      expect(found.lostPercent).toBeCloseTo(14.43, 1);
    }
    expect(missing(0.096, lost, Math.round(packets * 0.12)).lostPackets).toBe(Math.round(packets * 0.12));
  });

  it("use the receiver's count also with more bytes at a lower rate", () => {
    const longer = edited("iperf3/3.12-tcp-omit.json", ({ end }) => {
      end.sum_received.bytes = end.sum_sent.bytes * 1.2;
      end.sum_received.seconds = end.sum_sent.seconds * 1.3;
      end.sum_received.bits_per_second = (end.sum_sent.bits_per_second * 1.2) / 1.3;
    });
    const { sum_received } = JSON.parse(longer).end;
    expect(parse(longer, iperf3Case).measurement).toMatchObject({
      bitsPerSecond: sum_received.bits_per_second,
      durationSeconds: sum_received.seconds,
      countedBy: "receiver",
    });
  });

  it("agree with the receiver's kernel, in ten real tests with a warm-up on shaped links", () => {
    type Recorded = {
      kernelBitsPerSecond: number;
      document: { end: { streams: unknown[]; sum_sent: { bits_per_second: number } } };
    };
    const lines = fixture("iperf3/3.12-omit-beside-kernel.jsonl").trim().split("\n");
    const recorded = lines.map((line) => JSON.parse(line) as Recorded);
    expect(recorded).toHaveLength(10);
    const errors = recorded.map(({ kernelBitsPerSecond, document }) => {
      const { streams, sum_sent } = document.end;
      const benchCase = { ...iperf3Case, streams: streams.length, durationSeconds: 2, omitSeconds: 1 };
      const { bitsPerSecond } = parse(JSON.stringify(document), benchCase).measurement;
      return {
        published: Math.abs(bitsPerSecond! / kernelBitsPerSecond - 1),
        sender: sum_sent.bits_per_second / kernelBitsPerSecond - 1,
      };
    });
    // The counters were read every few milliseconds, by a busy machine up to 0.13 s late: 3 % of two seconds' rate.
    expect(Math.max(...errors.map(({ published }) => published))).toBeLessThan(0.03);
    expect(errors.filter(({ sender }) => sender > 0.04)).toHaveLength(4);
  });

  it("use the sender's if iperf3's receiver counted a part of the warm-up", () => {
    const overshot = edited("iperf3/3.12-tcp-omit.json", ({ end }) => {
      end.sum_received.bytes = end.sum_sent.bytes * 1.2;
      end.sum_received.bits_per_second = end.sum_sent.bits_per_second * 1.2;
    });
    const { sum_sent } = JSON.parse(overshot).end;
    expect(parse(overshot, iperf3Case).measurement).toMatchObject({
      bitsPerSecond: sum_sent.bits_per_second,
      bytes: sum_sent.bytes,
      countedBy: "sender",
    });
  });

  it("of UDP never exceed the sent datagrams minus the lost ones", () => {
    const over = edited("iperf3/3.12-udp.json", ({ end }) => {
      end.sum_received.bytes = end.sum_sent.bytes * 1.2;
      end.sum_received.bits_per_second = end.sum_sent.bits_per_second * 1.2;
      end.sum_received.lost_packets = end.sum_sent.packets / 2;
      end.sum_received.lost_percent = 12;
    });
    const { measurement } = parse(over, { ...udpCase, datagramBytes: null });
    const { bitsPerSecond, sentBitsPerSecond, packets, lostPackets, lostPercent, countedBy } = measurement;
    expect(lostPercent).toBeCloseTo((100 * lostPackets!) / packets!, 9);
    expect(bitsPerSecond! / sentBitsPerSecond!).toBeCloseTo(1 - lostPercent! / 100, 6);
    expect(countedBy).toBe("sender");
  });
});

describe("the series", () => {
  // Recorded with 3.12: 4 Mbit/s, a warm-up of 2 s whose last interval ended together with the first one after it.
  const border = {
    ...{ start: 1.002, end: 1, seconds: 2.002, bytes: 501_000, bits_per_second: 2_002_384 },
    ...{ packets: 501, omitted: false },
  };
  const { start: _, bytes: __, omitted: ___, ...reduced } = { ...border, seconds: 2 };

  it.each([
    ["whole", border],
    ["reduced", reduced],
  ])("of a %s document has the first second behind a warm-up at its own rate", (_, first) => {
    const text = edited("iperf3/3.12-udp.json", (document) => {
      document.intervals[0].sum = first;
    });
    const { series } = parse(text, { ...udpCase, datagramBytes: null, omitSeconds: 2 }).measurement;
    expect(series[0]).toMatchObject({ startSeconds: 0, endSeconds: 1 });
    expect(series[0]?.bitsPerSecond).toBeCloseTo(4.008e6, -4);
  });
});

describe("figures of several streams", () => {
  it("of UDP are unknown per stream if one died unnoticed: its receiver saw no gap", () => {
    // Recorded: four streams, one of which was dropped after 1.1 s of the test. iperf3 reports no loss for any.
    const line = fixture("iperf3/3.12-udp-omit-beside-truth.jsonl")
      .split("\n")
      .find((one) => one.includes('"name":"dead"'));
    const { document, kernelsLost } = JSON.parse(line ?? "");
    const benchCase = { ...udpCase, streams: 4, omitSeconds: 2 };
    const { measurement } = parse(JSON.stringify(document), benchCase, { lostBetweenHosts: kernelsLost });
    expect(measurement).toMatchObject({ lostPackets: 1673, packets: 8636, bytes: 6963 * 1448 });
    const [stream] = measurement.streams;
    expect(measurement.streams).toHaveLength(4);
    expect(stream).toMatchObject({ bitsPerSecond: null, bytes: null, lostPackets: null, packets: 2159 });
  });

  it("of TCP are the sender's if the receiver's sum lacks a stream", () => {
    const lacking = edited("iperf3/3.12-tcp-parallel-4.json", ({ end }) => {
      end.sum_received.bytes -= end.streams[2].receiver.bytes;
      end.sum_received.bits_per_second -= end.streams[2].receiver.bits_per_second;
      delete end.streams[2].receiver;
    });
    const { sum_sent } = JSON.parse(lacking).end;
    expect(parse(lacking, { ...iperf3Case, streams: 4 }).measurement).toMatchObject({
      bitsPerSecond: sum_sent.bits_per_second,
      bytes: sum_sent.bytes,
      countedBy: "sender",
    });
  });
});

describe("doubled datagrams, which a receiver takes off its losses", () => {
  /** Of 20,000 sent: what the server's output and the client's document say, what reached the server's kernel, and what it read. */
  const figuresOf = (lost: number, arrived: number, disordered: number, read = arrived) => {
    const reached = 20_000 - (arrived - read);
    const text = edited("iperf3/3.12-udp.json", (document) => {
      document.start.test_start.blksize = 1000;
      Object.assign(document.end.sum_sent, { packets: 20_000, bytes: 2e7 });
      Object.assign(document.end.streams[0].udp, { packets: 20_000, lost_packets: lost });
      Object.assign(document.end.sum_received, {
        ...{ packets: reached, bytes: 1000 * read, lost_packets: lost },
        bits_per_second: (document.end.sum_sent.bits_per_second * read) / 20_000,
      });
      document.server_output_text = `[SUM]  0.0- 2.0 sec  ${disordered} datagrams received out-of-order
[  5]   0.00-2.02   sec  1.88 MBytes  7.80 Mbits/sec  0.047 ms  ${lost}/${reached} (1.2%)  receiver`;
    });
    const how = { lostBetweenHosts: Math.max(0, 20_000 - arrived), arrivedDatagrams: arrived + 1 };
    const found = parse(text, udpCase, { ...how, testDatagrams: arrived + 1 }).measurement;
    const { bytes, lostPackets, lostPercent, outOfOrderPackets, streams } = found;
    expect(lostPercent === null).toBe(lostPackets === null);
    // A path counted 290 lost of three streams, of which these said 84.
    if (lostPackets === null) expect(streams).toMatchObject([{ lostPackets: null, bytes: null }]);
    return [lostPackets, outOfOrderPackets, (bytes ?? 0) / 1000];
  };

  it.each<[string, [number, number, number, number?], number | null, number]>([
    // A path counted 112 lost and 88 doubled: iperf3 printed 24.
    ["hide losses", [24, 19_976, 88], null, 19_976],
    ["hide losses where more arrived than was sent", [3, 20_085, 88], null, 20_085],
    ["hide none where all that were out of order came twice", [0, 20_088, 88], 0, 20_000],
    ["are late ones where all arrived", [0, 20_000, 88], 0, 20_000],
    ["are too few to matter", [24, 19_976, 1], 24, 19_976],
    ["are none", [24, 19_976, 0], 24, 19_976],
    ["are none, and the server ended before it had read the last ten", [24, 19_976, 0, 19_966], 24, 19_976],
    ["hide losses, and the server ended so", [24, 19_976, 88, 19_966], null, 19_976],
  ])("%s", (_, counted, lost, arrived) => {
    expect(figuresOf(...counted)).toEqual([lost, counted[2], arrived]);
  });
});

it("bytes of a receiver's time do not hold what a sender sent until it heard of the test's end", () => {
  // Recorded behind a path that lost the client's last messages for 1.6 s.
  const text = edited("iperf3/3.12-udp-reverse.json", ({ end }) => {
    Object.assign(end.sum_sent, { packets: 71_412, bytes: 71_412 * 1400, seconds: 4 });
    Object.assign(end.sum_received, { lost_packets: 0, packets: 53_548 });
  });
  const { bytes, durationSeconds, lostPackets } = parse(
    text,
    { ...udpCase, direction: "ingress" },
    { lostBetweenHosts: 0 },
  ).measurement;
  expect([bytes, lostPackets]).toEqual([74_967_200, 0]);
  expect(durationSeconds).toBeCloseTo(3, 2);
});

it("a server that sends and does not say how many: its bytes tell, and the receiver's numbers how many arrived", () => {
  const text = edited("iperf3/3.12-udp-reverse.json", ({ end }) => {
    // 3.16, behind a path that doubled datagrams: more arrived than was sent. 15 were on their way when the client ended.
    end.sum_sent.packets = 0;
    end.sum_received.packets -= 15;
    end.sum_received.bytes = 64_271 * 1400;
    end.sum_received.bits_per_second = end.sum_sent.bits_per_second * 1.2;
  });
  const { packets, bytes, packetsPerSecond } = parse(text, { ...udpCase, direction: "ingress" }).measurement;
  expect([packets, bytes]).toEqual([53_559, (53_559 - 11) * 1400]);
  expect(packetsPerSecond).toBeCloseTo(53_548 / 3.000_168, 3);
});

describe("a 3.9 client behind doubled datagrams, whose document has only the sender's count", () => {
  const sent = JSON.parse(fixture("iperf3/3.12-udp.json")).end.sum_sent;
  const figuresOf = (lost: number, how: object) => {
    const text = edited("iperf3/3.12-udp.json", (document) => {
      document.end.sum = { ...sent, lost_packets: lost };
      delete document.end.sum_sent;
      delete document.end.sum_received;
      document.server_output_text = `[SUM]  0.0- 2.0 sec  500 datagrams received out-of-order
[  5]   0.00-${sent.seconds.toFixed(2)}   sec  1.88 MBytes  7.80 Mbits/sec  0.047 ms  ${lost}/${sent.packets} (2%)  receiver`;
    });
    const { bytes, bitsPerSecond, lostPackets } = parse(text, udpCase, how).measurement;
    return { bytes, bitsPerSecond, lostPackets };
  };

  it("has the kernels' count of what arrived", () => {
    const arrived = sent.packets - 400;
    const found = figuresOf(300, { lostBetweenHosts: 400, arrivedDatagrams: arrived + 1 });
    expect(found).toMatchObject({ bytes: arrived * 1400, lostPackets: null });
    expect(found.bitsPerSecond).toBeCloseTo((arrived / sent.packets) * sent.bits_per_second);
  });

  // A path counted 44 lost: those that came twice had hidden all of them.
  it.each([0, 300])(
    "knows neither loss nor throughput without it, where the server printed %i lost",
    (lost) => {
      expect(figuresOf(lost, {})).toEqual({ bytes: null, bitsPerSecond: null, lostPackets: null });
    },
  );

  it("lost none where the kernels say that as many more arrived as came twice", () => {
    const how = { lostBetweenHosts: 0, arrivedDatagrams: sent.packets + 500 + 1 };
    expect(figuresOf(0, how)).toMatchObject({ bytes: sent.packets * 1400, lostPackets: 0 });
  });
});

it("loss excludes the sender's other programs: without a warm-up iperf3 reports how many it sent", () => {
  const { packets } = JSON.parse(fixture("iperf3/3.12-udp.json")).end.sum_sent;
  const lost = (omitSeconds: number) => {
    const text = edited("iperf3/3.12-udp.json", ({ end }) => {
      end.sum_received.bytes = (packets - 300) * 1400;
      end.sum_received.lost_packets = 0;
    });
    // 200 were lost and 100 on their way; the client's other programs sent 5,000.
    const counted = { lostBetweenHosts: 5200, arrivedDatagrams: packets + udpCase.streams - 200 };
    return parse(text, { ...udpCase, omitSeconds }, counted).measurement.lostPackets;
  };
  expect(lost(0)).toBe(200);
  expect(lost(1)).toBe(300);
});
