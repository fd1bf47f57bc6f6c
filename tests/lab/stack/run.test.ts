/**
 * The main job with real parts: engine, SSH, namespaces and tools; ntttcp is missing at first, then present (a stand-in
 * unless NTTTCP names the real one). Beside it the README's own program. Proves what is run, kept and left behind, not
 * speed.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HostFacts, Results } from "../../../bench/results/index.ts";
import { findCase as find, outcomes } from "../../helpers/case-results.ts";
import { readmeProgram } from "../../helpers/consumers.ts";
import { hasVegeta, installVegeta } from "../../helpers/http-tools.ts";
import { hostsOf } from "../../helpers/lab-hosts.ts";
import type { LabStack, LabUp } from "../../helpers/lab-stack.ts";
import { openLabStack, shortCase } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";
import { partsOf } from "../../helpers/stored-state.ts";

const standin = new URL("../../helpers/ntttcp-standin.py", import.meta.url);
const program = process.env.NTTTCP ?? fileURLToPath(standin);
const name = `test-${randomUUID().slice(0, 8)}`;
const measured = [
  shortCase("tcp", { durationSeconds: 2, direction: "ingress", bitrate: "200M" }),
  shortCase("udp", { protocol: "udp", bitrate: "5M" }),
  { id: "ping-pong", tool: "sockperf", durationSeconds: 1 },
  { id: "connect", tool: "connect", durationSeconds: 1 },
];
// A plan for running hosts: its server's nginx starts with it.
const later = [
  { id: "peak", tool: "search", goal: "peak", durationSeconds: 1, maxStreams: 1, confirmations: 0 },
  ...(hasVegeta ? [{ id: "http", tool: "http", connections: "new", durationSeconds: 1 }] : []),
];
const ntttcp = { tool: "ntttcp", direction: ["egress", "ingress"], streams: 2, durationSeconds: 1 };
const plan = { name: "every-tool", cases: [...measured, ntttcp] };
const addresses: Record<string, string> = { direct: "198.18.1.2", "nat-instance": "198.19.2.1" };
const hosts = ["direct-box", "direct-client", "nat-instance-box", "nat-instance-client", "server"];

let lab: LabStack;
let readme: LabStack;
let first: Results;
let outputs: LabUp["outputs"];
let ofReadme: LabUp;

beforeAll(async () => {
  const options = { name, environment: savingAtEnd };
  const configuration = { topologies: ["direct", "nat-instance"], plan, tuning: "throughput" };
  const cases = '{ cases: [{ tool: "connect", durationSeconds: 1 }] }';
  const program = readmeProgram("local").replace('parsePlan("quick")', `parsePlan(${cases})`);
  expect(program).toContain(cases);
  lab = await openLabStack(configuration, options);
  readme = await openLabStack({}, { ...options, program });
  [{ results: first, outputs }, ofReadme] = await Promise.all([lab.up(), readme.up()]);
});
afterAll(() => Promise.all([lab.dispose(), readme.dispose()]));

const living = ({ lab }: LabStack) => hostsOf(lab).map(({ holder }) => holder);

test("measures every case on every topology, one topology after another", () => {
  const ids = measured.map(({ id }) => id);
  const ours = first.cases.filter(({ id }) => ids.includes(id));
  expect(ours.map(({ topology, id, failure }) => [topology, id, failure])).toEqual(
    ids.flatMap((id) => [
      ["direct", id, null],
      ["nat-instance", id, null],
    ]),
  );
  const starts = ours.map((one) => Date.parse(one.startedAt!));
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
});

test("has a figure for everything that each tool measures, and null for the rest", () => {
  const of = (id: string) => find(first, "nat-instance", id).measurement!;
  expect(of("tcp").bitsPerSecond).toBeGreaterThan(0);
  expect(of("tcp").series.length).toBeGreaterThanOrEqual(2);
  expect(of("tcp").lostPercent).toBeNull();
  expect(of("udp").lostPercent).toBeGreaterThanOrEqual(0);
  expect(of("ping-pong").latencyUs?.p50).toBeGreaterThan(0);
  expect(of("connect").connections?.attempted).toBeGreaterThan(10);
  expect(of("connect").connections?.failed).toBe(0);
  expect(of("connect").bitsPerSecond).toBeNull();
});

test("proves each path by the address that the server saw", () => {
  expect(first.topologies.map(({ name, path }) => [name, path.status, path.sourceIps])).toEqual([
    ["direct", "proved", ["198.18.1.2"]],
    ["nat-instance", "proved", ["198.19.2.1"]],
  ]);
});

test("samples client, forwarder and server during a case", () => {
  const { hosts } = find(first, "nat-instance", "tcp");
  expect(hosts.map(({ host, role, problem }) => [host, role, problem])).toEqual([
    ["nat-instance-client", "client", null],
    ["server", "server", null],
    ["nat-instance-box", "nat", null],
  ]);
  expect(hosts.every(({ cpu }) => cpu!.busyPercent! > 0)).toBe(true);
  expect(first.notes.join()).toContain("share one machine");
});

test("counts packets into and out of the NAT instance, each once per interface", () => {
  const { natDrops, hosts, measurement } = find(first, "nat-instance", "udp");
  const forwarder = hosts.find(({ role }) => role === "nat");
  expect(forwarder?.network?.interfaces.map(({ name }) => name)).toEqual(["client1", "eth1"]);
  expect(natDrops?.receivedPackets).toBeGreaterThanOrEqual(measurement!.packets!);
  expect(Math.abs(natDrops!.receivedPackets - natDrops!.sentPackets)).toBeLessThan(50);
  expect(find(first, "nat-instance", "tcp").natDrops).toBeNull();
  expect(find(first, "direct", "udp").natDrops).toBeNull();
  // Hosts that share CPUs cannot show which one was the limit.
  const kinds = first.cases.flatMap(({ limits }) => (limits ?? []).map(({ kind }) => kind));
  expect(kinds.filter((kind) => /cpu|drop/i.test(kind))).toEqual([]);
});

test("knows its hosts", () => {
  const [client, forwarder] = first.topologies[1]!.hosts;
  expect(client?.interfaces.map(({ name, mtu }) => [name, mtu])).toEqual([["eth0", 1500]]);
  expect(client?.interfaces[0]?.offloads).toHaveProperty("generic-receive-offload");
  expect(first.server?.tools.iperf3).toMatch(/^\d+\.\d+/);
  expect(forwarder?.tools.nft).toMatch(/^\d+\.\d+/);
  expect(forwarder?.sysctls["net.ipv4.ip_forward"]).toBe("1");
  expect(first.server?.interfaces.map(({ name }) => name).sort()).toEqual(["eth1", "eth2"]);
});

test("keeps the state small and without plain secrets", () => {
  const state = lab.storedState();
  expect(state).not.toMatch(/PRIVATE KEY/);
  const { reports, others } = partsOf(state, "Command::nat-instance:");
  expect(reports.length).toBeGreaterThanOrEqual(measured.length);
  for (const { outputs, dependencies } of reports) {
    // Packed; unpacked it would be four to eight times as long.
    expect(outputs.stdout).toMatch(/^eN/);
    expect(dependencies).toEqual([]);
  }
  // About 140 are where the program made it, which the SDK records; a dictionary of 5 KB would save 280.
  expect(reports.find(({ urn }) => urn.endsWith("tcp"))?.bytes).toBeLessThan(6_600);
  // Five hosts; a lab of three has 93 KB.
  expect(others.length).toBeLessThan(250_000);
});

test("has a summary for people", () => {
  const { summary } = outputs;
  const [head, , first] = summary?.value.split("\n") ?? [];
  expect(head).toMatch(/^case +direct +nat-instance$/);
  expect(first).toMatch(/bit\/s \(\d+\.\d\dx\)$/);
  expect(summary?.secret).toBe(false);
});

test("the README's program, a stack of the same name, measures at once, on hosts of its own", () => {
  const { results, outputs } = ofReadme;
  expect(results.cases.map(({ topology, id, failure }) => [topology, id, failure])).toEqual([
    ["pair", "tcp-connect", null],
  ]);
  expect(results.topologies.map(({ path }) => path.status)).toEqual(["proved"]);
  expect(outputs.summary?.value).toMatch(/^case +pair\n-+ +-+\ntcp-connect +\S/);
  expect([lab.hosts(), readme.hosts()]).toEqual([hosts, ["nat-box", "pair-client", "server"]]);
  expect(new Set([...living(lab), ...living(readme)]).size).toBe(hosts.length + 3);
});

const wmemOf = (host: HostFacts | null | undefined) => host?.sysctls["net.ipv4.tcp_wmem"];

test("a host without ntttcp fails its cases with the remedy, and measures the others", () => {
  expect(outcomes(first, /ntttcp/)).toEqual([
    ["direct", "ntttcp-tcp-egress-p2", "tool-missing"],
    ["nat-instance", "ntttcp-tcp-egress-p2", "tool-missing"],
    ["direct", "ntttcp-tcp-ingress-p2", "tool-missing"],
    ["nat-instance", "ntttcp-tcp-ingress-p2", "no-route"],
  ]);
  expect(find(first, "direct", "ntttcp-tcp-egress-p2").failure?.message).toContain(
    "github.com/microsoft/ntttcp-for-linux",
  );
});

test("tunes client and server, not the forwarder, and reports it", () => {
  const [client, forwarder] = first.topologies[1]?.hosts ?? [];
  const tunings = [first.server, client, forwarder].map((host) => host?.tuning);
  expect(tunings).toEqual(["throughput", "throughput", "none"]);
  expect([first.server, client].map(wmemOf)).toEqual(Array(2).fill("4096 65536 33554432"));
  expect(wmemOf(forwarder)).not.toBe(wmemOf(client));
  expect(first.notes.join()).toContain("profile throughput");
  // A network namespace has no receive path of its own.
  expect(client?.notes.join()).toContain("net.core.netdev_max_backlog");
});

test("changes nothing when nothing has changed", async () => {
  const { results, changes } = await lab.up();
  expect(Object.keys(changes)).toEqual(["same"]);
  expect(results).toEqual(first);
});

test("measures only the changed case, while the README's program is destroyed", async () => {
  const cases = plan.cases.map((one) =>
    "id" in one && one.id === "connect" ? { ...one, durationSeconds: 2 } : one,
  );
  lab.configure({ plan: { ...plan, cases } });
  const before = living(lab);
  const [{ results, changes }] = await Promise.all([lab.up(), readme.stack.destroy({ color: "never" })]);
  expect(changes).toMatchObject({ replace: 2 });
  const again = results.cases.filter((one) => one.startedAt !== find(first, one.topology, one.id).startedAt);
  expect(again.map(({ topology, id }) => [topology, id])).toEqual([
    ["direct", "connect"],
    ["nat-instance", "connect"],
  ]);
  expect(readme.hosts()).toEqual([]);
  expect(living(lab)).toEqual(before);
});

describe("a new run", () => {
  let second: Results;
  beforeAll(async () => {
    const text = readFileSync(program).toString("base64");
    for (const host of ["server", "direct-client", "nat-instance-client"]) {
      lab.onHost(host, `echo ${text} | base64 -d > /usr/local/bin/ntttcp; chmod 755 /usr/local/bin/ntttcp`);
    }
    for (const host of hasVegeta ? ["direct-client", "nat-instance-client"] : []) {
      lab.onHost(host, installVegeta());
    }
    lab.configure({ runId: "2", tuning: "none", plan: { ...plan, cases: [measured[1], ...later, ntttcp] } });
    ({ results: second } = await lab.up());
  });

  test("measures the whole plan afresh, and drops cases that left it", () => {
    expect(outcomes(second, /^(?!ntttcp)/)).toEqual(
      ["udp", ...later.map(({ id }) => id)].flatMap((id) => [
        ["direct", id, "ok"],
        ["nat-instance", id, "ok"],
      ]),
    );
    const kept = second.cases.filter(
      (one) => one.startedAt !== null && one.startedAt === find(first, one.topology, one.id)?.startedAt,
    );
    expect(kept).toEqual([]);
    expect(second.topologies.map(({ path }) => path.status)).toEqual(["proved", "proved"]);
  });

  test("has a search's packets a second of every host on the way", () => {
    const { measurement, hosts } = find(second, "nat-instance", "peak");
    const { sender, nat, receiver } = measurement!.packetRates!;
    const interfaces = hosts.find(({ role }) => role === "nat")!.network!.interfaces;
    // Sysstat's window covers the whole case, with a trial of one second.
    const received = interfaces.reduce((sum, one) => sum + one.receivedPackets, 0);
    expect(nat! / received).toBeGreaterThan(0.9);
    expect(nat).toBeLessThanOrEqual(received);
    expect([sender, receiver].every((one) => one! > 0)).toBe(true);
    expect(find(second, "direct", "peak").measurement?.packetRates?.receiver).toBeGreaterThan(0);
  });

  test.skipIf(!hasVegeta)("measures HTTPS requests on each way, each on a connection of its own", () => {
    for (const topology of ["direct", "nat-instance"]) {
      const { measurement, toolVersion, sourceIp } = find(second, topology, "http");
      expect([toolVersion, sourceIp]).toEqual(["12.13.0", addresses[topology]]);
      const { attempted } = measurement!.requests!;
      expect(Math.abs(attempted - 75), "100 are due; a busy machine sends fewer").toBeLessThanOrEqual(25);
      expect(measurement!.requests).toMatchObject({ failed: 0, connections: attempted });
      expect(measurement!.latencyUs).toMatchObject({ kind: "request", samples: attempted });
    }
  });

  test("has ntttcp measure both ways where it is, the server the way in; not through a NAT", () => {
    expect(outcomes(second, /ntttcp/)).toEqual([
      ["direct", "ntttcp-tcp-egress-p2", "ok"],
      ["nat-instance", "ntttcp-tcp-egress-p2", "ok"],
      ["direct", "ntttcp-tcp-ingress-p2", "ok"],
      ["nat-instance", "ntttcp-tcp-ingress-p2", "no-route"],
    ]);
    const [out, natOut, back, natBack] = second.cases.filter(({ id }) => id.startsWith("ntttcp"));
    expect(out?.command).toContain("ntttcp -s 198.18.0.1 -p 5135");
    expect(back?.command).toContain("ntttcp -s 198.18.1.2 -p 5135");
    expect(natBack).toMatchObject({
      command: "",
      failure: { message: expect.stringContaining("behind a NAT") },
    });
    for (const one of [out, natOut, back]) expect(one?.measurement?.bitsPerSecond).toBeGreaterThan(0);
    expect([out?.sourceIp, natOut?.sourceIp, back?.sourceIp]).toEqual(["198.18.1.2", "198.19.2.1", null]);
    expect(back?.hosts.map(({ host, problem }) => [host, problem])).toEqual([
      ["server", null],
      ["direct-client", null],
      ["direct-box", null],
    ]);
  });

  test("has undone the tuning of the first one before it: all have the forwarder's settings", () => {
    const { server, topologies, notes } = second;
    const all = [server, ...topologies.flatMap((one) => one.hosts)];
    expect(all.map((host) => host?.tuning)).toEqual(all.map(() => "none"));
    expect(new Set(all.map(wmemOf))).toEqual(new Set([wmemOf(first.topologies[0]?.hosts[1])]));
    expect(all.flatMap((host) => host?.notes ?? []).join()).not.toContain("tuning:");
    expect(notes.join()).not.toContain("profile");
  });

  test("leaves no host behind when it is destroyed", async () => {
    expect(lab.hosts()).toEqual(hosts);
    await lab.stack.destroy({ color: "never" });
    expect(lab.hosts()).toEqual([]);
  });
});
