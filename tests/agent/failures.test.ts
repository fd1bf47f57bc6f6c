/** Failures that a host allows, and the failover probe's figures from the answers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AgentHost, agentHost, evaluate } from "../helpers/agent-host.ts";

let host: AgentHost;
beforeAll(async () => {
  host = await agentHost("nat");
});
afterAll(() => host.dispose());

describe("a host that a plan makes fail", () => {
  it("refuses every failure unless prepared for it", async () => {
    await host.prepare({ executables: [] });
    expect(await host.ask({ op: "failure-state" })).toMatchObject({ kinds: [], active: true, ready: true });
    // A kind that does nothing to the test machine if it is accepted by mistake.
    expect(await host.ask({ op: "fail", kind: "drain", downSeconds: 1 })).toEqual({
      error: "fail: expected a kind of none: this host was not prepared for failures",
    });
  });

  it("accepts the prepared kinds, and no other command, number or caller", async () => {
    await host.prepare({ executables: [], failures: ["drain"] });
    const ask = (more: object) => host.ask({ op: "fail", downSeconds: 1, ...more });
    expect(await ask({ kind: "blackhole" })).toEqual({ error: "fail: expected a kind of drain" });
    expect(await ask({ kind: ["drain"] })).toEqual({ error: "fail: expected a kind of drain" });
    expect(await ask({ kind: "drain", downSeconds: "1; reboot" })).toEqual({
      error: "fail: expected downSeconds, 0 to 600",
    });
    // This machine is not in a pair.
    expect(await ask({ kind: "drain" })).toEqual({ error: "fail: this host cannot drain" });
    expect(await host.ask({ op: "fail", kind: "drain", downSeconds: 1 }, "another stack's secret")).toEqual({
      error: "not authentic: the caller's secret is not this host's",
    });
  });

  it("is not prepared for an unknown kind", async () => {
    const { status, stderr } = await host.prepare({ executables: [], failures: ["explode" as "kill"] });
    expect(status).toBe(2);
    expect(stderr).toContain("failures: expected a list of kill, stop, reboot, blackhole, drain");
  });
});

describe("the probe", () => {
  const probe = (...options: string[]) => host.call(["probe", "failover", ...options]);
  const there = ["--address", "127.0.0.1", "--port", "1", "--sink-port", "1", "--duration", "1"];

  it("reports where there is nothing to fail, and sends nothing", async () => {
    const { status, stdout } = await probe(...there, "--kind", "kill");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      kind: "kill",
      nothingToFail: "there is no NAT instance on this path: a service of the cloud translates",
    });
  });
});

describe("the longest outage", () => {
  const samples = (text: string) => [...text].map((mark, at) => [at / 10, mark === "+"]);
  it.each<[string, string, number, object]>([
    ["none", "++++", 0, { ms: 0, ended: true }],
    ["from the first lost one to the next answered one", "+---++", 0, { ms: 300, ended: true }],
    ["the longest of two", "+-+--+", 0, { ms: 200, ended: true }],
    ["one that did not end", "++----", 0, { ms: 300, ended: false }],
    ["an outage before the failure does not count", "--++-+", 0.15, { ms: 100, ended: true }],
    ["nothing arrived at all", "----", 0, { ms: 300, ended: false }],
  ])("%s: %s", (_, text, since, expected) => {
    expect(
      evaluate("failover_traffic.longest_outage([one for one in data[0] if one[0] >= data[1]])", [
        samples(text),
        since,
      ]),
    ).toEqual(expected);
  });
});
