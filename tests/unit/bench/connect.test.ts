import { describe, expect, it } from "vitest";
import { connect } from "../../../bench/tools/connect/index.ts";
import { parseOutput } from "../../../bench/tools/index.ts";
import type { ParseContext } from "../../../bench/tools/tool.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { connectCase, ended, connectOutput as good } from "./fixture.ts";

type How = Partial<ParseContext<typeof connectCase>>;
const parse = (output: unknown, how: How = {}) =>
  connect.parse(typeof output === "string" ? output : JSON.stringify(output), ended(connectCase, how));

const latency = good.latencyUs;
const unknown = Object.fromEntries(Object.keys(latency).map((key) => [key, key === "samples" ? 0 : null]));

describe("connect", () => {
  it("runs the host agent's prober on the client", () => {
    expect(connect.command(connectCase, "198.18.0.2")).toBe(
      "python3 .egress-bench/agent.py connect --address 198.18.0.2 --port 5199 --duration 3 --interval-ms 10",
    );
  });

  it("has the latency of successful connections and counts failed ones", () => {
    const { measurement, version } = parse(good);
    expect(version).toBeNull();
    expect(measurement.latencyUs).toEqual({ kind: "connect", ...latency });
    expect(measurement.connections).toEqual({ attempted: 200, failed: 2, perSecond: 49.5 });
    expect(measurement).toMatchObject({ durationSeconds: 4, bitsPerSecond: null, packets: null });
  });

  it.each([
    [[], 100, []],
    [[], 101, null],
    [[{ startSeconds: 1, seconds: 0.3 }], 101, [{ startSeconds: 1, seconds: 0.3 }]],
  ])("outages %j of a probe that was %d ms late are %j", (outages, lateMs, known) => {
    const { measurement } = parse({ ...good, outages, lateMs });
    expect(measurement.outages).toEqual(known);
    expect(measurement.connections?.lateMs).toBe(lateMs);
  });

  const none = (count: number, errors: object) => ({
    ...{ ...good, attempted: count, failed: count, errors, latencyUs: unknown },
  });
  const timedOut = "none of 200 connections succeeded: 200 times ETIMEDOUT";
  const missing: How = { exitCode: 127, stderr: "sh: 1: python3: not found" };
  const exception: How = { exitCode: 1, stderr: "Traceback\nOSError: no" };
  it.each<[string, unknown, string, string, How?]>([
    ["no answer", none(200, { ETIMEDOUT: 200 }), "no-route", timedOut],
    ["no server", none(200, { ECONNREFUSED: 200 }), "tool-error", "200 times ECONNREFUSED"],
    ["nothing attempted", none(0, {}), "tool-error", "none of 0 connections succeeded"],
    ["another version", { ...good, version: 2 }, "bad-output", "without a result"],
    ["a key missing", { ...good, attempted: undefined }, "bad-output", "without a result"],
    ["no Python", "", "tool-missing", "python3: not found", missing],
    ["a time-out", good, "timeout", "still running", { timedOut: true }],
    ["an exception", "", "bad-output", "status 1 and without a result: OSError: no", exception],
    ["nothing", "", "bad-output", "its output: nothing"],
    ["garbage", "{]", "bad-output", 'its output: "{]"'],
  ])("%s", (_, output, failureClass, message, how) => {
    expect(() => parse(output, how)).toThrow(toolFailure(failureClass, message));
  });
});

it.each([
  [9, { p50: 501, p90: null, p99: null, p999: null }],
  [99, { p50: 501, p90: 502, p99: null, p999: null }],
  [999, { p50: 501, p90: 502, p99: 503, p999: null }],
  [1000, { p50: 501, p90: 502, p99: 503, p999: 504 }],
])("%i samples: only percentiles below the maximum are reported", (samples, known) => {
  const latencyUs = { ...good.latencyUs, samples, p50: 501, p90: 502, p99: 503, p999: 504 };
  const stdout = JSON.stringify({ ...good, latencyUs });
  expect(parseOutput(stdout, ended(connectCase)).measurement.latencyUs).toMatchObject(known);
});
