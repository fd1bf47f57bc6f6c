/**
 * The properties of each topology that decide the packets' path. The resources themselves: topologies.test.ts, which also
 * says what is not proved.
 */
import { describe, expect, it } from "vitest";
import { deployMocked } from "./deploy.ts";

describe("nat-instance", () => {
  it("forwards, in its own subnet, and is the next hop of the clients' default route", async () => {
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
  it("is the next hop of the clients' default route, and lets TCP and UDP through", async () => {
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
  it("goes both ways, even between regions", async () => {
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
