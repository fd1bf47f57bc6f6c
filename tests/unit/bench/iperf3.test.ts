import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Iperf3Case } from "../../../bench/plan.ts";
import { iperf3 } from "../../../bench/tools/iperf3.ts";
import { MAX_INTERVALS } from "../../../bench/tools/iperf3-output.ts";
import { nothingMeasured } from "../../../bench/tools/measurement.ts";
import { type ParseContext, ToolFailure } from "../../../bench/tools/tool.ts";
import { ended, fixture, iperf3Case } from "./fixture.ts";

const udpCase: Iperf3Case = { ...iperf3Case, protocol: "udp", bitsPerSecond: 1e9, datagramBytes: 64 };

// biome-ignore lint/suspicious/noExplicitAny: recordings are edited anywhere
type Json = Record<string, any>;

/** A recording, edited. */
function edited(path: string, edit: (document: Json) => void): string {
  const document = JSON.parse(fixture(path)) as Json;
  edit(document);
  return JSON.stringify(document);
}

function parse(stdout: string, benchCase: Iperf3Case, how: Partial<ParseContext<Iperf3Case>> = {}) {
  return iperf3.parse(stdout, ended(benchCase, how));
}

/** All figures but streams and series, those that are null left out. */
function figures(stdout: string, benchCase: Iperf3Case) {
  const { streams: _, series: __, ...rest } = parse(stdout, benchCase).measurement;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
}

describe("command", () => {
  it.each<[string, Partial<Iperf3Case>, string]>([
    ["TCP", {}, "-t 3 -i 1"],
    ["TCP ingress with warm-up", { direction: "ingress", omitSeconds: 1 }, "-t 3 -i 1 -O 1 -R"],
    ["parallel, paced TCP", { streams: 4, bitsPerSecond: 5e6 }, "-t 3 -i 1 -P 4 -b 5000000"],
    ["UDP", { protocol: "udp", bitsPerSecond: 1e9 }, "-t 3 -i 1 -u -b 1000000000"],
    [
      "a UDP flood of 64 bytes",
      { protocol: "udp", bitsPerSecond: 0, datagramBytes: 64 },
      "-t 3 -i 1 -u -b 0 -l 64",
    ],
    ["300 s", { durationSeconds: 300 }, "-t 300 -i 1"],
    ["longer ones, with wider intervals", { durationSeconds: 3600 }, "-t 3600 -i 12"],
  ])("%s", (_, change, expected) => {
    const command = iperf3.command({ ...iperf3Case, ...change }, "198.18.0.2");
    expect(command).toBe(`iperf3 -c 198.18.0.2 -p 5201 -J --connect-timeout 5000 ${expected}`);
  });

  it("never lets the series outgrow what the state holds", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3600 }), (durationSeconds) => {
        const command = iperf3.command({ ...iperf3Case, durationSeconds }, "198.18.0.2");
        const interval = Number(/ -i (\d+)/.exec(command)?.[1]);
        expect(durationSeconds / interval).toBeLessThanOrEqual(MAX_INTERVALS);
        expect(interval).toBeLessThanOrEqual(60); // iperf3's own limit
      }),
    );
  });
});

describe("recordings of 3.12", () => {
  it.each<[string, Partial<Iperf3Case>, object]>([
    [
      "3.12-tcp-omit",
      {},
      {
        bitsPerSecond: 19058906969.428776,
        sentBitsPerSecond: 19059298771.687138,
        bytes: 7149453418,
        durationSeconds: 3.000992,
        retransmits: 16,
        tcpRttUs: 58,
      },
    ],
    [
      "3.12-tcp-parallel-4",
      { streams: 4 },
      {
        bitsPerSecond: 23754401932.03611,
        sentBitsPerSecond: 23814735158.030586,
        bytes: 8908963734,
        durationSeconds: 3.000358,
        retransmits: 3,
        tcpRttUs: 172.75,
      },
    ],
    [
      "3.12-tcp-reverse",
      { direction: "ingress" },
      {
        bitsPerSecond: 19480903007.402508,
        sentBitsPerSecond: 19480483642.228474,
        bytes: 7305494475,
        durationSeconds: 3.000064,
        retransmits: 10,
      },
    ],
    [
      "3.12-udp",
      { protocol: "udp" },
      {
        bitsPerSecond: 199786548.27495408,
        sentBitsPerSecond: 199968467.8543775,
        bytes: 74925200,
        durationSeconds: 3.00021,
        packetsPerSecond: 74925200 / 1400 / 3.00021,
        packets: 53565,
        lostPackets: 47,
        lostPercent: 0.08774386259684495,
        outOfOrderPackets: 0,
        jitterMs: 0.029400717852557514,
      },
    ],
    [
      "3.12-udp-reverse",
      { protocol: "udp", direction: "ingress" },
      {
        bitsPerSecond: 199911667.0494428,
        sentBitsPerSecond: 199942403.22541937,
        bytes: 74967200,
        durationSeconds: 3.000013,
        packetsPerSecond: 74967200 / 1400 / 3.000013,
        packets: 53559,
        lostPackets: 11,
        lostPercent: 0.020538098172109262,
        outOfOrderPackets: 0,
        jitterMs: 0.008124058004694703,
      },
    ],
    [
      "3.12-udp-64B",
      { protocol: "udp" },
      {
        bitsPerSecond: 54043329.45344197,
        sentBitsPerSecond: 65943348.98768906,
        bytes: 20266816,
        durationSeconds: 3.000084,
        packetsPerSecond: 20266816 / 64 / 3.000084,
        packets: 386389,
        lostPackets: 69720,
        lostPercent: 18.043991935588227,
        outOfOrderPackets: 0,
        jitterMs: 0.0067682333188298525,
      },
    ],
    [
      "3.12-udp-parallel-3",
      { protocol: "udp", streams: 3 },
      {
        bitsPerSecond: 149913086.42913458,
        sentBitsPerSecond: 149922905.0882642,
        bytes: 37483200,
        durationSeconds: 2.000263,
        packetsPerSecond: 37483200 / 200 / 2.000263,
        packets: 187416,
        lostPackets: 0,
        lostPercent: 0,
        outOfOrderPackets: 0,
        jitterMs: 0.015276101070983896,
      },
    ],
  ])("%s", (name, change, expected) => {
    const stdout = fixture(`iperf3/${name}.json`);
    expect(figures(stdout, { ...iperf3Case, ...change })).toEqual(expected);
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

  it("has TCP streams by the receiver, and a series without the warm-up", () => {
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

  it("3.16: CPU above 100 % is legal", () => {
    expect(figures(fixture("iperf3/hand-made/3.16-tcp.json"), iperf3Case)).toMatchObject({ retransmits: 16 });
  });

  it("before 3.21: a loss of 0 is not believed where datagrams are missing", () => {
    const measured = figures(fixture("iperf3/hand-made/3.20-udp-false-zero-loss.json"), udpCase);
    expect(measured).toMatchObject({ bitsPerSecond: 54043329.45344197, packets: 386389 });
    expect(measured).not.toHaveProperty("lostPackets");
    expect(measured).not.toHaveProperty("lostPercent");
  });

  it.each([-1, 2 ** 64 - 1, null, undefined])("retransmits %s are unknown", (retransmits) => {
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

  it("noise around the document is put aside", () => {
    const ingress: Iperf3Case = { ...iperf3Case, direction: "ingress" };
    const noisy = parse(fixture("iperf3/hand-made/noise.json.txt"), ingress);
    expect(noisy).toEqual(parse(fixture("iperf3/3.12-tcp-reverse.json"), ingress));
  });

  it("exit status 1 is no failure by itself", () => {
    const stdout = fixture("iperf3/3.12-tcp-omit.json");
    expect(parse(stdout, iperf3Case, { exitCode: 1 })).toEqual(parse(stdout, iperf3Case));
  });
});

describe("failures", () => {
  const stderrOf = (name: string) => ({ exitCode: 1, stderr: fixture(`iperf3/hand-made/${name}.stderr`) });
  const connectError = (reason: string) =>
    edited("iperf3/3.12-no-server.json", (document) => {
      document.error = `unable to connect to server: ${reason}`;
    });
  it.each<[string, string, Partial<ParseContext<Iperf3Case>>, string, string]>([
    ["no server", fixture("iperf3/3.12-no-server.json"), {}, "tool-error", "Connection refused"],
    [
      "no server, 3.9",
      fixture("iperf3/hand-made/3.9-no-server.json"),
      stderrOf("3.9-no-server"),
      "tool-error",
      "unable to connect to server: Connection refused",
    ],
    ["no route", connectError("No route to host"), {}, "no-route", "No route to host"],
    ["no network", connectError("Network is unreachable"), {}, "no-route", "Network is unreachable"],
    ["no answer", connectError("Connection timed out"), {}, "no-route", "timed out"],
    ["a busy server", fixture("iperf3/3.12-server-busy.json"), {}, "server-busy", "the server is busy"],
    [
      "a killed server",
      fixture("iperf3/3.12-server-killed.json"),
      {},
      "tool-error",
      "control socket has closed unexpectedly",
    ],
    [
      "a terminated server",
      fixture("iperf3/3.12-server-terminated.json"),
      {},
      "tool-error",
      "the server has terminated",
    ],
    [
      "a terminated client",
      fixture("iperf3/3.12-client-sigterm.json"),
      { exitCode: 1 },
      "tool-error",
      "interrupt",
    ],
    [
      "a terminated client, 3.19",
      fixture("iperf3/hand-made/3.19-client-sigterm.json"),
      {},
      "tool-error",
      "interrupt",
    ],
    [
      "a time-out",
      fixture("iperf3/3.12-client-sigterm.json"),
      { timedOut: true, exitCode: null },
      "timeout",
      "still running at its time-out",
    ],
    [
      "no iperf3",
      "",
      { exitCode: 127, stderr: "sh: 1: iperf3: not found\n" },
      "tool-missing",
      "iperf3: not found",
    ],
    ["a crash", "", { exitCode: 139, stderr: "Segmentation fault\n" }, "tool-error", "Segmentation fault"],
    [
      "a crash without a word",
      "",
      { exitCode: 139 },
      "bad-output",
      "status 139 and without end figures; its output: nothing",
    ],
    ["garbage", "\u001b[31mgarbage", {}, "bad-output", 'its output: "garbage"'],
    [
      "half a document",
      fixture("iperf3/3.12-tcp-omit.json").slice(0, 2000),
      {},
      "bad-output",
      "without end figures",
    ],
    [
      "a parameter error",
      "",
      {
        exitCode: 1,
        stderr: "iperf3: parameter error - bogus value for --omit\nUsage: iperf3 [-s|-c host]\n",
      },
      "tool-error",
      "parameter error - bogus value for --omit",
    ],
    ["an empty document", "{}", {}, "bad-output", "without end figures"],
    [
      "an empty list of streams",
      edited("iperf3/3.12-tcp-omit.json", ({ end }) => end.streams.splice(0)),
      {},
      "bad-output",
      "without end figures",
    ],
    [
      "a text for a number",
      edited("iperf3/3.12-tcp-omit.json", ({ end }) => {
        end.sum_received.bytes = "many";
      }),
      {},
      "bad-output",
      "not as expected at end.sum_received.bytes",
    ],
    [
      "both directions at once",
      fixture("iperf3/3.12-bidir.json"),
      {},
      "bad-output",
      "number of streams 2; expected 1",
    ],
    [
      "both directions at once, 3.9",
      fixture("iperf3/hand-made/3.9-bidir.json"),
      {},
      "bad-output",
      "number of streams 2; expected 1",
    ],
    [
      "the other direction",
      fixture("iperf3/3.12-tcp-reverse.json"),
      {},
      "bad-output",
      "direction ingress; expected egress",
    ],
    ["the other protocol", fixture("iperf3/3.12-udp.json"), {}, "bad-output", "protocol udp; expected tcp"],
    [
      "no datagram arrived",
      fixture("iperf3/hand-made/3.12-udp-nothing-arrived.json"),
      { case: udpCase },
      "no-route",
      "no datagram arrived, of 53565 sent",
    ],
  ])("%s", (_, stdout, how, failureClass, message) => {
    const failing = () => parse(stdout, how.case ?? iperf3Case, how);
    expect(failing).toThrow(ToolFailure);
    expect(failing).toThrow(
      expect.objectContaining({ failureClass, message: expect.stringContaining(message) }),
    );
  });

  it("throws nothing but a ToolFailure, whatever it is given", () => {
    const names = ["3.12-tcp-omit", "3.12-udp", "3.12-no-server", "3.12-bidir", "hand-made/3.9-udp"];
    const texts = names.map((name) => fixture(`iperf3/${name}.json`));
    const value = fc.oneof(fc.constantFrom(null, -1, 0, 2 ** 64, "x", [], {}), fc.jsonValue({ maxDepth: 1 }));
    const damaged = fc
      .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat(), fc.string({ unit: "binary" }))
      .map(([text, at, length, patch]) => {
        const from = at % text.length;
        return text.slice(0, from) + patch + text.slice(from + (length % 40));
      });
    const replaced = fc.tuple(fc.constantFrom(...texts), fc.nat(), value).map(([text, at, replacement]) => {
      let seen = 0;
      const places = text.match(/"\w+":/g)?.length ?? 1;
      return JSON.stringify(JSON.parse(text, (_, old) => (seen++ === at % places ? replacement : old)));
    });
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.json({ maxDepth: 2 }), damaged, replaced),
        fc.constantFrom(iperf3Case, udpCase),
        fc.record({ exitCode: fc.option(fc.nat(255)), timedOut: fc.boolean(), stderr: fc.string() }),
        (stdout, benchCase, how) => {
          try {
            parse(stdout, benchCase, how);
          } catch (error) {
            expect(error).toBeInstanceOf(ToolFailure);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("nothingMeasured", () => {
  it("is null throughout, never 0", () => {
    const { streams, series, ...rest } = nothingMeasured;
    expect([...streams, ...series, ...Object.values(rest)].every((value) => value === null)).toBe(true);
  });
});
