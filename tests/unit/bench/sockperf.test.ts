import { describe, expect, it } from "vitest";
import { renewedPorts } from "../../../bench/tools/index.ts";
import { sockperf } from "../../../bench/tools/sockperf/index.ts";
import type { ParseContext } from "../../../bench/tools/tool.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { ended, fixture, sockperfCase } from "./fixture.ts";

type How = Partial<ParseContext<typeof sockperfCase>>;
const parse = (stdout: string, how: How = {}) => sockperf.parse(stdout, ended(sockperfCase, how));

it("measures a server of its own, since a cut datagram stops one for good", () => {
  expect(renewedPorts(sockperfCase)).toEqual([5202]);
});

describe("command", () => {
  it.each([
    ["tcp" as const, "sockperf ping-pong --tcp -i 198.18.0.2 -p 5202 -t 3 -m 350 --full-rtt"],
    ["udp" as const, "sockperf ping-pong -i 198.18.0.2 -p 5202 -t 3 -m 350 --full-rtt"],
  ])("%s", (protocol, command) => {
    expect(sockperf.command({ ...sockperfCase, protocol }, "198.18.0.2")).toBe(command);
  });
});

/** Figures of recordings; those of 3.8 are published, as azure-rtt-2024-05. */
const recorded: Readonly<
  Record<
    string,
    {
      readonly measurement: { readonly version: string | null; readonly durationSeconds: number };
      readonly latencyUs: object;
    }
  >
> = JSON.parse(fixture("figures/sockperf.json"));

describe("recordings", () => {
  it.each(Object.entries(recorded))("%s", (name, { measurement, latencyUs }) => {
    const { version, ...counts } = measurement;
    // The recordings last 1, 3 and 101 s; shorter ones than the case's duration would be refused.
    const durationSeconds = Math.round(counts.durationSeconds + 0.5);
    const parsed = parse(fixture(`sockperf/${name}.txt`), { case: { ...sockperfCase, durationSeconds } });
    expect(parsed.version).toBe(version);
    expect(parsed.measurement).toMatchObject({
      ...counts,
      lostPackets: 0,
      outOfOrderPackets: 0,
      bitsPerSecond: null,
    });
    expect(parsed.measurement.latencyUs).toEqual({ kind: "round-trip", ...latencyUs });
  });

  it("missing percentiles are unknown", () => {
    const text = fixture("sockperf/3.7-few-observations.txt").replace(/.*percentile 99\..*\n/g, "");
    expect(
      parse(text, { case: { ...sockperfCase, durationSeconds: 1 } }).measurement.latencyUs,
    ).toMatchObject({ p90: 1225.189, p99: null, p999: null });
  });
});

it("an output with avg-rtt means the full round trip, whatever its summary says", () => {
  const whole = fixture("sockperf/3.7-ping-pong-full-rtt.txt").replace("avg-latency=", "avg-rtt=");
  const text = whole.replace("Summary: Round trip is", "Summary: Latency is");
  expect(parse(text).measurement.latencyUs?.mean).toBe(parse(whole).measurement.latencyUs?.mean);
});

describe("failures", () => {
  const recorded = (name: string) => fixture(`sockperf/3.7-${name}.txt`);
  const refused = "Can`t connect socket (errno=111 Connection refused)";
  const unreachable = "sockperf: ERROR: Can`t connect socket (errno=113 No route to host)\n";
  const closed = "A connection was forcibly closed by a peer";
  const [missing, name] = ["sockperf: not found", "no sockperf"];
  it.each<[string, string, string, string, How?]>([
    ["no server", recorded("no-server"), "tool-error", refused],
    [
      "no answer over UDP",
      recorded("udp-no-server"),
      "nothing-received",
      "No messages were received from the server. Is the server down?; its UDP ping-pong stops at the first lost or cut datagram",
      { case: { ...sockperfCase, protocol: "udp" } },
    ],
    [
      "nothing over TCP",
      recorded("udp-lost-at-once"),
      "nothing-received",
      "No valid observations found. Try tune parameters: --time/--mps/--reply-every; its connection stopped",
    ],
    [
      "no answer after the first second of TCP",
      recorded("ping-pong-full-rtt"),
      "control-lost",
      "sockperf measured 2.55 of 20 s; its connection stopped",
      { case: { ...sockperfCase, durationSeconds: 20 } },
    ],
    ["a killed server", recorded("server-killed"), "control-lost", closed, { exitCode: 7 }],
    [
      "SIGTERM",
      recorded("client-sigterm"),
      "bad-output",
      "status 143 and without a result",
      { exitCode: 143 },
    ],
    ["no route", unreachable, "no-route", "No route to host"],
    ["half of the round trip", recorded("half-rtt"), "bad-output", "half of the round trip"],
    ["a time-out", recorded("client-sigterm"), "timeout", "sockperf was still running", { timedOut: true }],
    [name, "", "tool-missing", missing, { exitCode: 127, stderr: "sh: 1: sockperf: not found" }],
    ["nothing", "", "bad-output", "its output: nothing"],
    ["garbage", "garbage", "bad-output", 'its output: "garbage"'],
  ])("%s", (_, stdout, failureClass, message, how) => {
    expect(() => parse(stdout, how)).toThrow(toolFailure(failureClass, message));
  });
});

it("replies that came twice are refused: later round trips wait for each other", () => {
  const lost = (dropped: number, twice: number) => {
    const text = fixture("sockperf/3.7-udp-ping-pong-full-rtt.txt")
      .replace("dropped messages = 0", `dropped messages = ${dropped}`)
      .replace("duplicated messages = 0", `duplicated messages = ${twice}`);
    return parse(text, { case: { ...sockperfCase, durationSeconds: 1 } }).measurement.lostPackets;
  };
  expect([lost(3, 0), lost(0, 0)]).toEqual([3, 0]);
  // A path of 0.03 ms doubled 5 %: sockperf said 17 ms.
  expect(() => lost(310, 310)).toThrow(/^310 replies came twice; .* a queue of its own: measure with irtt$/);
});
