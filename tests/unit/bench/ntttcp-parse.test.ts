import { describe, expect, it } from "vitest";
import { caseResult } from "../../../bench/assemble/case-result.ts";
import { parseOutput } from "../../../bench/tools/index.ts";
import { ntttcp } from "../../../bench/tools/ntttcp/index.ts";
import { ToolFailure } from "../../../bench/tools/tool.ts";
import { ended, onePair, silentReport, usageOf } from "./fixture.ts";
import { failure, parse, recorded, tcp, udp } from "./ntttcp-case.ts";

const log = recorded("1.4.3-tcp-verbose.txt");
const total = Number(/total bytes\t:(\d+)/.exec(log)?.[1]);

describe("recordings", () => {
  const retransmits = Number(/retrans segs\t:(\d+)/.exec(log)?.[1]);
  const rtt = Number(/tcpi rtt\t\t:(\d+)/.exec(log)?.[1]);

  it.each([
    ["log and XML, as the command prints them", log + recorded("1.4.3-tcp-verbose.xml"), 4, "1.4.3"],
    ["XML alone", recorded("1.4.3-tcp-verbose.xml"), 4, null],
    ["log alone", log, 0, "1.4.3"],
  ])("%s have the same figures", (_, text, streams, version) => {
    const read = parse(text);
    expect(read.version).toBe(version);
    expect(read.measurement).toMatchObject({ bytes: total, retransmits, tcpRttUs: rtt, lostPercent: null });
    const { bitsPerSecond, durationSeconds, streams: threads } = read.measurement;
    expect(durationSeconds).toBeCloseTo(3, 1);
    expect(bitsPerSecond).toBe((total * 8) / (durationSeconds as number));
    expect(threads).toHaveLength(streams);
    const sum = threads.reduce((all, thread) => all + (thread.bitsPerSecond ?? 0), 0);
    expect(sum / (bitsPerSecond as number)).toBeCloseTo(streams === 0 ? 0 : 1, 3);
  });

  it("of 1.4.0 have the published figures", () => {
    const asked = { ...tcp, streams: 1 };
    expect(parse(recorded("1.4.0-sender.xml"), asked).measurement).toMatchObject({
      bytes: 89_095_376_896,
      durationSeconds: 60.359238,
      retransmits: 5194,
      tcpRttUs: null,
      streams: [],
    });
    const { bitsPerSecond } = parse(recorded("1.4.0-sender.xml"), asked).measurement;
    expect((bitsPerSecond as number) / 1e6).toBeCloseTo(11808.681, 1);
  });

  it("of Windows, whose MB has 2^20 bytes, are read correctly", () => {
    const linux = recorded("1.4.0-sender.xml");
    const windows = linux.replace('version="5.33-linux"', 'version="5.40"');
    const asked = { ...tcp, streams: 1 };
    const read = (text: string) => parse(text, asked).measurement.bitsPerSecond as number;
    expect(read(windows) / read(linux)).toBeCloseTo(2 ** 20 / 1e6, 6);
    // An audit's case: 291 Mbit/s read as 278.
    expect((read(windows) / read(linux)) * 278).toBeCloseTo(291.5, 1);
  });

  it.each([
    ["1.4.0-mebibytes.txt", 241_958_912],
    ["1.4.0-below-one-mebibyte.txt", 921_600],
  ])("of builds whose XML has whole mebibytes have the log's exact bytes: %s", (name, bytes) => {
    const text = recorded(name);
    const asked = { ...tcp, streams: 2 };
    expect(parse(text, asked).measurement).toMatchObject({ bytes, bitsPerSecond: (bytes * 8) / 5 });
    // Without the log, nothing tells which unit the figure has.
    expect(failure(text.slice(text.indexOf("<ntttcps")), asked)).toMatchObject({
      class: "bad-output",
      message: expect.stringContaining("whole mebibytes"),
    });
  });

  it("whose log and document disagree are refused", () => {
    const text = log.replace(/(total bytes\t:)\d+/, "$1123456789") + recorded("1.4.3-tcp-verbose.xml");
    expect(failure(text)).toMatchObject({
      class: "bad-output",
      message: expect.stringContaining(`document has ${total} bytes and its log 123456789`),
    });
  });

  it("of UDP tell what was sent and not what arrived", () => {
    const { measurement } = parseOutput(recorded("1.4.3-udp.txt"), ended(udp));
    expect(measurement).toMatchObject({
      countedBy: "sender",
      bitsPerSecond: null,
      bytes: null,
      retransmits: null,
      packets: null,
    });
    const seconds = measurement.durationSeconds as number;
    expect(measurement.sentBitsPerSecond).toBeCloseTo((509_007_800 * 8) / seconds, 0);
  });

  it("count all connections of a port with several", () => {
    const text = recorded("1.4.3-tcp-two-a-port.txt");
    expect(parse(text, { ...tcp, streams: 2, connectionsPerStream: 2 }).measurement.bytes).toBe(
      3_470_524_416,
    );
    expect(failure(text, { ...tcp, streams: 3, connectionsPerStream: 2 })).toEqual({
      class: "tool-error",
      message: expect.stringContaining("4 of 6 connections"),
    });
  });
});

describe("failures", () => {
  it.each([
    ["1.4.3-receiver-busy.txt", 24, "server-busy", "receiver is busy with an existing test running"],
    ["1.4.3-no-receiver.txt", 24, "tool-missing", "no ntttcp receiver runs at the other end"],
    ["1.4.3-sender-sigterm.txt", 143, "bad-output", "status 143"],
  ] as const)("%s", (name, exitCode, failureClass, message) => {
    expect(failure(recorded(name), tcp, { exitCode })).toEqual({
      class: failureClass,
      message: expect.stringContaining(message),
    });
  });

  it("busy receivers justify another attempt", () => {
    const busy = recorded("1.4.3-receiver-busy.txt");
    expect(ntttcp.retryOn?.some((pattern) => new RegExp(pattern).test(busy))).toBe(true);
    expect(
      ntttcp.retryOn?.some((pattern) => new RegExp(pattern).test(recorded("1.4.3-tcp-verbose.txt"))),
    ).toBe(false);
  });

  it.each([101, 110, 113])("errno %i of the connection is no route", (errno) => {
    const text = recorded("1.4.3-no-receiver.txt").replace("errno = 111", `errno = ${errno}`);
    expect(failure(text, tcp, { exitCode: 24 })).toMatchObject({ class: "no-route" });
  });

  it("another protocol's figures, a receiver's, and a test that sent nothing are refused", () => {
    expect(failure(recorded("1.4.3-udp.txt"), { ...tcp, streams: 2 }).class).toBe("bad-output");
    const receiver = recorded("1.4.3-tcp-verbose.xml").replaceAll("ntttcps", "ntttcpr");
    expect(failure(receiver).class).toBe("bad-output");
    const nothing = recorded("1.4.3-tcp-verbose.xml").replace(/(<total_bytes[^>]*>)[^<]*/, "$10.000000");
    expect(failure(`INFO: total bytes\t:0\n${nothing}`)).toMatchObject({
      class: "no-route",
      message: expect.stringContaining("sent nothing"),
    });
  });

  it("a time-out takes precedence over everything", () => {
    expect(failure(recorded("1.4.3-tcp-verbose.xml"), tcp, { timedOut: true }).class).toBe("timeout");
  });

  it.each(["1.4.3-tcp-verbose.xml", "1.4.3-tcp-verbose.txt"])(
    "truncated, %s never gives fewer bytes",
    (name) => {
      const whole = recorded(name);
      for (let length = 0; length < whole.length; length += 1) {
        try {
          expect(parse(whole.slice(0, length)).measurement.bytes).toBe(total);
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
        }
      }
    },
  );
});

it("the address that a reversed run's client saw is no proof of a way out", () => {
  const report = { ...silentReport, stdout: recorded("1.4.3-tcp-verbose.xml"), sourceIp: "198.18.0.1" };
  const run = { topology: "direct", command: "ntttcp", pairs: onePair(report) };
  expect(caseResult({ ...run, case: { ...tcp, direction: "ingress" } }).sourceIp).toBeNull();
  expect(caseResult({ ...run, case: tcp })).toMatchObject({ sourceIp: "198.18.0.1", status: "ok" });
});

it("what a sender counted is refused if the other end's interfaces received less", () => {
  const judged = (direction: "egress" | "ingress", receivedBytes: number) => {
    const hosts = [
      usageOf("client", [{ receivedBytes: direction === "ingress" ? receivedBytes : 0 }]),
      usageOf("server", [{ receivedBytes: direction === "egress" ? receivedBytes : 0 }]),
    ];
    const report = { ...silentReport, stdout: recorded("1.4.3-tcp-verbose.xml"), hosts };
    return caseResult({
      topology: "direct",
      command: "",
      case: { ...tcp, direction },
      pairs: onePair(report),
    });
  };
  for (const direction of ["egress", "ingress"] as const) {
    expect(judged(direction, total - 1).failure).toMatchObject({
      class: "control-lost",
      message: expect.stringContaining(`counted ${total} bytes`),
    });
    expect(judged(direction, total).status).toBe("ok");
  }
});
