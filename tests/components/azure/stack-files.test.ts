/**
 * Every Azure stack file of the project against mocks: its configuration is valid, its resources pass ARM's schema, and its
 * cases are measured between the right hosts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { parsePlan } from "../../../bench/index.ts";
import { BenchmarkRun } from "../../../components/benchmark/benchmark-run.ts";
import { circuitId, deployMocked, deployMockedWith } from "./deploy.ts";

const directory = new URL("../../../stacks/", import.meta.url);
const files = readdirSync(directory).flatMap((file) => {
  const [, name] = /^Pulumi\.(.+)\.yaml$/.exec(file) ?? [];
  const { config } = name === undefined ? {} : parse(readFileSync(new URL(file, directory), "utf8"));
  return config?.["egress-bench:cloud"] === "azure" ? [{ name: name as string, config }] : [];
});

/** The expressroute file leaves the circuit to its user. */
function topologiesOf(config: Record<string, unknown>): Record<string, unknown>[] {
  const entries = config["egress-bench:topologies"] as (string | Record<string, unknown>)[];
  return entries
    .map((entry) => (typeof entry === "string" ? { topology: entry } : entry))
    .map((entry) => (entry.topology === "expressroute" ? { ...entry, circuitId } : entry));
}

const settingsOf = (config: Record<string, unknown>) =>
  (config["egress-bench:azure"] ?? {}) as Record<string, unknown>;

it("exist for each topology, the six comparisons, and another SKU", () => {
  expect(files.map(({ name }) => name)).toEqual([
    ...["compare-bandwidth", "compare-rtt", "compare-vpn-gw2", "compare-vpn-gw3", "compare-vpn"],
    ...["compare", "default-snat", "direct", "expressroute", "firewall", "intra-vnet", "load-balancer"],
    ...["nat-gateway-v2", "nat-gateway", "nat-instance-ha", "nat-instance", "vnet-peering"],
    "vpn-gateway",
  ]);
});

describe.each(files)("$name", ({ config }) => {
  it("deploys and has a plan", async () => {
    const stack = await deployMocked(topologiesOf(config), { settings: settingsOf(config) });
    expect(stack.result.paths).toHaveLength(topologiesOf(config).length);
    expect(parsePlan(config["egress-bench:plan"]).cases.length).toBeGreaterThan(0);
  });

  it("needs no tool that hosts lack, and no distance between zones within one region", () => {
    const { cases } = parsePlan(config["egress-bench:plan"]);
    expect(cases.map(({ tool }) => tool)).not.toContain("ntttcp");
    const { serverLocation, zone } = settingsOf(config);
    expect(zone).toBe(serverLocation === undefined ? "1" : undefined);
  });
});

/** What the `pulumi config set --path` lines of a file's comments make of its topologies. */
function withCommentedLines(name: string, topologies: readonly unknown[]): Record<string, unknown>[] {
  const text = readFileSync(new URL(`Pulumi.${name}.yaml`, directory), "utf8");
  const lines = text.matchAll(
    /^# {3}pulumi config set --path 'egress-bench:topologies\[(\d+)\]\.(\w+)' (\S+)$/gm,
  );
  const entries = topologies.map((one) =>
    typeof one === "string" ? { topology: one } : { ...(one as object) },
  );
  for (const [, at, key, value] of lines) {
    const index = Number(at);
    entries[index] = { ...entries[index], [key as string]: value?.replace(/^.*\.\.\..*$/, circuitId) };
  }
  return entries as Record<string, unknown>[];
}

describe.each(["compare-bandwidth", "expressroute"])("the circuit in the commented lines of %s", (name) => {
  it("connects both gateways, and its server is measured like the others", async () => {
    const { config } = files.find((file) => file.name === name) as (typeof files)[0];
    const topologies = withCommentedLines(name, config["egress-bench:topologies"]);
    const stack = await deployMocked(topologies, { settings: settingsOf(config) });
    expect(stack.result.paths.map(({ topology }) => topology)).toEqual(
      topologies.map(({ topology }) => topology),
    );
    expect(topologies.at(-1)).toMatchObject({ topology: "expressroute", circuitId });
    for (const side of ["client", "server"]) {
      const connection = stack.inputs("VirtualNetworkGatewayConnection", `expressroute-${side}-connection`);
      expect(connection.peer.id).toBe(circuitId);
      const { sku, allowRemoteVnetTraffic } = stack.inputs(
        "VirtualNetworkGateway",
        `expressroute-${side}-gateway`,
      );
      expect(allowRemoteVnetTraffic).toBe(true);
      expect(sku.name).toBe(topologies.at(-1)?.sku ?? "ErGw1AZ");
    }
  });
});

describe("compare-vpn", () => {
  it("measures each pattern against the server behind its own gateway, and pattern 0 in one network", async () => {
    const { config } = files.find(({ name }) => name === "compare-vpn") as (typeof files)[0];
    const plan = parsePlan(config["egress-bench:plan"]);
    const stack = await deployMockedWith(
      topologiesOf(config),
      { settings: settingsOf(config) },
      (deployment) => {
        new BenchmarkRun("benchmark", {
          stack: "test",
          cloud: "azure",
          runId: "1",
          plan,
          deployment,
          secret: "s",
        });
      },
    );
    const [own] = stack.inputs("NetworkInterface", "server-nic").ipConfigurations;
    const without = JSON.parse(stack.inputs("Command", `pattern-0:${plan.cases[0]?.id}`).stdin);
    expect(without.path.address).toBe(own.privateIPAddress);
    for (const pattern of ["pattern-1", "pattern-2", "pattern-3"]) {
      const [server] = stack.inputs("NetworkInterface", `${pattern}-server-nic`).ipConfigurations;
      const run = JSON.parse(stack.inputs("Command", `${pattern}:${plan.cases[0]?.id}`).stdin);
      expect(run.path.address).toBe(server.privateIPAddress);
      expect(run.observe.map(({ host, address }: Record<string, string>) => [host, address])).toEqual([
        [`${pattern}-client`, "127.0.0.1"],
        [`${pattern}-server`, server.privateIPAddress],
      ]);
      expect(stack.inputs("Command", `${pattern}-server-agent`).connection.host).toBe(
        stack.arm.outputs(`/publicIPAddresses/${pattern}-server-ip-0`).ipAddress,
      );
    }
  });
});
