/**
 * Machines of Azure stacks: allowed sources, logins and facts.
 *
 * Not proved: that Azure filters packets by the rules.
 */
import * as pulumi from "@pulumi/pulumi";
import { describe, expect, it } from "vitest";
import { AGENT_PORT, type PortRange, receiverPorts, testPorts } from "../../../bench/tools/ports.ts";
import type { EgressPath } from "../../../components/shared/egress.ts";
import { known } from "../ends.ts";
import { deployMocked } from "./deploy.ts";

const range = ({ first, last }: PortRange) => (first === last ? `${first}` : `${first}-${last}`);

type Stack = Awaited<ReturnType<typeof deployMocked>>;
const publicAddress = ({ arm }: Stack, name: string) => arm.outputs(`/publicIPAddresses/${name}-0`).ipAddress;
const privateAddress = ({ inputs }: Stack, host: string) =>
  inputs("NetworkInterface", `${host}-nic`).ipConfigurations[0].privateIPAddress;
const rulesOf = ({ inputs }: Stack, host: string): Record<string, unknown>[] =>
  inputs("NetworkSecurityGroup", `${host}-nsg`).securityRules;
const namesOf = (rules: ReturnType<typeof rulesOf>) => rules.map(({ name }) => name);

describe("the server of a comparison", () => {
  it("is a single one, with its test ports open only to each path's source addresses", async () => {
    const stack = await deployMocked([
      { topology: "direct" },
      { topology: "nat-gateway", publicIpCount: 2 },
      { topology: "nat-instance" },
      { topology: "vnet-peering" },
    ]);
    const { paths, server: host } = stack.result;
    expect(new Set(paths.map((path) => path.server))).toEqual(new Set([host]));
    const expected = {
      direct: [publicAddress(stack, "direct-ip")],
      "nat-gateway": [publicAddress(stack, "nat-gateway-ip-1"), publicAddress(stack, "nat-gateway-ip-2")],
      "nat-instance": [publicAddress(stack, "nat-instance-ip-1")],
      "vnet-peering": [privateAddress(stack, "vnet-peering-client")],
    };
    const tests = Object.entries(expected).flatMap(([name, sourceAddressPrefixes]) =>
      (["tcp", "udp"] as const).map((protocol) => ({
        ...{ name: `test-${name}-${protocol}`, sourceAddressPrefixes },
        destinationPortRanges: testPorts[protocol].map(range),
      })),
    );
    const [ssh, ...rules] = rulesOf(stack, "server");
    expect(ssh).toMatchObject({ name: "ssh", sourceAddressPrefixes: ["203.0.113.7/32"] });
    expect(rules).toMatchObject([...tests, { name: "deny-all-else" }]);
  });

  it("is the only one that may connect to a client without a NAT: to its agent and ntttcp's ports", async () => {
    const stack = await deployMocked([
      { topology: "direct" },
      { topology: "vnet-peering" },
      { topology: "nat-gateway" },
    ]);
    const opened = (client: string) =>
      rulesOf(stack, `${client}-client`)
        .filter(({ name }) => name !== "ssh" && name !== "deny-all-else")
        .map((rule) => [rule.protocol, rule.destinationPortRanges, rule.sourceAddressPrefixes]);
    const rulesFor = (address: unknown) => [
      ["Tcp", receiverPorts.tcp.map(range), [address]],
      ["Udp", receiverPorts.udp.map(range), [address]],
    ];
    expect(opened("direct")).toEqual(rulesFor(publicAddress(stack, "server-ip")));
    expect(opened("vnet-peering")).toEqual(rulesFor(privateAddress(stack, "server")));
    expect(opened("nat-gateway")).toEqual([]);
    const addresses = stack.result.paths.map(({ clientAddress }) => known(clientAddress ?? ""));
    expect(await Promise.all(addresses)).toEqual([
      publicAddress(stack, "direct-ip"),
      privateAddress(stack, "vnet-peering-client"),
      "",
    ]);
  });

  it("has the addresses that default-snat must not use, and opens only to the client's region", async () => {
    const stack = await deployMocked([{ topology: "default-snat" }, { topology: "direct" }], {
      settings: { location: "Japan East" },
    });
    const path = stack.result.paths[0] as EgressPath;
    const ours = ["server-ip", "default-snat-jump-ip", "direct-ip"].map((name) => publicAddress(stack, name));
    expect(path.expectedSourceIps).toEqual([]);
    const forbidden = await known(path.forbiddenSourceIps as pulumi.Output<string[]>);
    expect(forbidden.sort()).toEqual(ours.sort());
    expect(rulesOf(stack, "server").find(({ name }) => name === "test-default-snat-tcp")).toMatchObject({
      sourceAddressPrefix: "AzureCloud.japaneast",
    });
    expect(stack.result.notes.at(-1)).toMatch(/default-snat is not known beforehand/);
  });
});

describe("logins", () => {
  it("reach a private client through its jump host, with every host's key verified", async () => {
    const stack = await deployMocked([{ topology: "nat-gateway" }]);
    const { connection } = stack.inputs("Command", "nat-gateway-client-ready");
    expect(connection).toMatchObject({
      host: privateAddress(stack, "nat-gateway-client"),
      user: "azureuser",
      hostKey: "ssh-ed25519 nat-gateway-client-host-key",
      proxy: {
        host: publicAddress(stack, "nat-gateway-jump-ip"),
        hostKey: "ssh-ed25519 nat-gateway-jump-host-key",
      },
    });
    const rules = rulesOf(stack, "nat-gateway-client");
    expect(namesOf(rules)).toEqual(["ssh", "deny-all-else"]);
    const { addressPrefix } = stack.inputs("Subnet", "nat-gateway-jump");
    expect(rules[0]!.sourceAddressPrefixes).toEqual([addressPrefix]);
  });
});

describe("a jump host", () => {
  it("is sampled: its agent answers only the clients' subnet", async () => {
    const stack = await deployMocked([{ topology: "direct" }, { topology: "nat-gateway" }]);
    const rules = rulesOf(stack, "nat-gateway-jump");
    expect(namesOf(rules)).toEqual(["ssh", "agent", "deny-all-else"]);
    expect(rules[1]).toMatchObject({
      sourceAddressPrefixes: [stack.inputs("Subnet", "nat-gateway-client").addressPrefix],
      destinationPortRange: `${AGENT_PORT}`,
    });
    expect(stack.result.paths.map((path) => path.observed.map(({ name }) => name))).toEqual([
      [],
      ["nat-gateway-jump"],
    ]);
  });
});

describe("machines", () => {
  it("are in the results' notes", async () => {
    const stack = await deployMocked([{ topology: "nat-instance", name: "small" }], {
      settings: { clientSize: "Standard_B2s", serverLocation: "japanwest", zone: "1" },
    });
    expect(stack.result.notes).toEqual([
      "Clients: Standard_B2s in japaneast, accelerated networking off. Server: Standard_D8ls_v5 in japanwest, accelerated networking on. Zone: 1.",
      "small: NAT instance Standard_B2ats_v2.",
    ]);
  });

  it("report their size, region and zone for the results", async () => {
    const stack = await deployMocked([{ topology: "nat-instance" }], {
      settings: { clientSize: "Standard_B2s", serverLocation: "japanwest", zone: "1" },
    });
    const [path] = stack.result.paths as [EgressPath];
    const reported = pulumi.all(
      [path.client, stack.result.server].map(({ size, region, zone }) => pulumi.all([size, region, zone])),
    );
    expect(await known(reported)).toEqual([
      ["Standard_B2s", "japaneast", "1"],
      ["Standard_D8ls_v5", "japanwest", "1"],
    ]);
  });

  it.each([
    ["Standard_D8ls_v5", "server", true],
    ["Standard_D8ps_v5", "server-arm64", true],
    ["Standard_B2s", "server", false],
  ])("%s boots the %s image, accelerated networking: %s", async (clientSize, sku, accelerated) => {
    const stack = await deployMocked([{ topology: "direct" }], { settings: { clientSize } });
    const { storageProfile, hardwareProfile, osProfile } = stack.inputs("VirtualMachine", "direct-client");
    expect(hardwareProfile.vmSize).toBe(clientSize);
    expect(storageProfile.imageReference.sku).toBe(sku);
    expect(storageProfile.imageReference.version).toMatch(/^24\.04\.\d{9}$/);
    expect(osProfile.linuxConfiguration.disablePasswordAuthentication).toBe(true);
    expect(stack.inputs("NetworkInterface", "direct-client-nic").enableAcceleratedNetworking).toBe(
      accelerated,
    );
  });
});

it("machines are in one proximity placement group on request, in a stack of one region", async () => {
  const settings = { proximityPlacementGroup: true, zone: "1" };
  const stack = await deployMocked([{ topology: "nat-instance" }], { settings });
  expect(stack.inputs("ProximityPlacementGroup", "placement").location).toBe("japaneast");
  for (const machine of ["server", "nat-instance-client", "nat-instance-jump", "nat-instance-nat"]) {
    expect(stack.inputs("VirtualMachine", machine).proximityPlacementGroup.id).toMatch(
      /proximityPlacementGroups\/placement-0$/,
    );
  }
  await expect(
    deployMocked([{ topology: "direct" }], { settings: { ...settings, serverLocation: "japanwest" } }),
  ).rejects.toThrow(
    /egress-bench:azure\.proximityPlacementGroup: a group is in one region, and the server is in japanwest/,
  );
});

it.each<[Record<string, unknown>, number | undefined]>([
  [{ topology: "nat-gateway" }, 240],
  [{ topology: "nat-gateway", idleTimeoutMinutes: 30 }, 1800],
  [{ topology: "load-balancer", idleTimeoutMinutes: 10 }, 600],
  [{ topology: "direct" }, 240],
  [{ topology: "nat-instance" }, 240],
  [{ topology: "nat-instance", dataPlane: "iptables" }, 240],
  [{ topology: "intra-vnet" }, undefined],
])("the path of %j reports its idle timeout in seconds: %j", async (topology, seconds) => {
  const { result } = await deployMocked([topology]);
  expect(result.paths[0]?.idleTimeoutSeconds).toBe(seconds);
});
