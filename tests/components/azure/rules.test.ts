/** Arguments that break a rule of Azure are refused at preview, with the argument's name and the remedy. */
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { assertOneWayOut } from "../../../components/azure/egress.ts";
import {
  ExpressRoute,
  FirewallEgress,
  LoadBalancerEgress,
  NatInstance,
  Network,
  type SubnetArgs,
  type VirtualNetworkRef,
  VnetPeering,
  VpnGateway,
} from "../../../components/azure/index.ts";
import { mocked } from "../../helpers/azure-mocks.ts";
import { circuitId } from "../stack-files.ts";

const site = { resourceGroupName: "group", location: "japaneast" };
const key = { publicKey: "ssh-ed25519 key", privateKey: "key" };
const ssh = { key, allowedCidrs: ["203.0.113.7/32"] };
const subnetId = (name: string) =>
  `/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/${name}`;
const network = (cidr: string): VirtualNetworkRef => ({ ...site, id: "id", vnetName: "vnet", cidr });

const refusal = (program: () => unknown) => expect(mocked(program)).rejects;

describe("subnets", () => {
  const add = (...subnets: SubnetArgs[]) => {
    const vnet = new Network("net", { ...site, cidr: "10.0.0.0/16" });
    subnets.forEach((subnet, index) => {
      vnet.subnet(`subnet-${index}`, subnet);
    });
  };

  const inside = /cidr: subnet 10\.1\.0\.0\/24 is not inside the network's 10\.0\.0\.0\/16/;
  const overlap = /cidr: subnet 10\.0\.0\.128\/25 overlaps 10\.0\.0\.0\/24.*choose another block/;
  const both =
    /natGatewayId: Azure would send everything through routeTableId and nothing through natGatewayId/;
  const firewall = /AzureFirewallSubnet 10\.0\.0\.0\/27 is too small; Azure wants \/26/;
  const named = (cidr: string, subnetName: SubnetArgs["subnetName"]) =>
    [{ cidr, subnetName }] as SubnetArgs[];
  const attached = (attachment: SubnetArgs["attachment"], more: Partial<SubnetArgs> = {}) => [
    { cidr: "10.0.0.0/24", attachment, ...more } as SubnetArgs,
  ];
  const onGateway = attached({ natGatewayId: "n" }, { subnetName: "GatewaySubnet" });
  it.each<[string, SubnetArgs[], RegExp]>([
    ["overlap", [{ cidr: "10.0.0.0/24" }, { cidr: "10.0.0.128/25" }], overlap],
    ["outside", [{ cidr: "10.1.0.0/24" }], inside],
    ["too small", [{ cidr: "10.0.0.0/30" }], /cidr: .*too small; Azure wants \/29 or larger/],
    ["small firewall", named("10.0.0.0/27", "AzureFirewallSubnet"), firewall],
    ["small management", named("10.0.0.0/27", "AzureFirewallManagementSubnet"), /Azure wants \/26/],
    [
      "small gateway",
      named("10.0.0.0/28", "GatewaySubnet"),
      /GatewaySubnet 10\.0\.0\.0\/28 is too small; Azure wants \/27/,
    ],
    ["host bits", [{ cidr: "10.0.0.1/24" }], /cidr: .*host bits/],
    ["NAT gateway and UDR", attached({ natGatewayId: "n", routeTableId: "r" }), both],
    ["NAT gateway on GatewaySubnet", onGateway, /GatewaySubnet takes neither/],
  ])("%s", async (_, subnets, message) => {
    await refusal(() => add(...subnets)).toThrow(message);
  });

  it("that keep the rules are accepted", async () => {
    const vnet = await mocked(() =>
      add(
        { cidr: "10.0.0.0/29" },
        { cidr: "10.0.1.0/26", subnetName: "AzureFirewallSubnet" },
        { cidr: "10.0.2.0/27", subnetName: "GatewaySubnet" },
        { cidr: "10.0.3.0/24", attachment: { natGatewayId: "n" } },
      ),
    );
    expect(vnet.azure()).toHaveLength(5);
  });
});

describe("two ways out of one subnet", () => {
  const ways = {
    routeTableId: "r",
    natGatewayId: "n",
    publicIp: { id: "p", address: "20.0.0.1" },
    backendPoolId: "b",
    defaultOutboundAccess: true,
  };
  const names = Object.keys(ways) as (keyof typeof ways)[];
  const pairs = names.flatMap((first, index) =>
    names.slice(index + 1).map((second) => [first, second] as const),
  );

  it.each(pairs)("%s wins over %s, so both are refused", (first, second) => {
    expect(() => assertOneWayOut({ [first]: ways[first], [second]: ways[second] })).toThrow(
      `${second}: Azure would send everything through ${first} and nothing through ${second}`,
    );
  });
  it.each(names)("%s alone is taken", (name) => {
    expect(() => assertOneWayOut({ [name]: ways[name] })).not.toThrow();
  });
});

describe("SSH from nowhere", () => {
  const nat = { ...site, subnetId: "s", privateCidrs: ["10.0.0.0/24"] };
  const ruleNames = (rules: { name: string }[]) => rules.map(({ name }) => name);

  it("is no rule, as Azure refuses one without sources", async () => {
    const stack = await mocked(() => new NatInstance("n", { ...nat, ssh: { key, allowedCidrs: [] } }));
    const { securityRules } = stack.inputs("NetworkSecurityGroup", "n-nat-nsg");
    expect(ruleNames(securityRules)).toEqual(["forward-in", "forward-out", "deny-all-else"]);
  });
});

describe("a NAT instance without ssh", () => {
  it("has no login and is awaited by Run Command, whose failure fails the deployment", async () => {
    const nat = { ...site, subnetId: "s", privateCidrs: ["10.0.0.0/24"] };
    const stack = await mocked(() => new NatInstance("n", nat));
    const rules: { name: string }[] = stack.inputs("NetworkSecurityGroup", "n-nat-nsg").securityRules;
    expect(rules.map(({ name }) => name)).toEqual(["forward-in", "forward-out", "deny-all-else"]);
    expect(stack.resources.filter(({ type }) => type === "command:remote:Command")).toEqual([]);
    const wait = stack.inputs("VirtualMachineRunCommandByVirtualMachine", "n-nat-ready");
    expect(wait).toMatchObject({ asyncExecution: false, treatFailureAsDeploymentFailure: true });
    expect(wait.source.script).toContain("cloud-init status --wait");
    const setUp = stack.inputs("VirtualMachineRunCommandByVirtualMachine", "n-nat-set-up");
    const [{ name, value }] = setUp.protectedParameters;
    expect(name).toBe("SET_UP");
    expect(gunzipSync(Buffer.from(value, "base64")).toString()).toMatch(
      /^#!\/bin\/sh\n# Makes this machine a NAT/,
    );
    const [authorized] = stack.inputs("VirtualMachine", "n-nat").osProfile.linuxConfiguration.ssh.publicKeys;
    expect(authorized.keyData).toBe("ssh-ed25519 n-nat-host-key");
    expect(stack.result.hosts).toEqual([]);
    expect(() => stack.result.host.connection).toThrow("n-nat has no login; give its component ssh");
  });
});

describe("other egresses", () => {
  const firewall = { ...site, subnetId: subnetId("AzureFirewallSubnet"), privateCidrs: ["10.0.0.0/24"] };
  const ends = (clientCidr: string, serverCidr: string, gateway = "GatewaySubnet") => ({
    ...site,
    clientAddress: "10.0.0.4",
    client: { network: network(clientCidr), gatewaySubnetId: subnetId(gateway) },
    server: { network: network(serverCidr), gatewaySubnetId: subnetId(gateway) },
  });
  const vpn = { ...ends("10.0.0.0/16", "10.1.0.0/16"), sharedKey: "secret" };
  const nat = { ...site, subnetId: "s", ssh, privateCidrs: ["10.0.0.0/24"] };

  const twice = [
    { id: "ip", address: "203.0.113.7" },
    { id: "ip", address: "203.0.113.7" },
  ];

  it.each<[string, () => unknown, RegExp]>([
    [
      "Basic firewall without management",
      () => new FirewallEgress("f", { ...firewall, tier: "Basic" }),
      /managementSubnetId: tier Basic needs a subnet named AzureFirewallManagementSubnet/,
    ],
    [
      "firewall in a subnet of another name",
      () => new FirewallEgress("f", { ...firewall, subnetId: subnetId("clients") }),
      /subnetId: the subnet must be named AzureFirewallSubnet; got .*\/clients/,
    ],
    [
      "load balancer ports",
      () => new LoadBalancerEgress("l", { ...site, allocatedOutboundPorts: 1001 }),
      /allocatedOutboundPorts: must be a multiple of 8; got 1001/,
    ],
    [
      "load balancer without clients",
      () => new LoadBalancerEgress("l", { ...site, clients: 0 }),
      /clients: expected at least 1; got 0/,
    ],
    [
      "load balancer with one address twice",
      () => new LoadBalancerEgress("l", { ...site, publicIps: twice }),
      /publicIps\[1\]: is also the address of publicIps\[0\]; give each address once/,
    ],
    [
      "pair with one address twice",
      () => new NatInstance("n", { ...nat, publicIps: twice, highAvailability: {} }),
      /publicIps\[1\]: is also the address of publicIps\[0\]/,
    ],
    [
      "load balancer that waits too long",
      () => new LoadBalancerEgress("l", { ...site, idleTimeoutMinutes: 101 }),
      /idleTimeoutMinutes: must be a whole number from 4 to 100; got 101/,
    ],
    [
      "too many load balancer ports",
      () => new LoadBalancerEgress("l", { ...site, allocatedOutboundPorts: 64_008 }),
      /allocatedOutboundPorts: 64008 for each of 1 clients is more than the 64000 ports of 1 addresses/,
    ],
    [
      "peering of one address space",
      () =>
        new VnetPeering("p", {
          ...site,
          clientAddress: "10.0.0.4",
          clientNetwork: network("10.0.0.0/16"),
          serverNetwork: network("10.0.128.0/17"),
        }),
      /serverNetwork\.cidr: 10\.0\.128\.0\/17 overlaps the client network's 10\.0\.0\.0\/16/,
    ],
    [
      "VPN of one address space",
      () => new VpnGateway("v", { ...vpn, ...ends("10.0.0.0/16", "10.0.0.0/16") }),
      /serverNetwork\.cidr/,
    ],
    [
      "VPN in a subnet of another name",
      () => new VpnGateway("v", { ...vpn, ...ends("10.0.0.0/16", "10.1.0.0/16", "gateway") }),
      /gatewaySubnetId: the subnet must be named GatewaySubnet/,
    ],
    ["VPN SKU", () => new VpnGateway("v", { ...vpn, sku: "Basic" }), /sku: "Basic" is not a VPN gateway/],
    [
      "circuit",
      () => new ExpressRoute("e", { ...ends("10.0.0.0/16", "10.1.0.0/16"), circuitId: "line" }),
      /circuitId: needs the resource id of an existing circuit.*got line/,
    ],
    [
      "no circuit",
      () => new ExpressRoute("e", { ...ends("10.0.0.0/16", "10.1.0.0/16"), circuitId: undefined as never }),
      /circuitId: is missing; ExpressRoute needs it/,
    ],
    [
      "ExpressRoute SKU",
      () => new ExpressRoute("e", { ...ends("10.0.0.0/16", "10.1.0.0/16"), circuitId, sku: "VpnGw1" }),
      /sku: "VpnGw1" is not an ExpressRoute gateway/,
    ],
    [
      "NAT instance for nobody",
      () => new NatInstance("n", { ...nat, privateCidrs: [] }),
      /privateCidrs: is empty/,
    ],
    [
      "NAT instance for everybody",
      () => new NatInstance("n", { ...nat, privateCidrs: ["0.0.0.0/0"] }),
      /privateCidrs: .*0\.0\.0\.0\/0/,
    ],
    [
      "NAT instance for nonsense",
      () => new NatInstance("n", { ...nat, privateCidrs: ["10.0.0.0/24", "ten"] }),
      /privateCidrs\[1\]: "ten" is not an IPv4 CIDR block/,
    ],
    [
      "NAT instance without address",
      () => new NatInstance("n", { ...nat, publicIpCount: 0 }),
      /publicIpCount: must be a whole number from 1 to 64; got 0/,
    ],
    [
      "NAT instance of a slow size",
      () => new NatInstance("n", { ...nat, size: "Standard_B1s", acceleratedNetworking: true }),
      /acceleratedNetworking: size Standard_B1s has no accelerated networking/,
    ],
  ])("%s", async (_, make, message) => {
    await refusal(make).toThrow(message);
  });
});
