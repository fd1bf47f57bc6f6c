import { describe, expect, it } from "vitest";
import { iperf3, iperf3Cpu } from "../../../bench/tools/iperf3/index.ts";
import type { Iperf3Case } from "../../../bench/tools/iperf3/plan.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { fixture, iperf3Case } from "./fixture.ts";
import { edited, figures, parse, udpCase } from "./iperf3-case.ts";

describe("command", () => {
  it.each<[string, Partial<Iperf3Case>, string]>([
    ["TCP", {}, "-t 3 -i 1"],
    ["TCP ingress with warm-up", { direction: "ingress", omitSeconds: 1 }, "-t 3 -i 1 -O 1 -R"],
    ["parallel, paced TCP", { streams: 4, bitsPerSecond: 5e6 }, "-t 3 -i 1 -P 4 -b 5000000"],
    ["UDP", { protocol: "udp", bitsPerSecond: 1e9 }, "-t 3 -i 1 -u --get-server-output -b 1000000000"],
    [
      "a UDP flood of 64 bytes",
      { protocol: "udp", bitsPerSecond: 0, datagramBytes: 64 },
      "-t 3 -i 1 -u --get-server-output -b 0 -l 64",
    ],
    ["short pairs", { durationSeconds: 1, pairs: 2 }, "-t 1 -i 0.1"],
    ["pairs", { durationSeconds: 10, pairs: 2 }, "-t 10 -i 1"],
    ["300 s", { durationSeconds: 300 }, "-t 300 -i 1"],
    ["longer ones, with wider intervals", { durationSeconds: 301 }, "-t 301 -i 2"],
    ["an hour", { durationSeconds: 3600 }, "-t 3600 -i 12"],
  ])("%s", (_, change, expected) => {
    const command = iperf3.command({ ...iperf3Case, ...change }, "198.18.0.2");
    expect(command).toBe(`iperf3 -c 198.18.0.2 -p 5201 -J --connect-timeout 5000 ${expected}`);
  });
});

/** Figures of recordings, computed from their documents. */
const recorded: Readonly<Record<string, { readonly case: Partial<Iperf3Case>; readonly figures: object }>> =
  JSON.parse(fixture("figures/iperf3.json"));

describe("recordings of 3.12", () => {
  it.each(Object.entries(recorded))("%s", (name, { case: change, figures: expected }) => {
    const stdout = fixture(`iperf3/${name}.json`);
    expect(figures(stdout, { ...iperf3Case, ...change })).toEqual({ ...expected, countedBy: "receiver" });
    expect(parse(stdout, { ...iperf3Case, ...change }).version).toBe("3.12");
  });

  it.each(["tcp-server-output-text", "tcp-server-output-json", "udp-server-output-json"])(
    "3.12-%s: the server's output does not matter",
    (name) => {
      const stdout = edited(`iperf3/3.12-${name}.json`, () => {});
      const without = edited(`iperf3/3.12-${name}.json`, (document) => {
        delete document.server_output_json;
        delete document.server_output_text;
      });
      const benchCase = name.startsWith("udp") ? udpCase : iperf3Case;
      expect(without.length).toBeLessThan(stdout.length);
      expect(parse(stdout, benchCase)).toEqual(parse(without, benchCase));
    },
  );

  it("has the receiver's TCP streams, and a series without the warm-up", () => {
    const { streams } = parse(fixture("iperf3/3.12-tcp-parallel-4.json"), {
      ...iperf3Case,
      streams: 4,
    }).measurement;
    expect(streams).toHaveLength(4);
    expect(streams[0]).toEqual({
      bitsPerSecond: 5935979426.45511,
      bytes: 2226257920,
      retransmits: 1,
      lostPackets: null,
      packets: null,
      jitterMs: null,
    });
    const { series } = parse(fixture("iperf3/3.12-tcp-omit.json"), iperf3Case).measurement;
    expect(series).toHaveLength(3);
    expect(series[2]).toEqual({
      startSeconds: 2.00022,
      endSeconds: 3.00005,
      bitsPerSecond: 19097815444.377823,
      retransmits: 13,
      lostPackets: null,
      packets: null,
    });
  });

  it("a stream that got nothing has no jitter, and none in the mean", () => {
    const text = edited("iperf3/3.12-udp-parallel-3.json", ({ end }) => {
      end.streams[1].udp.jitter_ms = 0;
    });
    const { jitterMs, streams } = parse(text, { ...udpCase, streams: 3 }).measurement;
    const [first, none, last] = streams.map((stream) => stream.jitterMs);
    expect(none).toBeNull();
    expect(jitterMs).toBeCloseTo((first! + last!) / 2, 9);
  });

  it("streams have no rate where the sender's is not the receiver's: a path slowed down", () => {
    const text = edited("iperf3/3.12-udp-parallel-3.json", ({ end }) => {
      end.sum_received.seconds *= 1.5;
      end.sum_received.bits_per_second /= 1.5;
    });
    const { streams } = parse(text, { ...udpCase, streams: 3 }).measurement;
    expect(streams.map((stream) => stream.bitsPerSecond)).toEqual([null, null, null]);
    expect(streams.every(({ bytes }) => bytes! > 0)).toBe(true);
  });

  it("has UDP streams less what was lost", () => {
    const [stream] = parse(fixture("iperf3/3.12-udp-64B.json"), udpCase).measurement.streams;
    expect(stream).toMatchObject({ bytes: 20266816, lostPackets: 69720, packets: 386389, retransmits: null });
    expect(stream?.bitsPerSecond).toBeCloseTo((20266816 * 8) / 3.000017, 0);
  });
});

describe("other versions", () => {
  it("3.9: UDP has the sender's figures only", () => {
    const stdout = fixture("iperf3/hand-made/3.9-udp.json");
    const measured = figures(stdout, udpCase);
    expect(measured).toMatchObject({
      sentBitsPerSecond: 199968467.8543775,
      bytes: (53565 - 47) * 1400,
      packets: 53565,
      lostPackets: 47,
      lostPercent: 0.08774386259684495,
    });
    expect(measured.bitsPerSecond).toBeCloseTo(199968467.8543775 * (1 - 47 / 53565), 3);
  });

  it("3.9: datagrams that the hosts' kernels counted as lost are lost, even if iperf3 prints none", () => {
    const none = edited("iperf3/hand-made/3.9-udp.json", ({ end }) => {
      end.sum.lost_packets = 0;
      end.sum.lost_percent = 0;
    });
    const { measurement } = parse(none, udpCase, { lostBetweenHosts: 17855 });
    expect(measurement).toMatchObject({ lostPackets: 17855, toolLostPackets: 0, countedBy: "sender" });
    expect(measurement.lostPercent).toBeCloseTo((100 * 17855) / 53565, 3);
  });

  it("3.9: losses behind a warm-up are the test's or the warm-up's; without any, the figures stand", () => {
    const after = { ...udpCase, omitSeconds: 1 };
    const read = (lost: number, lostBetweenHosts: number) => {
      const text = edited("iperf3/hand-made/3.9-udp.json", ({ end }) => {
        end.sum.lost_packets = lost;
      });
      return parse(text, after, { lostBetweenHosts }).measurement.lostPackets;
    };
    expect(read(0, 0)).toBe(0);
    // Wire: 145 of the test's, 58 of the warm-up's.
    expect(() => read(145, 203)).toThrow(toolFailure("bad-output", "iperf3 up to 3.9"));
    expect(() => read(203, 203)).toThrow(toolFailure("bad-output", "iperf3 up to 3.9"));
  });

  it("3.9: losses that the receiver's kernel got are datagrams that were cut", () => {
    const read = (counted: object) => parse(fixture("iperf3/hand-made/3.9-udp.json"), udpCase, counted);
    expect(() => read({ lostBetweenHosts: 0, testDatagrams: 53_565 })).not.toThrow();
    const cut = edited("iperf3/hand-made/3.9-udp.json", ({ end }) => {
      end.sum.lost_packets = 1490;
    });
    const kernels = { lostBetweenHosts: 0, testDatagrams: 53_565 };
    expect(() => parse(cut, udpCase, kernels)).toThrow(toolFailure("bad-output", "cut on their way"));
  });

  it("3.16: CPU above 100 % is legal", () => {
    expect(figures(fixture("iperf3/hand-made/3.16-tcp.json"), iperf3Case)).toMatchObject({ retransmits: 16 });
  });

  it("before 3.21: a loss of 0 is rejected if datagrams are missing", () => {
    const measured = figures(fixture("iperf3/hand-made/3.20-udp-false-zero-loss.json"), udpCase);
    expect(measured).toMatchObject({ bitsPerSecond: 54043329.45344197, packets: 386389 });
    expect(measured).not.toHaveProperty("lostPackets");
    expect(measured).not.toHaveProperty("lostPercent");
  });

  it.each([-1, 2 ** 64 - 1, 2 ** 64 - 1616, null, undefined])("retransmits %s are unknown", (retransmits) => {
    const stdout = edited("iperf3/3.12-tcp-omit.json", ({ end, intervals }) => {
      end.sum_sent.retransmits = retransmits;
      end.streams[0].sender.retransmits = retransmits;
      intervals[1].sum.retransmits = retransmits;
    });
    const { measurement } = parse(stdout, iperf3Case);
    expect(measurement.retransmits).toBeNull();
    expect(measurement.streams[0]?.retransmits).toBeNull();
    expect(measurement.series[0]?.retransmits).toBeNull();
  });

  it("a negative loss is unknown, the rate is not", () => {
    const stdout = edited("iperf3/3.12-udp.json", ({ end }) => {
      Object.assign(end.sum_received, { lost_packets: -12, lost_percent: -0.02 });
    });
    const { measurement } = parse(stdout, udpCase);
    expect(measurement).toMatchObject({
      bitsPerSecond: 199786548.27495408,
      lostPackets: null,
      lostPercent: null,
    });
  });

  it("a mean RTT of 0 is unknown", () => {
    const stdout = edited("iperf3/3.12-tcp-omit.json", ({ end }) => {
      end.streams[0].sender.mean_rtt = 0;
    });
    expect(parse(stdout, iperf3Case).measurement.tcpRttUs).toBeNull();
  });

  it("-nan is unknown", () => {
    const { measurement } = parse(fixture("iperf3/hand-made/nan.json.txt"), udpCase);
    expect(measurement).toMatchObject({ bitsPerSecond: 199786548.27495408, lostPackets: 47, jitterMs: null });
  });

  it("text around the document is ignored", () => {
    const ingress: Iperf3Case = { ...iperf3Case, direction: "ingress" };
    const noisy = parse(fixture("iperf3/hand-made/noise.json.txt"), ingress);
    expect(noisy).toEqual(parse(fixture("iperf3/3.12-tcp-reverse.json"), ingress));
  });

  it("exit status 1 is no failure by itself", () => {
    const stdout = fixture("iperf3/3.12-tcp-omit.json");
    expect(parse(stdout, iperf3Case, { exitCode: 1 })).toEqual(parse(stdout, iperf3Case));
  });
});

describe("iperf3's own CPU", () => {
  it("is read from its document", () => {
    const { end } = JSON.parse(fixture("iperf3/3.12-tcp-parallel-4.json"));
    expect(iperf3Cpu(fixture("iperf3/3.12-tcp-parallel-4.json"), "3.12", 4)).toEqual({
      client: end.cpu_utilization_percent.host_total,
      server: end.cpu_utilization_percent.remote_total,
      threads: 1,
    });
    const partly = '{"end":{"cpu_utilization_percent":{"host_total":nan}}}';
    expect(iperf3Cpu(partly, null, 1)).toEqual({ client: null, server: null, threads: 1 });
  });

  it.each(["", "{}", '{"end":{}}', '{"end":{"cpu_utilization_percent":{"host_total":"99"}}}', "[1]"])(
    "is unknown where it says nothing: %j",
    (stdout) => {
      expect(iperf3Cpu(stdout, "3.12", 1)).toBeNull();
    },
  );

  it.each([
    ["3.12", 1],
    ["3.9", 1],
    ["3.15", 1],
    ["3.18", 8],
    ["3.20+", 8],
    ["4.0", 8],
    [null, 1],
  ])("has this number of threads: %s", (version, threads) => {
    const stdout = fixture("iperf3/3.12-tcp-parallel-4.json");
    expect(iperf3Cpu(stdout, version, 8)?.threads).toBe(threads);
  });

  it.each(["3.16", "3.17", "3.17.1"])("of %s does not count: it spins under a rate limit", (version) => {
    expect(iperf3Cpu(fixture("iperf3/3.12-tcp-parallel-4.json"), version, 8)).toBeNull();
  });
});
