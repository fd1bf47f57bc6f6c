import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sockperf } from "../../../bench/tools/sockperf/index.ts";
import { type ParseContext, ToolFailure } from "../../../bench/tools/tool.ts";
import { samples } from "../../helpers/samples.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { ended, fixture, sockperfCase } from "./fixture.ts";

type How = Partial<ParseContext<typeof sockperfCase>>;
const parse = (stdout: string, how: How = {}) => sockperf.parse(stdout, ended(sockperfCase, how));

describe("command", () => {
  it.each([
    ["tcp" as const, "sockperf ping-pong --tcp -i 198.18.0.2 -p 5202 -t 3 -m 350 --full-rtt"],
    ["udp" as const, "sockperf ping-pong -i 198.18.0.2 -p 5202 -t 3 -m 350 --full-rtt"],
  ])("%s", (protocol, command) => {
    expect(sockperf.command({ ...sockperfCase, protocol }, "198.18.0.2")).toBe(command);
  });
});

interface Recorded {
  readonly measurement: { readonly version: string | null; readonly durationSeconds: number };
  readonly latencyUs: object;
}
/** Figures of recordings; those of 3.8 are published, as azure-rtt-2024-05. */
const recorded: Readonly<Record<string, Recorded>> = JSON.parse(fixture("figures/sockperf.json"));

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
  it.each<[string, string, How, string, string]>([
    [
      "no server",
      fixture("sockperf/3.7-no-server.txt"),
      {},
      "tool-error",
      "Can`t connect socket (errno=111 Connection refused)",
    ],
    [
      "no answer over UDP",
      fixture("sockperf/3.7-udp-no-server.txt"),
      {},
      "no-route",
      "No messages were received from the server",
    ],
    [
      "a killed server",
      fixture("sockperf/3.7-server-killed.txt"),
      { exitCode: 7 },
      "tool-error",
      "A connection was forcibly closed by a peer",
    ],
    [
      "a terminated client",
      fixture("sockperf/3.7-client-sigterm.txt"),
      { exitCode: 143 },
      "bad-output",
      "status 143 and without a result",
    ],
    [
      "no route",
      "sockperf: ERROR: Can`t connect socket (errno=113 No route to host)\n",
      {},
      "no-route",
      "No route to host",
    ],
    [
      "half of the round trip",
      fixture("sockperf/3.7-half-rtt.txt"),
      {},
      "bad-output",
      "half of the round trip",
    ],
    [
      "a time-out",
      fixture("sockperf/3.7-client-sigterm.txt"),
      { timedOut: true },
      "timeout",
      "sockperf was still running",
    ],
    [
      "no sockperf",
      "",
      { exitCode: 127, stderr: "sh: 1: sockperf: not found" },
      "tool-missing",
      "sockperf: not found",
    ],
    ["nothing", "", {}, "bad-output", "its output: nothing"],
    ["garbage", "garbage", {}, "bad-output", 'its output: "garbage"'],
  ])("%s", (_, stdout, how, failureClass, message) => {
    expect(() => parse(stdout, how)).toThrow(toolFailure(failureClass, message));
  });

  it("throws only a ToolFailure, and never invents a number", () => {
    const texts = ["3.7-ping-pong-full-rtt", "3.8-ping-pong-full-rtt", "3.7-no-server"].map((name) =>
      fixture(`sockperf/${name}.txt`),
    );
    const damaged = fc
      .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat(60), fc.string({ maxLength: 20 }))
      .map(([text, at, length, patch]) => {
        const from = at % text.length;
        return text.slice(0, from) + patch + text.slice(from + length);
      });
    fc.assert(
      fc.property(fc.oneof(fc.string(), damaged), (stdout) => {
        try {
          const { latencyUs } = parse(stdout).measurement;
          const { kind: _, ...numbers } = latencyUs ?? { kind: null };
          expect(Object.values(numbers).every((one) => one === null || Number.isFinite(one))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(ToolFailure);
        }
      }),
      { numRuns: samples(500) },
    );
  });
});
