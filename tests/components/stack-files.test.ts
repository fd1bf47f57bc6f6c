/**
 * Every ready-made stack file against mocks: its configuration is valid, its resources pass the cloud's schema, and its cases
 * are measured between the right hosts.
 */
import { describe, expect, it } from "vitest";
import { BenchmarkRun } from "../../components/benchmark/benchmark-run.ts";
import { aws } from "../../stacks/aws.ts";
import { deployMocked as deployAws } from "./aws/deploy.ts";
import { deployMocked, deployMockedWith } from "./azure/deploy.ts";
import { circuitId, type ReadyMade, stackFile, stackFiles } from "./stack-files.ts";

const [ofAws, ofAzure] = [stackFiles("aws"), stackFiles("azure")];

it("exist for each topology of AWS, two comparisons, and a pair in two zones", () => {
  const names = [...Object.keys(aws.topologies), "compare", "fck-nat-sizes", "nat-instance-ha-zones"];
  expect(ofAws.map(({ name }) => name).sort()).toEqual(names.map((name) => `aws-${name}`).sort());
});

it("exist for each topology of Azure, the six comparisons, and another SKU", () => {
  expect(ofAzure.map(({ name }) => name)).toEqual([
    ...["compare-bandwidth", "compare-rtt", "compare-vpn-gw2", "compare-vpn-gw3", "compare-vpn"],
    ...["compare", "default-snat", "direct", "expressroute", "firewall", "intra-vnet", "load-balancer"],
    ...["nat-gateway-v2", "nat-gateway", "nat-instance-ha", "nat-instance", "vnet-peering"],
    "vpn-gateway",
  ]);
});

it.each([
  ...ofAws.map((file) => ({ ...file, deploy: deployAws })),
  ...ofAzure.map((file) => ({ ...file, deploy: deployMocked })),
])("$name deploys and has a plan", async ({ deploy, topologies, settings, plan }) => {
  const { result } = await deploy(topologies, { settings });
  expect(result.paths).toHaveLength(topologies.length);
  expect(plan.cases.length).toBeGreaterThan(0);
});

it.each(ofAzure)(
  "$name needs no tool that hosts lack, and no distance between zones within one region",
  ({ settings, plan }) => {
    expect(plan.cases.map(({ tool }) => tool)).not.toContain("ntttcp");
    expect(settings.zone).toBe(settings.serverLocation === undefined ? "1" : undefined);
  },
);

/** What the `pulumi config set --path` lines of a file's comments make of its topologies. */
function withCommentedLines({ text, topologies }: ReadyMade) {
  const entries = topologies.map((one) => ({ ...one }));
  const lines = text.matchAll(
    /^# {3}pulumi config set --path 'egress-bench:topologies\[(\d+)\]\.(\w+)' (\S+)$/gm,
  );
  for (const [, at, key, value] of lines) {
    const index = Number(at);
    const set = { [key as string]: value?.replace(/^.*\.\.\..*$/, circuitId) };
    entries[index] = { ...entries[index], ...set } as (typeof entries)[0];
  }
  return entries;
}

describe.each(["compare-bandwidth", "expressroute"])("the circuit in the commented lines of %s", (name) => {
  it("connects both gateways, and its server is measured like the others", async () => {
    const file = stackFile("azure", name);
    const topologies = withCommentedLines(file);
    const stack = await deployMocked(topologies, { settings: file.settings });
    expect(stack.result.paths.map(({ topology }) => topology)).toEqual(
      topologies.map(({ topology }) => topology),
    );
    expect(topologies.at(-1)).toMatchObject({ topology: "expressroute", circuitId });
    for (const side of ["client", "server"]) {
      const connection = stack.inputs("VirtualNetworkGatewayConnection", `expressroute-${side}-connection`);
      expect(connection.peer.id).toBe(circuitId);
      const gateway = stack.inputs("VirtualNetworkGateway", `expressroute-${side}-gateway`);
      expect(gateway.allowRemoteVnetTraffic).toBe(true);
      expect(gateway.sku.name).toBe(topologies.at(-1)?.sku ?? "ErGw1AZ");
    }
  });
});

it("compare-vpn measures each pattern against the server behind its own gateway, and pattern 0 in one network", async () => {
  const { topologies, settings, plan } = stackFile("azure", "compare-vpn");
  const stack = await deployMockedWith(topologies, { settings }, (deployment) => {
    const run = { stack: "test", cloud: "azure", runId: "1", plan, deployment, secret: "s" } as const;
    new BenchmarkRun("benchmark", run);
  });
  const addressOf = (host: string) =>
    stack.inputs("NetworkInterface", `${host}-nic`).ipConfigurations[0].privateIPAddress;
  const runOf = (pattern: string) =>
    JSON.parse(stack.inputs("Command", `${pattern}:${plan.cases[0]?.id}`).stdin);
  expect(runOf("pattern-0").path.address).toBe(addressOf("server"));
  for (const pattern of ["pattern-1", "pattern-2", "pattern-3"]) {
    const [run, server] = [runOf(pattern), addressOf(`${pattern}-server`)];
    expect(run.path.address).toBe(server);
    expect(run.observe.map(({ host, address }: Record<string, string>) => [host, address])).toEqual([
      [`${pattern}-client`, "127.0.0.1"],
      [`${pattern}-server`, server],
    ]);
    expect(stack.inputs("Command", `${pattern}-server-agent`).connection.host).toBe(
      stack.arm.outputs(`/publicIPAddresses/${pattern}-server-ip-0`).ipAddress,
    );
  }
});
