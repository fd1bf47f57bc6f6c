/**
 * Effects of a component argument's change on a live stack, in a cloud that refuses what Azure refuses.
 *
 * Not proved: that the real provider replaces the same as the stand-in, which follows its published table and Azure's document
 * of November 2023 on ExpressRoute gateways, and that it takes over resources of another API version, as its documents say.
 */
import type { Deployment, Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ComponentProgram } from "../../helpers/azure-native-standin/component-program.ts";
import { type AzureEngine, createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { observe } from "../../helpers/engine-events.ts";

let engine: AzureEngine;
let stack: Stack | undefined;
beforeAll(() => {
  engine = createAzureEngine();
});
afterEach(async () => {
  await stack?.destroy();
  stack = undefined;
});
afterAll(() => engine.dispose());

const nat = (args: Record<string, unknown>): ComponentProgram => ({
  components: { nat: { component: "NatInstance", args } },
});

/** Reason why a preview of the present program fails. */
const failure = async () => (await observe((onEvent) => (stack as Stack).preview({ onEvent }))).failureText;

/** Reason why a preview of the change fails. */
async function refusal(program: ComponentProgram): Promise<string> {
  engine.program(program);
  return failure();
}

/** Requests after the first ones, in order: method, type and name. */
const requestsSince = (served: number) =>
  engine
    .cloud()
    .requests.slice(served)
    .map(({ method, id }) => `${method} ${id.split("/").slice(-2).join("/")}`.replace(/[0-9a-f]{8}$/, ""));

/** Requests of the change, in order. */
async function change(before: ComponentProgram, ...after: readonly ComponentProgram[]): Promise<string[]> {
  stack = await engine.componentStack("changed", before);
  await stack.up({ showSecrets: false });
  const served = engine.cloud().requests.length;
  for (const next of after) {
    engine.program(next);
    await stack.up({ showSecrets: false });
  }
  await stack.preview({ expectNoChanges: true });
  return requestsSince(served);
}

// The sizes that differ: tests/unit/resize-class.test.ts.
it("a NAT instance of another disk, controller and kind of networking is another machine; a similar size changes in place", async () => {
  const sizes = ["Standard_B1s", "Standard_D2ls_v6", "Standard_D4ls_v6"].map((size) => nat({ size }));
  const [small, ...larger] = sizes as [ComponentProgram, ...ComponentProgram[]];
  const requests = await change(small, ...larger);
  const machine = "virtualMachines/nat-nat";
  expect(requests.filter((one) => one.includes("virtualMachines/"))).toEqual([
    ...[`DELETE ${machine}`, `PUT ${machine}`, `PUT ${machine}`],
  ]);
  expect(requests.at(-1)).toBe(`PUT ${machine}`);
});

it("a NAT instance in a subnet that its id names is refused where 0.0.0.0/0 leads to another machine", async () => {
  stack = await engine.componentStack("changed", nat({}));
  await stack.up({ showSecrets: false });
  const idOf = (name: RegExp) => Object.keys(engine.cloud().resources).find((id) => name.test(id)) as string;
  const own = idOf(/subnets\/nat-own\w+$/);
  const preview = (subnetId: string) => {
    engine.program({
      components: { ...nat({}).components, next: { component: "NatInstance", args: { subnetId } } },
    });
    return observe((onEvent) => (stack as Stack).preview({ onEvent }));
  };
  const refusal = await preview(idOf(/subnets\/clients\w+$/));
  expect(refusal.failureText).toMatch(
    /subnetId: the subnet has a 0\.0\.0\.0\/0 route to another machine or a firewall/,
  );
  expect(await preview(own)).toMatchObject({ failed: false });
  // Its routes may be unreadable.
  expect(await preview(own.replace("/nat-own", "/unread-"))).toMatchObject({ failed: false });
  engine.program(nat({}));
});

it("a single machine becomes a pair, and a single one again, with its address", async () => {
  const requests = await change(nat({}), nat({ highAvailability: {} }), nat({}));
  const machines = requests.filter((one) => one.includes("virtualMachines/"));
  expect(machines).toEqual([
    "DELETE virtualMachines/nat-nat",
    "PUT virtualMachines/nat-nat",
    "PUT virtualMachines/nat-nat-2",
    "DELETE virtualMachines/nat-nat",
    "PUT virtualMachines/nat-nat",
    "DELETE virtualMachines/nat-nat-2",
  ]);
  expect(requests.filter((one) => one.includes("publicIPAddresses/"))).toEqual([
    "PUT publicIPAddresses/nat-ip-2",
    "DELETE publicIPAddresses/nat-ip-2",
  ]);
});

it.each([
  ["one machine becomes a pair", "VirtualMachine", {}, { highAvailability: {} }],
  ["one machine becomes a pair", "NetworkInterface", {}, { highAvailability: {} }],
  ["a pair becomes one machine", "VirtualMachine", { highAvailability: {} }, {}],
])("%s in a second update, after one that Azure ended at its %s", async (_, type, from, to) => {
  stack = await engine.componentStack("changed", nat(from));
  await stack.up({ showSecrets: false });
  engine.program(nat(to));
  engine.setFault({ type, error: "AllocationFailed: no capacity" });
  await expect(stack.up({ showSecrets: false })).rejects.toThrow(/AllocationFailed/);
  engine.setFault(undefined);
  await stack.up({ showSecrets: false });
  await stack.preview({ expectNoChanges: true });
  const machines = Object.values(engine.cloud().resources).filter((one) =>
    one.type.endsWith(":VirtualMachine"),
  );
  expect(machines).toHaveLength("highAvailability" in to ? 2 : 1);
});

describe("a pair, one machine after the other", () => {
  /** Requests that make another machine on another interface. */
  const anew = (machine: string) => [
    `DELETE virtualMachines/${machine}`,
    `DELETE networkInterfaces/${machine}-nic`,
    `PUT networkInterfaces/${machine}-nic`,
    `PUT virtualMachines/${machine}`,
  ];

  it.each([
    ["Azure's", {}],
    ["its own", { privateAddresses: ["10.0.100.4", "10.0.100.5"] }],
  ])("changes to another class of size, with addresses of %s choice", async (_, highAvailability) => {
    const pair = (size: string) => nat({ size, highAvailability });
    const requests = await change(pair("Standard_B2s"), pair("Standard_D2ls_v5"));
    expect(requests).toEqual(["nat-nat", "nat-nat-2"].flatMap(anew));
  });

  it("moves to another subnet, with a load balancer there that gets the clients once a machine answers it", async () => {
    const pair = { highAvailability: {} };
    const requests = await change(nat(pair), nat({ ...pair, subnetId: "@other" }));
    expect(requests).toEqual([
      "PUT subnets/other",
      "PUT loadBalancers/nat-balancer",
      ...anew("nat-nat"),
      "PUT routeTables/nat-routes",
      ...anew("nat-nat-2"),
      "DELETE loadBalancers/nat-balancer",
    ]);
  });
});

it("a pair moves to another network with a security group of its own there: a group's members are in one network", async () => {
  const pair = { highAvailability: {} };
  const requests = await change(nat(pair), nat({ ...pair, subnetId: "@far" }));
  expect(requests.filter((one) => one.includes("pplicationSecurityGroups/"))).toEqual([
    "PUT applicationSecurityGroups/nat-pair-asg",
    "DELETE applicationSecurityGroups/nat-pair-asg",
  ]);
});

it("a subnet with a NAT instance in it grows through another block: Azure refuses one that overlaps the former", async () => {
  const block = (ownBlock: string) => ({ ...nat({}), ownBlock });
  const requests = await change(nat({}), block("10.0.200.0/24"), block("10.0.100.0/23"));
  const moved = ["DELETE virtualMachines/nat-nat", "PUT virtualMachines/nat-nat"];
  expect(requests.filter((one) => one.includes("irtualMachines/"))).toEqual([...moved, ...moved]);
  expect(await refusal(block("10.0.100.0/24"))).toMatch(
    /cidr: subnet 10\.0\.100\.0\/24 overlaps 10\.0\.100\.0\/23 of nat-own\w+, which stays/,
  );
  engine.program(block("10.0.100.0/23"));
});

it("a network moves to another block through one around both: Azure keeps no subnet outside its network", async () => {
  const network = (cidr: string, block: string) =>
    ({ n: { component: "Network", args: { cidr, subnet: { cidr: block } } } }) as never;
  stack = await engine.eachStack(network("10.8.0.0/16", "10.8.1.0/24"));
  await stack.up({ showSecrets: false });
  await engine.eachStack(network("10.9.0.0/16", "10.9.1.0/24"));
  expect(await failure()).toMatch(
    /cidr: 10\.9\.0\.0\/16 leaves out 10\.8\.1\.0\/24 of n-apps\w+, which still exists/,
  );
  await expect(stack.up({ showSecrets: false })).rejects.toThrow(/NetcfgInvalidSubnet/);
  for (const [cidr, block] of [
    ["10.8.0.0/15", "10.8.1.0/24"],
    ["10.8.0.0/15", "10.9.1.0/24"],
    ["10.9.0.0/16", "10.9.1.0/24"],
  ] as const) {
    await engine.eachStack(network(cidr, block));
    await stack.up({ showSecrets: false });
  }
  await stack.preview({ expectNoChanges: true });
});

it("other private blocks are set up on the running machine, by Run Command without a login", async () => {
  const blocks = (...privateCidrs: string[]) => nat({ ssh: null, privateCidrs });
  const requests = await change(blocks("10.0.1.0/24"), blocks("10.0.1.0/24", "10.0.4.0/24"));
  expect(requests).toEqual(["PUT networkSecurityGroups/nat-nat-nsg", "PUT runCommands/nat-nat-set-up"]);
});

it("an ExpressRoute gateway of a smaller SKU is another gateway: Azure makes none smaller", async () => {
  const path = (sku: string) => {
    const circuitId = "/subscriptions/0/resourceGroups/l/providers/Microsoft.Network/expressRouteCircuits/x";
    const client = { network: "@network", gatewaySubnetId: "@gateway" };
    const server = { network: "@far", gatewaySubnetId: "@far-gateway" };
    const args = { sku, circuitId, clientAddress: "10.0.1.4", client, server };
    return engine.eachStack({ path: { component: "ExpressRoute", args } } as never);
  };
  stack = await path("ErGw2AZ");
  await stack.up();
  await path("ErGw1AZ");
  const text = await failure();
  expect(text).toMatch(/sku: Azure cannot change a gateway from ErGw2AZ to ErGw1AZ/);
  const [, both = ""] = /--replace '([^']+)'/.exec(text) ?? [];
  await expect(stack.up()).rejects.toThrow(/is not resized from ErGw2AZ to ErGw1AZ/);
  await stack.preview({ replace: [both] });
  await stack.up({ replace: [both] });
  await stack.preview({ expectNoChanges: true });
});

describe("a StandardV2 gateway, whose API versions change, stays", () => {
  const gateway = (args: object = {}): ComponentProgram => ({
    components: { nat: { component: "NatGatewayEgress", args: { sku: "StandardV2", ...args } } },
  });
  const made = async () => {
    stack = await engine.componentStack("v2", gateway());
    await stack.up({ showSecrets: false });
    return stack;
  };
  /** Requests of an update, in which nothing is replaced. */
  async function updated(): Promise<string[]> {
    const served = engine.cloud().requests.length;
    const { summary } = await (stack as Stack).up({ showSecrets: false });
    expect(summary.resourceChanges).not.toHaveProperty("replace");
    return requestsSince(served);
  }

  it("made at the provider's default API version", async () => {
    const v2 = await made();
    await v2.importStack(madeBefore(await v2.exportStack()));
    expect(await updated()).toEqual([]);
  });

  it("IPv6 and NAT64 come in place, though at another API version, and go again", async () => {
    const v2 = await made();
    engine.program(gateway({ publicIpV6Count: 1, nat64: true }));
    expect(await updated()).toEqual(["PUT publicIPAddresses/nat-ipv6-1", "PUT natGateways/nat"]);
    await v2.preview({ expectNoChanges: true });
    engine.program(gateway());
    expect(await updated()).toEqual(["PUT natGateways/nat", "DELETE publicIPAddresses/nat-ipv6-1"]);
  });

  it("a provider without another API version fails the preview by name, before anything is made", async () => {
    stack = await engine.componentStack("v2", gateway());
    const served = engine.cloud().requests.length;
    engine.setFault({ type: "Parameterize", error: "unknown method Parameterize" });
    await expect(stack.preview()).rejects.toThrow(
      /providers:azure-native_network_v20240701 .*error: .*unknown method Parameterize/,
    );
    engine.setFault(undefined);
    expect(engine.cloud().requests).toHaveLength(served);
  });
});

/** The deployment as an earlier release had it: without the provider's package for one API version. */
function madeBefore({ version, deployment }: Deployment): Deployment {
  const resources: { urn: string; type: string; id?: string; provider?: string }[] = deployment.resources;
  const usual = resources.find(({ type }) => type === "pulumi:providers:azure-native");
  const versioned = resources.find(({ type }) => type.startsWith("pulumi:providers:azure-native_"));
  const others = resources.filter((one) => one !== versioned);
  const text = JSON.stringify({ ...deployment, resources: others })
    .replaceAll(`${versioned?.urn}::${versioned?.id}`, `${usual?.urn}::${usual?.id}`)
    .replaceAll(/azure-native_network_v\d+:/g, "azure-native:");
  return { version, deployment: JSON.parse(text) };
}
