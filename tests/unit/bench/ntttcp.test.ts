import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { caseResult } from "../../../bench/assemble.ts";
import { parsePlan } from "../../../bench/parse-plan.ts";
import type { NtttcpCase } from "../../../bench/plan.ts";
import { ntttcpPorts, ntttcpRanges, ports } from "../../../bench/ports.ts";
import { isReversed } from "../../../bench/tools/index.ts";
import { ntttcp } from "../../../bench/tools/ntttcp.ts";
import { type ParseContext, ToolFailure } from "../../../bench/tools/tool.ts";
import { evaluate } from "../../helpers/agent-host.ts";
import { ended, fixture } from "./fixture.ts";

const tcp: NtttcpCase = {
  id: "ntttcp-tcp-egress-p4",
  tool: "ntttcp",
  protocol: "tcp",
  direction: "egress",
  streams: 4,
  connectionsPerStream: 1,
  datagramBytes: null,
  durationSeconds: 3,
  omitSeconds: 1,
};
const udp: NtttcpCase = { ...tcp, protocol: "udp", streams: 2, datagramBytes: 1400, omitSeconds: 0 };

type How = Partial<ParseContext<NtttcpCase>>;
const parse = (stdout: string, asked = tcp, how: How = {}) => ntttcp.parse(stdout, ended(asked, how));
const failure = (stdout: string, asked = tcp, how: How = {}) => {
  try {
    parse(stdout, asked, how);
  } catch (error) {
    if (error instanceof ToolFailure) return { class: error.failureClass, message: error.message };
    throw error;
  }
  throw new Error("expected a failure");
};
/** The part of a recording whose thread lines and figures are all of one document. */
const recorded = (name: string) => fixture(`ntttcp/${name}`);

/** Words of the sender's command line, without the file that the shell fills in. */
function senderWords(benchCase: NtttcpCase): string[] {
  const line = / (ntttcp -s [^;]*) -x"\$f";/.exec(ntttcp.command(benchCase, "198.18.0.2"))?.[1];
  return (line ?? "").split(" ");
}

describe("cases", () => {
  it("have ids that tell what is not the usual", () => {
    const cases = [
      { tool: "ntttcp", direction: ["egress", "ingress"], streams: 64, durationSeconds: "5m" },
      { tool: "ntttcp", protocol: "udp", datagramBytes: [64, 1400], durationSeconds: 9 },
      { tool: "ntttcp", connectionsPerStream: 4, durationSeconds: 9, omitSeconds: 2 },
    ];
    expect(parsePlan({ cases }).cases).toMatchObject([
      { id: "ntttcp-tcp-egress-p64", streams: 64, datagramBytes: null, durationSeconds: 300 },
      { id: "ntttcp-tcp-ingress-p64", direction: "ingress" },
      { id: "ntttcp-udp-egress-64B", datagramBytes: 64 },
      { id: "ntttcp-udp-egress-1400B", datagramBytes: 1400 },
      { id: "ntttcp-tcp-egress-n4", connectionsPerStream: 4, omitSeconds: 2, streams: 1 },
    ]);
  });

  it.each([
    [{ streams: 65 }, "streams: got 65; expected a whole number of streams from 1 to 64"],
    [{ connectionsPerStream: 9 }, "connectionsPerStream: got 9"],
    [{ datagramBytes: 1400 }, "datagramBytes: got 1400 with protocol tcp"],
    [{ bitrate: "10M" }, 'unknown key "bitrate"'],
  ])("refuse %j", (wrong, message) => {
    const plan = { cases: [{ tool: "ntttcp", durationSeconds: 5, ...wrong }] };
    expect(() => parsePlan(plan)).toThrow(message);
  });

  it("of the preset are 5 minutes of TCP each way with 64 streams, the way in run by the server", () => {
    const { cases } = parsePlan("ntttcp");
    expect(cases.map((one) => [one.id, one.tool, one.durationSeconds, isReversed(one)])).toEqual([
      ["ntttcp-tcp-egress-p64", "ntttcp", 300, false],
      ["ntttcp-tcp-ingress-p64", "ntttcp", 300, true],
    ]);
  });

  it("of no other tool are run by the server", () => {
    const cases = [{ tool: "iperf3", direction: "ingress", durationSeconds: 1 }];
    expect(parsePlan({ cases }).cases.map(isReversed)).toEqual([false]);
  });
});

describe("command", () => {
  it.each([
    [tcp, "ntttcp -s 198.18.0.2 -p 5001 -P 4 -n 1 -t 3 -W 1 -Q -V"],
    [udp, "ntttcp -s 198.18.0.2 -p 5066 -u -P 2 -n 1 -t 3 -b 1400 -Q -V"],
    [
      { ...tcp, streams: 64, connectionsPerStream: 2 },
      "ntttcp -s 198.18.0.2 -p 5001 -P 64 -n 2 -t 3 -W 1 -Q",
    ],
  ])("%#", (benchCase, command) => {
    expect(senderWords(benchCase).join(" ")).toBe(command);
  });

  const switches = (words: readonly string[]) => words.filter((word) => word.startsWith("-"));
  const documented = (name: string) => new RegExp(`^\\t${name} `, "m").test(recorded("1.4.3-help.txt"));

  it("uses switches that ntttcp documents, and so do the receivers", () => {
    const receivers = evaluate(
      "[__import__('ntttcp').argv(protocol, 5001, 64) for protocol in ('tcp', 'udp')]",
    ) as string[][];
    const used = new Set([
      ...switches(senderWords(tcp)),
      ...switches(senderWords(udp)),
      ...receivers.flatMap(switches),
    ]);
    expect(used.size).toBeGreaterThan(10);
    expect([...used, "-x"].filter((name) => !documented(name))).toEqual([]);
    expect(documented("-Z")).toBe(false);
  });

  it("passes on exit status and output, and leaves no file behind", () => {
    const script = ntttcp.command(tcp, "198.18.0.2");
    const shell = (ntttcpBody: string) =>
      spawnSync(
        "sh",
        ["-c", `mktemp() { command mktemp -p "$D"; }; ntttcp() { ${ntttcpBody}; }; ${script}`],
        {
          encoding: "utf8",
          env: { ...process.env, D: "/tmp" },
        },
      );
    const done = shell(
      'for last; do :; done; echo "log"; echo "<xml>$last" >$(echo "$last" | cut -c 3-); return 24',
    );
    expect(done.stdout).toMatch(/^log\n<xml>-x\/\S+\n$/);
    expect(done.status).toBe(24);
    const file = done.stdout.trim().split("-x").at(-1) as string;
    expect(spawnSync("test", ["-e", file]).status).toBe(1);
  });

  it("says how to get the tool where it is missing", () => {
    const done = spawnSync("/bin/sh", ["-c", ntttcp.command(tcp, "198.18.0.2")], {
      encoding: "utf8",
      env: { PATH: "/nowhere" },
    });
    expect(done.status).toBe(127);
    expect(done.stderr).toContain("github.com/microsoft/ntttcp-for-linux");
    expect(failure("", tcp, { exitCode: 127, stderr: done.stderr })).toMatchObject({ class: "tool-missing" });
  });
});

describe("the agent", () => {
  const spec = {
    ...{ version: 1, host: "h", role: "client", secret: "a secret of the stack", executables: [] },
    ports: { agent: 1, iperf3: 2, connect: 3, sockperf: 4 },
  };
  const check = (given: unknown) => evaluate("agent.check_prepare(data)", { ...spec, ntttcp: given });

  it("takes the ports that a plan with ntttcp comes with, and no others", () => {
    expect(check(ntttcpPorts)).toMatchObject({ ntttcp: ntttcpPorts });
    expect(() => check({ ...ntttcpPorts, udp: 65_500 })).toThrow(
      "ntttcp.udp: expected the first of 64 ports, 2 to 65472, got 65500",
    );
    expect(() => check({ ...ntttcpPorts, streams: 0 })).toThrow(
      "ntttcp.streams: expected an integer, 1 to 512",
    );
  });

  it("runs receivers on the ends of a path only, and only when a plan wants them", () => {
    const found =
      "[setattr(agent, 'find_executable', lambda name: '/bin/' + name), agent.wanted_services(data)][1]";
    const names = (config: object) =>
      (evaluate(found, { ...spec, ...config }) as [string, number][]).map(
        ([name, port]) => `${name} ${port}`,
      );
    expect(names({ ntttcp: ntttcpPorts })).toEqual(["ntttcp TCP 5000", "ntttcp UDP 5065"]);
    expect(names({ ntttcp: ntttcpPorts, role: "server" })).toContain("ntttcp UDP 5065");
    expect(names({ ntttcp: ntttcpPorts, role: "nat" })).toEqual([]);
    expect(names({ role: "server" }).join()).not.toContain("ntttcp");
    const missing = found.replace("'/bin/' + name", "None");
    expect(evaluate(missing, { ...spec, ntttcp: ntttcpPorts })).toEqual([]);
  });
});

describe("ports", () => {
  it("of the receivers are in the ranges that firewalls open, and nobody else's", () => {
    const taken: number[] = Object.values(ports);
    for (const protocol of ["tcp", "udp"] as const) {
      const { first, last } = ntttcpRanges[protocol];
      expect(ntttcpPorts[protocol]).toBeGreaterThanOrEqual(first);
      expect(ntttcpPorts[protocol] + ntttcpPorts.streams - 1).toBeLessThanOrEqual(last);
      expect(taken.filter((port) => port >= first && port <= last)).toEqual([]);
    }
    // Both agree on a test over TCP, at the port before the first.
    for (const port of [ntttcpPorts.tcp - 1, ntttcpPorts.udp - 1]) {
      expect(port).toBeGreaterThanOrEqual(ntttcpRanges.tcp.first);
      expect(port).toBeLessThanOrEqual(ntttcpRanges.tcp.last);
    }
    // No port is a data port of TCP and the other test's synchronisation.
    expect(ntttcpPorts.tcp + ntttcpPorts.streams).toBeLessThanOrEqual(ntttcpPorts.udp - 1);
  });
});

const log = recorded("1.4.3-tcp-verbose.txt");
const total = Number(/total bytes\t:(\d+)/.exec(log)?.[1]);

describe("recordings", () => {
  const retransmits = Number(/retrans segs\t:(\d+)/.exec(log)?.[1]);
  const rtt = Number(/tcpi rtt\t\t:(\d+)/.exec(log)?.[1]);

  it.each([
    ["log and XML, as the command prints them", log + recorded("1.4.3-tcp-verbose.xml"), 4, "1.4.3"],
    ["XML alone", recorded("1.4.3-tcp-verbose.xml"), 4, null],
    ["log and JSON", log + recorded("1.4.3-tcp-verbose.json"), 4, "1.4.3"],
    ["JSON alone", recorded("1.4.3-tcp-verbose.json"), 4, null],
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

  it.each(["1.4.3-udp.txt", "1.4.3-udp.json"])(
    "of UDP tell what was sent and not what arrived: %s",
    (name) => {
      const { measurement } = parse(recorded(name), udp);
      expect(measurement).toMatchObject({
        bitsPerSecond: null,
        bytes: null,
        retransmits: null,
        packets: null,
      });
      expect(measurement.sentBitsPerSecond).toBeCloseTo(
        (509_007_800 * 8) / (measurement.durationSeconds as number),
        0,
      );
    },
  );

  it("count all connections where a port has several", () => {
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

  it("busy receivers are worth another attempt", () => {
    const busy = recorded("1.4.3-receiver-busy.txt");
    expect(ntttcp.retryOn.some((pattern) => new RegExp(pattern).test(busy))).toBe(true);
    expect(
      ntttcp.retryOn.some((pattern) => new RegExp(pattern).test(recorded("1.4.3-tcp-verbose.txt"))),
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
    expect(failure(nothing)).toMatchObject({
      class: "no-route",
      message: expect.stringContaining("sent nothing"),
    });
  });

  it("a time-out goes before everything", () => {
    expect(failure(recorded("1.4.3-tcp-verbose.xml"), tcp, { timedOut: true }).class).toBe("timeout");
  });

  const whole = ["1.4.3-tcp-verbose.xml", "1.4.3-tcp-verbose.json", "1.4.3-tcp-verbose.txt"].map(recorded);

  it("output cut anywhere is read whole or refused, and never ends the run", () => {
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.double({ min: 0, max: 1, noNaN: true }), (text, share) => {
        const cut = text.slice(0, Math.floor(text.length * share));
        try {
          const { bytes, durationSeconds } = parse(cut).measurement;
          expect(bytes).toBe(total);
          expect(durationSeconds).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
        }
      }),
    );
  });

  it("a log cut at any place never tells fewer bytes", () => {
    for (let length = 0; length < log.length; length += 1) {
      try {
        expect(parse(log.slice(0, length)).measurement.bytes).toBe(total);
      } catch (error) {
        expect(error).toBeInstanceOf(ToolFailure);
      }
    }
  });

  it("noise in the middle does not end the run either, and makes no number that is none", () => {
    fc.assert(
      fc.property(fc.constantFrom(...whole), fc.nat(), fc.string(), (text, at, noise) => {
        const place = at % text.length;
        try {
          const { measurement } = parse(text.slice(0, place) + noise + text.slice(place + noise.length));
          for (const value of [measurement.bitsPerSecond, measurement.retransmits, measurement.tcpRttUs]) {
            expect(value === null || (Number.isFinite(value) && value >= 0)).toBe(true);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
        }
      }),
    );
  });
});

it("the address that a reversed run's client saw is no proof of a way out", () => {
  const report = {
    ...{
      version: 1 as const,
      key: "k",
      failure: null,
      attempts: [],
      exitCode: 0,
      timedOut: false,
      stderr: "",
    },
    ...{ stdout: recorded("1.4.3-tcp-verbose.xml"), sourceIp: "198.18.0.1", hosts: [], rawFile: null },
  };
  const run = { topology: "direct", command: "ntttcp", report };
  expect(caseResult({ ...run, case: { ...tcp, direction: "ingress" } }).sourceIp).toBeNull();
  expect(caseResult({ ...run, case: tcp })).toMatchObject({ sourceIp: "198.18.0.1", status: "ok" });
});
