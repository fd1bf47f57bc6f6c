/**
 * The exact resources of every topology, and the properties that decide which path packets take.
 *
 * Every body is checked against ARM's schema on the way (see payloads.test.ts). Not proved: that Azure accepts the
 * values, that packets take the path, and the order of creation, which mocks do not see (tests/engine/azure).
 */
import { describe, expect, it } from "vitest";
import { circuitId, deployMocked } from "./deploy.ts";

/** A machine and what belongs to it. */
const machine = (name: string) => [
  `NetworkInterface ${name}-nic`,
  `NetworkSecurityGroup ${name}-nsg`,
  `VirtualMachine ${name}`,
];
const server = (name = "server") => [...machine(name), `PublicIPAddress ${name}-ip`, `Subnet ${name}`];
const sharedServer = ["ResourceGroup egress-bench-test", "VirtualNetwork server-network", ...server()];
const client = (name: string) => [...machine(`${name}-client`), `Subnet ${name}-client`];
const network = (name: string) => `VirtualNetwork ${name}-network`;
const jump = (name: string) => [
  ...machine(`${name}-jump`),
  `PublicIPAddress ${name}-jump-ip`,
  `Subnet ${name}-jump`,
];

const gateways = (name: string) => [
  "ResourceGroup egress-bench-test",
  ...server(`${name}-server`),
  ...client(name),
  network(name),
  network(`${name}-server`),
  `PublicIPAddress ${name}-ip`,
  ...["client", "server"].flatMap((end) => [
    `Subnet ${name}-${end}-gateway`,
    `VirtualNetworkGateway ${name}-${end}-gateway`,
    `PublicIPAddress ${name}-${end}-gateway-ip-1`,
  ]),
];

const expectations: readonly [
  topology: string,
  options: Record<string, unknown>,
  resources: readonly string[],
][] = [
  ["direct", {}, [...sharedServer, ...client("direct"), network("direct"), "PublicIPAddress direct-ip"]],
  [
    "nat-gateway",
    {},
    [
      ...sharedServer,
      ...client("nat-gateway"),
      ...jump("nat-gateway"),
      network("nat-gateway"),
      "NatGateway nat-gateway",
      "PublicIPAddress nat-gateway-ip-1",
    ],
  ],
  [
    "nat-gateway",
    { publicIpPrefixLength: 30 },
    [
      ...sharedServer,
      ...client("nat-gateway"),
      ...jump("nat-gateway"),
      network("nat-gateway"),
      "NatGateway nat-gateway",
      "PublicIPPrefix nat-gateway-ip-prefix",
    ],
  ],
  [
    "nat-instance",
    {},
    [
      ...sharedServer,
      ...client("nat-instance"),
      ...jump("nat-instance"),
      network("nat-instance"),
      ...machine("nat-instance-nat"),
      "Subnet nat-instance-nat",
      "PublicIPAddress nat-instance-ip-1",
      "RouteTable nat-instance-routes",
    ],
  ],
  [
    "default-snat",
    {},
    [...sharedServer, ...client("default-snat"), ...jump("default-snat"), network("default-snat")],
  ],
  [
    "load-balancer",
    {},
    [
      ...sharedServer,
      ...client("load-balancer"),
      ...jump("load-balancer"),
      network("load-balancer"),
      "LoadBalancer load-balancer",
      "PublicIPAddress load-balancer-ip-1",
    ],
  ],
  ...(["Standard", "Basic"] as const).map((tier): [string, Record<string, unknown>, string[]] => [
    "firewall",
    { tier },
    [
      ...sharedServer,
      ...client("firewall"),
      ...jump("firewall"),
      network("firewall"),
      "AzureFirewall firewall",
      "FirewallPolicy firewall-policy",
      "FirewallPolicyRuleCollectionGroup firewall-rules",
      "PublicIPAddress firewall-ip-1",
      "RouteTable firewall-routes",
      "Subnet firewall-firewall",
      ...(tier === "Basic" ? ["Subnet firewall-management", "PublicIPAddress firewall-management-ip"] : []),
    ],
  ]),
  ["intra-vnet", {}, [...sharedServer, ...client("intra-vnet"), "PublicIPAddress intra-vnet-ip"]],
  [
    "vnet-peering",
    {},
    [
      ...sharedServer,
      ...client("vnet-peering"),
      network("vnet-peering"),
      "PublicIPAddress vnet-peering-ip",
      "VirtualNetworkPeering vnet-peering-to-client",
      "VirtualNetworkPeering vnet-peering-to-server",
    ],
  ],
  [
    "vpn-gateway",
    {},
    [
      ...gateways("vpn-gateway"),
      "VirtualNetworkGatewayConnection vpn-gateway-to-client",
      "VirtualNetworkGatewayConnection vpn-gateway-to-server",
    ],
  ],
  [
    "expressroute",
    { circuitId },
    [
      ...gateways("expressroute"),
      "VirtualNetworkGatewayConnection expressroute-client-connection",
      "VirtualNetworkGatewayConnection expressroute-server-connection",
    ],
  ],
];

/** How the clients go out, where it is not by a public address of their own. */
const wayOut: Record<string, string> = {
  "nat-gateway": "natGateway",
  "nat-instance": "routeTable",
  firewall: "routeTable",
  "load-balancer": "backendPool",
  "default-snat": "defaultOutbound",
};

describe.each(expectations)("%s %j", (topology, options, resources) => {
  it("has exactly its resources, and one way out of the client's subnet", async () => {
    const stack = await deployMocked([{ topology, ...options }]);
    expect(stack.azure()).toEqual([...resources].sort());

    const subnet = stack.inputs("Subnet", `${topology}-client`);
    const [address] = stack.inputs("NetworkInterface", `${topology}-client-nic`).ipConfigurations;
    const ways = {
      routeTable: subnet.routeTable !== undefined,
      natGateway: subnet.natGateway !== undefined,
      publicIp: address.publicIPAddress !== undefined,
      backendPool: address.loadBalancerBackendAddressPools !== undefined,
      defaultOutbound: subnet.defaultOutboundAccess,
    };
    const used = Object.entries(ways).flatMap(([way, on]) => (on ? [way] : []));
    expect(used).toEqual([wayOut[topology] ?? "publicIp"]);

    const subnets = stack.resources.filter(({ type }) => type.endsWith(":Subnet"));
    const open = subnets.filter(({ inputs }) => inputs.defaultOutboundAccess !== false);
    expect(open.map(({ name }) => name)).toEqual(topology === "default-snat" ? ["default-snat-client"] : []);
  });
});

describe("nat-instance", () => {
  it("forwards, in a subnet of its own, and is where the clients' default route leads", async () => {
    const stack = await deployMocked([{ topology: "nat-instance", publicIpCount: 2 }]);
    const nic = stack.inputs("NetworkInterface", "nat-instance-nat-nic");
    const [route] = stack.inputs("RouteTable", "nat-instance-routes").routes;
    const natSubnet = stack.inputs("Subnet", "nat-instance-nat");
    expect(nic.enableIPForwarding).toBe(true);
    expect(nic.enableAcceleratedNetworking).toBe(true);
    expect(
      nic.ipConfigurations.map(({ publicIPAddress }: { publicIPAddress: object }) => publicIPAddress),
    ).toHaveLength(2);
    expect(natSubnet).not.toHaveProperty("routeTable");
    expect(natSubnet).not.toHaveProperty("natGateway");
    expect(route).toMatchObject({
      addressPrefix: "0.0.0.0/0",
      nextHopType: "VirtualAppliance",
      nextHopIpAddress: natSubnet.addressPrefix.replace("0/24", "4"),
    });
  });

  it("lets its clients' packets through to the internet", async () => {
    const stack = await deployMocked([{ topology: "nat-instance" }]);
    const rules = stack.inputs("NetworkSecurityGroup", "nat-instance-nat-nsg").securityRules;
    const clients = stack.inputs("Subnet", "nat-instance-client").addressPrefix;
    expect(rules).toContainEqual(
      expect.objectContaining({
        direction: "Inbound",
        access: "Allow",
        protocol: "*",
        sourceAddressPrefixes: [clients],
        destinationAddressPrefix: "*",
      }),
    );
    expect(rules).toContainEqual(
      expect.objectContaining({
        direction: "Outbound",
        access: "Allow",
        protocol: "*",
        sourceAddressPrefix: "VirtualNetwork",
        destinationAddressPrefix: "Internet",
      }),
    );
    expect(rules.filter((rule: { direction: string }) => rule.direction === "Outbound")).toHaveLength(1);
  });
});

describe("load-balancer", () => {
  it("SNATs through a NIC's pool with explicit ports", async () => {
    const stack = await deployMocked([{ topology: "load-balancer", allocatedOutboundPorts: 8000 }]);
    const balancer = stack.inputs("LoadBalancer", "load-balancer");
    expect(balancer.sku.name).toBe("Standard");
    expect(balancer.outboundRules).toEqual([
      expect.objectContaining({ protocol: "All", allocatedOutboundPorts: 8000, enableTcpReset: true }),
    ]);
    expect(balancer).not.toHaveProperty("loadBalancingRules");
    const [address] = stack.inputs("NetworkInterface", "load-balancer-client-nic").ipConfigurations;
    expect(address.loadBalancerBackendAddressPools[0].id).toMatch(
      /\/loadBalancers\/load-balancer-0\/backendAddressPools\/clients$/,
    );
  });
});

describe("firewall", () => {
  it("is where the clients' default route leads, and lets TCP and UDP through", async () => {
    const stack = await deployMocked([{ topology: "firewall", tier: "Premium" }]);
    expect(stack.inputs("AzureFirewall", "firewall").sku).toEqual({ name: "AZFW_VNet", tier: "Premium" });
    expect(stack.inputs("FirewallPolicy", "firewall-policy").sku).toEqual({ tier: "Premium" });
    expect(stack.inputs("Subnet", "firewall-firewall").subnetName).toBe("AzureFirewallSubnet");
    const [route] = stack.inputs("RouteTable", "firewall-routes").routes;
    expect(route).toMatchObject({ addressPrefix: "0.0.0.0/0", nextHopType: "VirtualAppliance" });
    expect(route.nextHopIpAddress).toBe(
      stack.inputs("Subnet", "firewall-firewall").addressPrefix.replace("0/24", "4"),
    );
    const [{ action, rules }] = stack.inputs(
      "FirewallPolicyRuleCollectionGroup",
      "firewall-rules",
    ).ruleCollections;
    expect(action.type).toBe("Allow");
    expect(rules).toEqual([
      expect.objectContaining({
        ipProtocols: ["TCP", "UDP"],
        sourceAddresses: [stack.inputs("Subnet", "firewall-client").addressPrefix],
      }),
    ]);
  });
});

describe("vpn-gateway", () => {
  it.each([
    [1, {}, 1, 1],
    [2, { clientActiveActive: true }, 2, 1],
    [3, { clientActiveActive: true, serverActiveActive: true }, 2, 2],
  ])("pattern %i", async (_, options, clientInstances, serverInstances) => {
    const stack = await deployMocked([{ topology: "vpn-gateway", ...options }]);
    const ends = { client: clientInstances, server: serverInstances };
    for (const [end, instances] of Object.entries(ends)) {
      const gateway = stack.inputs("VirtualNetworkGateway", `vpn-gateway-${end}-gateway`);
      expect(gateway.activeActive).toBe(instances === 2);
      expect(gateway.ipConfigurations).toHaveLength(instances);
    }
    const there = stack.inputs("VirtualNetworkGatewayConnection", "vpn-gateway-to-server");
    const back = stack.inputs("VirtualNetworkGatewayConnection", "vpn-gateway-to-client");
    expect(there.sharedKey).toMatch(/^[0-9a-f]{64}$/);
    expect(back.sharedKey).toBe(there.sharedKey);
    expect(back.virtualNetworkGateway1).toEqual(there.virtualNetworkGateway2);
    expect(back.virtualNetworkGateway2).toEqual(there.virtualNetworkGateway1);
  });
});

describe("vnet-peering", () => {
  it("goes both ways, between regions too", async () => {
    const stack = await deployMocked([{ topology: "vnet-peering" }], {
      settings: { location: "japaneast", serverLocation: "southafricanorth" },
    });
    const there = stack.inputs("VirtualNetworkPeering", "vnet-peering-to-server");
    const back = stack.inputs("VirtualNetworkPeering", "vnet-peering-to-client");
    expect(there.remoteVirtualNetwork.id).toMatch(/\/server-network-0$/);
    expect(back.remoteVirtualNetwork.id).toMatch(/\/vnet-peering-network-0$/);
    expect(stack.inputs("VirtualMachine", "server").location).toBe("southafricanorth");
    expect(stack.inputs("VirtualMachine", "vnet-peering-client").location).toBe("japaneast");
  });
});
