/** Existing hosts: a stack file's options, refusals, and the bound on the load. No host is reached. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { boundRates, parsePlan } from "../../../bench/index.ts";
import { newKeyPair } from "../../../components/shared/key-pair.ts";
import { check, readTopologies } from "../../../stacks/config.ts";
import { loginConflict, settingsSchema } from "../../../stacks/hosts/settings.ts";
import { hosts, knownHostKey } from "../../../stacks/hosts.ts";

const plan = (...cases: object[]) =>
  parsePlan({ cases: cases.map((one) => ({ durationSeconds: 5, ...one })) });

describe("the load", () => {
  test.each([
    ["TCP", { tool: "iperf3" }, "-b 100000000"],
    ["TCP of four streams", { tool: "iperf3", streams: 4 }, "-b 25000000"],
    ["TCP both ways", { tool: "iperf3", bothWays: true }, "-b 50000000"],
    ["unlimited UDP", { tool: "iperf3", protocol: "udp", bitrate: "unlimited" }, "-b 100000000"],
    ["a lower rate", { tool: "iperf3", protocol: "udp", bitrate: "5M" }, "-b 5000000"],
  ])("of %s is bounded", async (_, one, words) => {
    const { toolOf } = await import("../../../bench/index.ts");
    const [bounded] = boundRates(plan(one), 100e6).cases;
    expect(toolOf(bounded!).command(bounded!, "192.0.2.1")).toContain(words);
  });

  test("from a probe's own datagrams is refused above the bound", () => {
    const probe = plan({ tool: "irtt", durationSeconds: 1, intervalMs: 1, datagramBytes: 1400 });
    expect(() => boundRates(probe, 10e6)).toThrow(/asks for 11\.2 Mbit\/s, .* a longer intervalMs/);
    expect(boundRates(probe, 20e6)).toEqual(probe);
  });

  test("from large messages after each answer is refused, from small ones not", () => {
    const large = plan({ tool: "sockperf", messageBytes: 60_000 });
    expect(() => boundRates(large, 100e6)).toThrow(/asks for 9\.60 Gbit\/s, .* fewer bytes/);
    const small = plan({ tool: "sockperf" });
    expect(boundRates(small, 5e6)).toEqual(small);
  });

  test("under a probe is bounded", () => {
    const [bounded] = boundRates(plan({ tool: "connect", load: { streams: 4 } }), 100e6).cases;
    expect(bounded).toMatchObject({ load: { bitsPerSecond: 25e6 } });
  });

  test("of the default plan fits the default bound, and without a bound the plan is unchanged", () => {
    const quick = parsePlan("quick");
    expect(boundRates(quick, settingsSchema.parse({}).maxBitsPerSecond).cases).toHaveLength(
      quick.cases.length,
    );
    expect(boundRates(quick, 0)).toEqual(quick);
  });

  test.each([
    [
      "a higher rate",
      { tool: "iperf3", protocol: "udp", bitrate: "200M" },
      /asks for 200 Mbit\/s, more than 100 Mbit\/s/,
    ],
    [
      "streams that exceed the bound together",
      { tool: "iperf3", bitrate: "30M", streams: 4 },
      /asks for 120 Mbit\/s/,
    ],
    ["both ways together", { tool: "iperf3", bitrate: "60M", bothWays: true }, /asks for 120 Mbit\/s/],
    ["pairs together", { tool: "iperf3", bitrate: "60M", pairs: 2 }, /asks for 120 Mbit\/s, more than 100/],
    ["a tool without a rate", { tool: "ntttcp" }, /ntttcp has no rate to bound/],
    ["the best number of streams", { tool: "search", goal: "peak" }, /search has no rate to bound/],
  ])("of %s is refused", (_, one, message) => {
    expect(() => boundRates(plan(one), 100e6)).toThrow(message);
  });

  test.each([
    ["a failover", "failover"],
    ["a flood of connections", { cases: [{ tool: "nat", probe: "connection-rate", durationSeconds: 5 }] }],
    ["a flood of flows", { cases: [{ tool: "nat", probe: "concurrent-flows" }] }],
  ])("of %s is refused under any bound", (_, input) => {
    expect(() => boundRates(parsePlan(input), 0)).toThrow(/disturbs all other users of the way out/);
  });
});

describe("a stack's file", () => {
  const host = { address: "192.0.2.1", user: "me" };
  const read = (options: object) =>
    readTopologies({ cloud: "hosts", topologies: [{ topology: "existing", ...options }] } as never, hosts);

  test("needs a client and a server; all else has a careful default", () => {
    const [entry] = read({ client: host, server: host });
    expect(entry!.options).toEqual({
      client: { ...host, port: 22 },
      server: { ...host, port: 22, mayDisturb: false },
      expectedSourceIps: "report",
    });
    expect(settingsSchema.parse({})).toEqual({ maxBitsPerSecond: 100e6, mayInstall: false });
  });

  const client = (more: object) => ({ client: { ...host, ...more }, server: host });
  test.each([
    ["no server", { client: host }, /existing:server/],
    ["an unknown key", client({ pasword: "x" }), /client has address, port, user, keyFile/],
    ["text that ssh would read as an option", client({ address: "-oProxyCommand=x" }), /host name/],
    ["an invalid user", client({ user: "a b" }), /Linux user name/],
    ["an invalid address", { ...client({}), expectedSourceIps: ["a"] }, /expectedSourceIps/],
    ["an invalid host key", client({ hostKey: "ssh-ed25519" }), /public key/],
  ])("with %s is refused", (_, options, message) => {
    expect(() => read(options)).toThrow(message);
  });

  test("accepts an IPv6 address for logins, but not for measurements", () => {
    const v6 = { ...host, address: "2001:db8::1" };
    const message = /address: must be an IPv4 address or a name that has one.*give dataAddress beside it/;
    expect(() => read({ client: host, server: v6 })).toThrow(message);
    expect(() => read({ client: host, server: host, nat: v6 })).toThrow(message);
    const measured = { ...v6, dataAddress: "192.0.2.9" };
    expect(read({ client: v6, server: measured, nat: measured })).toHaveLength(1);
  });

  test("with two users of one host is refused, in any roles", () => {
    const [entry] = read({ client: host, server: { ...host, address: "192.0.2.2" } });
    const options = entry!.options as never;
    const other = (change: object) =>
      read({ client: { ...host, user: "you", ...change }, server: { ...host, address: "192.0.2.2" } })[0]!
        .options as never;
    expect(loginConflict([options, other({})])).toBe(
      "topologies: me and you are users of one host, 192.0.2.1:22: log in to it as one of them",
    );
    expect(() =>
      hosts.deploy({ pairs: 1, topologies: [entry, { ...entry, options: other({}) }] } as never),
    ).toThrow("me and you are users of one host");
    const jump = { address: "192.0.2.9", user: "me" };
    for (const change of [{ port: 23 }, { jump }, { user: "me" }]) {
      expect(loginConflict([options, other(change)])).toBeNull();
    }
  });

  test("with an invalid bound is refused", () => {
    expect(() => check(settingsSchema, { maxBitsPerSecond: "fast" }, "egress-bench:hosts")).toThrow(
      /bit rate/,
    );
  });
});

describe("a host's key", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "egress-bench-known-"));
    mkdirSync(join(home, ".ssh"));
    vi.stubEnv("HOME", home);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(home, { recursive: true });
  });
  const key = newKeyPair().publicKey;
  const file = () => join(home, ".ssh", "known_hosts");

  test("is the one in known_hosts, even under a hashed name and another port", () => {
    writeFileSync(file(), `a.lan ${key} me@a\n[b.lan]:2222 ${key}\n`);
    execFileSync("ssh-keygen", ["-H", "-f", file()], { stdio: "ignore" });
    expect([knownHostKey("a.lan", 22), knownHostKey("b.lan", 2222)]).toEqual([key, key]);
    expect([knownHostKey("b.lan", 22), knownHostKey("c.lan", 22)]).toEqual([undefined, undefined]);
  });

  test("is of the kind that a server of several shows first; a revoked one is none", () => {
    const ecdsa = `ecdsa-sha2-nistp256 ${"A".repeat(60)}`;
    writeFileSync(file(), `a.lan ${key}\na.lan ${ecdsa}\n@revoked b.lan ${key}\n`);
    expect([knownHostKey("a.lan", 22), knownHostKey("b.lan", 22)]).toEqual([ecdsa, undefined]);
  });
});
