import { describe, expect, it } from "vitest";
import { timeoutSeconds, toolOf } from "../../../bench/tools/index.ts";
import type { Load } from "../../../bench/tools/under-load/plan.ts";
import { toolFailure } from "../../helpers/tool-failure.ts";
import { connectCase, connectOutput, ended, fixture, sockperfCase } from "./fixture.ts";

const load: Load = { protocol: "tcp", direction: "egress", streams: 4, bitsPerSecond: null };
const loaded = { ...sockperfCase, load };
const ok = { exitCode: 0, stderr: "" };
const output = (change = {}) =>
  JSON.stringify({
    version: 1,
    probe: { ...ok, stdout: fixture("sockperf/3.7-ping-pong-full-rtt.txt") },
    load: { ...ok, stdout: fixture("iperf3/3.12-tcp-parallel-4.json") },
    covered: true,
    ...change,
  });
const parse = (stdout: string) => toolOf(loaded).parse(stdout, ended(loaded));

describe("latency under load", () => {
  it("runs the load around the probe", () => {
    const command = toolOf(loaded).command(loaded, "198.18.0.1");
    expect(command).toBe(
      "python3 .egress-bench/under_load.py --lead 2 " +
        "--load 'iperf3 -c 198.18.0.1 -p 5201 -J --connect-timeout 5000 -t 8 -i 1 -P 4' " +
        "--probe 'sockperf ping-pong --tcp -i 198.18.0.1 -p 5202 -t 3 -m 350 --full-rtt'",
    );
  });

  it("needs both tools, and time for both", () => {
    expect(toolOf(loaded).executables).toEqual(["sockperf", "iperf3", "python3"]);
    expect(timeoutSeconds(loaded)).toBeGreaterThan(timeoutSeconds(sockperfCase) + 4);
    expect(toolOf({ ...connectCase, load }).executables).toEqual(["python3", "iperf3"]);
  });

  it("has the probe's latency and the load's throughput", () => {
    const { measurement } = parse(output());
    const alone = fixture("sockperf/3.7-ping-pong-full-rtt.txt");
    const rest = toolOf(sockperfCase).parse(alone, ended(sockperfCase));
    expect(measurement.latencyUs).toEqual(rest.measurement.latencyUs);
    expect(measurement.streams).toHaveLength(4);
    expect(measurement.bitsPerSecond).toBeGreaterThan(1e9);
  });

  it("has the probe's outages, which the load's sender does not see", () => {
    const outages = [{ startSeconds: 1, seconds: 3 }];
    const probe = { ...ok, stdout: JSON.stringify({ ...connectOutput, outages }) };
    const one = { ...connectCase, load };
    const { measurement } = toolOf(one).parse(output({ probe }), ended(one));
    expect(measurement.outages).toEqual(outages);
  });

  it.each([
    [
      "a load that failed",
      { load: { ...ok, stdout: fixture("iperf3/3.12-server-busy.json") } },
      "server-busy",
      "the load:",
    ],
    ["a load that ended early", { covered: false }, "tool-error", "the load ended before"],
    [
      "a probe that failed",
      { probe: { ...ok, stdout: fixture("sockperf/3.7-no-server.txt") } },
      "tool-error",
      "",
    ],
  ])("fails by %s", (_, change, failureClass, message) => {
    expect(() => parse(output(change))).toThrow(toolFailure(failureClass, message));
  });

  it.each([
    ["", "nothing"],
    ["{}", "version: is missing"],
    [output().slice(0, -9), "version"],
  ])("says so of output %#", (text, said) => {
    expect(() => parse(text)).toThrow(toolFailure("bad-output", said));
  });
});
