/** A host's facts in results: those that it reported, and those that only the deployment knows. */
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { hostFacts, hostsDigest } from "../../components/benchmark/prepare-hosts.ts";
import { silentFacts } from "../unit/bench/fixture.ts";
import { known } from "./ends.ts";

const facts = { ...silentFacts("client", "client"), kernel: "6.8.0", cpus: 2 };
const reported = JSON.stringify({ version: 1, facts });
const read = (...args: Parameters<typeof hostFacts>) => known(hostFacts(...args));

it("is both", async () => {
  const placed = { size: "c7g.large", region: pulumi.output("us-east-1"), zone: pulumi.output("us-east-1a") };
  expect(await read(placed, reported)).toMatchObject({
    kernel: "6.8.0",
    size: "c7g.large",
    region: "us-east-1",
    zone: "us-east-1a",
  });
});

it("has the zone from the machine itself, if the cloud chose it", async () => {
  const placement = { zone: "2", zoneId: null, group: null, faultDomain: "0" };
  const placed = JSON.stringify({ version: 1, facts: { ...facts, placement } });
  expect(await read({}, placed)).toMatchObject({ zone: "2", placement });
  expect(await read({ zone: pulumi.output("1") }, placed)).toMatchObject({ zone: "1", placement });
});

const burst = { cpu: null, network: { baselineBitsPerSecond: 32e6, peakBitsPerSecond: 5e9 } };

it("has the deployment's burst limits, whatever the host reports", async () => {
  expect(await read({ burst: pulumi.output(burst) }, reported)).toMatchObject({ burst });
  const liar = JSON.stringify({ version: 1, facts: { ...facts, burst } });
  expect(await read({}, liar)).toMatchObject({ burst: null });
});

it("is null where unknown", async () => {
  expect(await read({}, reported)).toMatchObject({
    cpus: 2,
    size: null,
    region: null,
    zone: null,
    burst: null,
  });
});

it.each([undefined, "", "no JSON", "{}"])("is null without the host's own: %j", async (text) => {
  expect(await read({ size: "c7g.large" }, text)).toBeNull();
});

describe("the digest of the facts that decide performance", () => {
  const report = (changes: object = {}) =>
    JSON.stringify({
      version: 1,
      facts: {
        ...{
          host: "nat",
          role: "nat",
          kernel: "6.8.0-1015-azure",
          os: "Ubuntu 24.04.1 LTS",
          architecture: "x86_64",
        },
        ...{ cpus: 2, memoryBytes: 8e9, congestionControl: "cubic", sysctls: {}, tools: {}, tuning: "none" },
        interfaces: [{ name: "eth0", mtu: 1500, driver: "hv_netvsc", qdisc: "mq" }],
        ...{ dataPlane: "flowtable", notes: [] },
        ...changes,
      },
    });
  const digest = (text: string, size = "Standard_D2s_v5") =>
    known(hostsDigest([hostFacts({ size }, pulumi.output(text))]));
  const eth0 = { name: "eth0", mtu: 1500, driver: "hv_netvsc", qdisc: "mq" };

  it.each<[string, string, string?]>([
    ["its size", report(), "Standard_D4s_v5"],
    ["its kernel", report({ kernel: "6.8.0-1020-azure" })],
    ["its CPUs", report({ cpus: 4 })],
    ["its data plane", report({ dataPlane: "iptables" })],
    ["its tuning", report({ tuning: "throughput" })],
    [
      "accelerated networking",
      report({ interfaces: [eth0, { ...eth0, name: "enP1s1", driver: "mlx5_core" }] }),
    ],
  ])("is another with %s", async (_, changed, size) => {
    expect(await digest(changed, size)).not.toBe(await digest(report()));
  });

  it.each([
    ["memory, which the kernel reports slightly differently each boot", report({ memoryBytes: 8e9 - 4096 })],
    [
      "one more interface of the same kind, which a server has with each path",
      report({ interfaces: [eth0, eth0] }),
    ],
    ["a tool's version", report({ tools: { iperf3: "3.20" } })],
  ])("is the same with other %s", async (_, changed) => {
    expect(await digest(changed)).toBe(await digest(report()));
  });
});
