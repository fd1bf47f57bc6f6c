/**
 * The main job with real parts: engine, SSH, namespaces, iperf3, sockperf. Proves what is run, kept and left
 * behind; not how fast anything is.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { CaseResult, Results } from "../../../bench/results/index.ts";
import { type LabStack, type LabUp, openLabStack, shortCase } from "../../helpers/lab-stack.ts";

const plan = {
  name: "every-tool",
  cases: [
    shortCase("tcp", { durationSeconds: 2, direction: "ingress", bitrate: "200M" }),
    shortCase("udp", { protocol: "udp", bitrate: "5M" }),
    { id: "ping-pong", tool: "sockperf", durationSeconds: 1 },
    { id: "connect", tool: "connect", durationSeconds: 1 },
  ],
};

let lab: LabStack;
let first: Results;
let outputs: LabUp["outputs"];

beforeAll(async () => {
  lab = await openLabStack({ topologies: ["direct", "nat-instance"], plan });
  ({ results: first, outputs } = await lab.up());
});
afterAll(() => lab.dispose());

function find(results: Results, topology: string, id: string): CaseResult {
  return results.cases.find((one) => one.topology === topology && one.id === id)!;
}

test("measures every case on every topology, one topology after the other", () => {
  expect(first.cases.map(({ topology, id, failure }) => [topology, id, failure])).toEqual(
    plan.cases.flatMap(({ id }) => [
      ["direct", id, null],
      ["nat-instance", id, null],
    ]),
  );
  const starts = first.cases.map((one) => Date.parse(one.startedAt!));
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
});

test("has a figure for what each tool measures, and null for the rest", () => {
  const measured = (id: string) => find(first, "nat-instance", id).measurement!;
  expect(measured("tcp").bitsPerSecond).toBeGreaterThan(0);
  expect(measured("tcp").series.length).toBeGreaterThanOrEqual(2);
  expect(measured("tcp").lostPercent).toBeNull();
  expect(measured("udp").lostPercent).toBeGreaterThanOrEqual(0);
  expect(measured("ping-pong").latencyUs?.p50).toBeGreaterThan(0);
  expect(measured("connect").connections?.attempted).toBeGreaterThan(10);
  expect(measured("connect").connections?.failed).toBe(0);
  expect(measured("connect").bitsPerSecond).toBeNull();
});

test("proves each path by the address that the server saw", () => {
  expect(first.topologies.map(({ name, path }) => [name, path.status, path.sourceIps])).toEqual([
    ["direct", "proved", ["198.18.1.2"]],
    ["nat-instance", "proved", ["198.19.2.1"]],
  ]);
});

test("samples client, box and server during a case", () => {
  const { hosts } = find(first, "nat-instance", "tcp");
  expect(hosts.map(({ host, role, problem }) => [host, role, problem])).toEqual([
    ["nat-instance-client", "client", null],
    ["server", "server", null],
    ["nat-instance-box", "nat", null],
  ]);
  expect(hosts.every(({ cpu }) => cpu!.busyPercent! > 0)).toBe(true);
  expect(first.notes.join()).toContain("share one machine");
});

test("counts packets into and out of the NAT instance, of which no interface sees one twice", () => {
  const { natDrops, hosts, measurement } = find(first, "nat-instance", "udp");
  const box = hosts.find(({ role }) => role === "nat");
  expect(box?.network?.interfaces.map(({ name }) => name)).toEqual(["client1", "eth1"]);
  expect(natDrops?.receivedPackets).toBeGreaterThanOrEqual(measurement!.packets!);
  expect(Math.abs(natDrops!.receivedPackets - natDrops!.sentPackets)).toBeLessThan(50);
  expect(find(first, "nat-instance", "tcp").natDrops).toBeNull();
  expect(find(first, "direct", "udp").natDrops).toBeNull();
  // Hosts that share CPUs cannot tell that one of them was the limit.
  const kinds = first.cases.flatMap(({ limits }) => limits!.map(({ kind }) => kind));
  expect(kinds.filter((kind) => /cpu|drop/i.test(kind))).toEqual([]);
});

test("knows its hosts", () => {
  const [client, box] = first.topologies[1]!.hosts;
  expect(client?.interfaces.map(({ name, mtu }) => [name, mtu])).toEqual([["eth0", 1500]]);
  expect(client?.interfaces[0]?.offloads).toHaveProperty("generic-receive-offload");
  expect(first.server?.tools.iperf3).toMatch(/^\d+\.\d+/);
  expect(box?.tools.nft).toMatch(/^\d+\.\d+/);
  expect(box?.sysctls["net.ipv4.ip_forward"]).toBe("1");
  expect(first.server?.interfaces.map(({ name }) => name).sort()).toEqual(["eth1", "eth2"]);
});

test("keeps the state small and without a secret", () => {
  const state = lab.storedState();
  expect(state).not.toMatch(/PRIVATE KEY/);
  const { resources } = JSON.parse(state).checkpoint.latest;
  const reports = resources.filter(({ urn }: { urn: string }) => urn.includes("Command::nat-instance:"));
  expect(reports).toHaveLength(plan.cases.length);
  for (const { outputs } of reports) {
    expect(outputs.stdout.length).toBeLessThan(64 * 1024);
  }
});

test("has a summary for people", () => {
  const { summary } = outputs;
  const [head, , first] = summary?.value.split("\n") ?? [];
  expect(head).toMatch(/^case +direct +nat-instance$/);
  expect(first).toMatch(/bit\/s \(\d+\.\d\dx\)$/);
  expect(summary?.secret).toBe(false);
});

test("changes nothing when nothing has changed", async () => {
  const { results, changes } = await lab.up();
  expect(Object.keys(changes)).toEqual(["same"]);
  expect(results).toEqual(first);
});

test("measures only the case that changed", async () => {
  const changed = [...plan.cases.slice(0, 3), { id: "connect", tool: "connect", durationSeconds: 2 }];
  lab.configure({ plan: { ...plan, cases: changed } });
  const { results, changes } = await lab.up();
  expect(changes).toMatchObject({ replace: 2 });
  const again = results.cases.filter((one) => one.startedAt !== find(first, one.topology, one.id).startedAt);
  expect(again.map(({ topology, id }) => [topology, id])).toEqual([
    ["direct", "connect"],
    ["nat-instance", "connect"],
  ]);
});

test("measures everything of the plan afresh for a new run id, and forgets what is not of it any more", async () => {
  const few = plan.cases.slice(1, 3);
  lab.configure({ runId: "2", plan: { ...plan, cases: few } });
  const { results } = await lab.up();
  expect(results.cases.map(({ id, status }) => [id, status])).toEqual(
    few.flatMap(({ id }) => Array(2).fill([id, "ok"])),
  );
  const kept = results.cases.filter((one) => one.startedAt === find(first, one.topology, one.id).startedAt);
  expect(kept).toEqual([]);
});

test("leaves no host behind", async () => {
  expect(lab.hosts()).toEqual([
    "direct-box",
    "direct-client",
    "nat-instance-box",
    "nat-instance-client",
    "server",
  ]);
  await lab.stack.destroy({ color: "never" });
  expect(lab.hosts()).toEqual([]);
});
