/**
 * ntttcp on the whole program: missing, then there; the way in run by the server; and tuned hosts. The tool is a
 * stand-in unless NTTTCP names the real one. Proves who connects to whom and what is told; no figure.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { HostFacts, Results } from "../../../bench/results/index.ts";
import { type LabStack, openLabStack } from "../../helpers/lab-stack.ts";
import { savingAtEnd } from "../../helpers/pulumi.ts";

const tool = process.env.NTTTCP ?? fileURLToPath(new URL("../../helpers/ntttcp-standin.py", import.meta.url));
const plan = {
  name: "ntttcp",
  cases: [
    { tool: "ntttcp", direction: ["egress", "ingress"], streams: 2, durationSeconds: 1 },
    { id: "connect", tool: "connect", durationSeconds: 1 },
  ],
};

let lab: LabStack;
let without: Results;

beforeAll(async () => {
  lab = await openLabStack(
    { topologies: ["direct", "nat-instance"], plan, tuning: "throughput" },
    savingAtEnd,
  );
  ({ results: without } = await lab.up());
});
afterAll(() => lab.dispose());

const outcomes = (results: Results) =>
  results.cases.map(({ topology, id, failure }) => [topology, id, failure?.class ?? "ok"]);
const wmemOf = (host: HostFacts | null | undefined) => host?.sysctls["net.ipv4.tcp_wmem"];

test("a host without it fails its cases, says how to get it, and measures the others", () => {
  expect(outcomes(without)).toEqual([
    ["direct", "ntttcp-tcp-egress-p2", "tool-missing"],
    ["nat-instance", "ntttcp-tcp-egress-p2", "tool-missing"],
    ["direct", "ntttcp-tcp-ingress-p2", "tool-missing"],
    ["nat-instance", "ntttcp-tcp-ingress-p2", "no-route"],
    ["direct", "connect", "ok"],
    ["nat-instance", "connect", "ok"],
  ]);
  expect(without.cases[0]?.failure?.message).toContain("github.com/microsoft/ntttcp-for-linux");
});

test("tunes client and server, not the box, and says so", () => {
  const [client, box] = without.topologies[1]?.hosts ?? [];
  expect([without.server, client, box].map((host) => host?.tuning)).toEqual([
    "throughput",
    "throughput",
    "none",
  ]);
  expect([without.server, client].map(wmemOf)).toEqual(Array(2).fill("4096 65536 33554432"));
  expect(wmemOf(box)).not.toBe(wmemOf(client));
  expect(without.notes.join()).toContain("profile throughput");
  // A network namespace has no receive path of its own.
  expect(client?.notes.join()).toContain("net.core.netdev_max_backlog");
});

test("measures both ways where it is, the server the way in; not through a NAT", async () => {
  const program = readFileSync(tool).toString("base64");
  for (const host of ["server", "direct-client", "nat-instance-client"]) {
    lab.onHost(host, `echo ${program} | base64 -d > /usr/local/bin/ntttcp; chmod 755 /usr/local/bin/ntttcp`);
  }
  lab.configure({ runId: "with", tuning: "none" });
  const { results } = await lab.up();
  expect(outcomes(results)).toEqual([
    ["direct", "ntttcp-tcp-egress-p2", "ok"],
    ["nat-instance", "ntttcp-tcp-egress-p2", "ok"],
    ["direct", "ntttcp-tcp-ingress-p2", "ok"],
    ["nat-instance", "ntttcp-tcp-ingress-p2", "no-route"],
    ["direct", "connect", "ok"],
    ["nat-instance", "connect", "ok"],
  ]);
  const [out, natOut, back, natBack] = results.cases;
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
  expect(results.topologies.map(({ path }) => path.status)).toEqual(["proved", "proved"]);

  // What the first run was given has been taken back before this one: all have what the box always had.
  const { server, topologies } = results;
  const hosts = [server, ...topologies.flatMap((one) => one.hosts)];
  expect(hosts.map((host) => host?.tuning)).toEqual(hosts.map(() => "none"));
  expect(new Set(hosts.map(wmemOf))).toEqual(new Set([wmemOf(without.topologies[0]?.hosts[1])]));
  expect([server, ...hosts].flatMap((host) => host?.notes ?? []).join()).not.toContain("tuning:");
  expect(results.notes.join()).not.toContain("profile");
});
