/** The CPU use that iperf3 reports for its own processes. */
import { describe, expect, it } from "vitest";
import { iperf3Cpu } from "../../../bench/tools/iperf3/index.ts";
import { fixture } from "./fixture.ts";

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
