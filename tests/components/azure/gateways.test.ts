/**
 * Azure's rules for VPN and ExpressRoute gateways beyond their schema. The stand-in refuses what is known to be refused
 * (fake-refusals.ts); not proved is that Azure accepts the rest.
 */
import { describe, expect, it } from "vitest";
import { type VirtualNetworkRef, VpnGateway } from "../../../components/azure/index.ts";
import { expressRouteSkus, isChangedInPlace } from "../../../components/azure/virtual-network-gateway.ts";
import { mocked } from "../../helpers/azure-mocks.ts";
import { circuitId } from "../stack-files.ts";
import { deployMocked } from "./deploy.ts";

const subnetId =
  "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/GatewaySubnet";
const end = (cidr: string, location: string) => ({
  network: { resourceGroupName: "g", location, id: "id", vnetName: "vnet", cidr } satisfies VirtualNetworkRef,
  gatewaySubnetId: subnetId,
});
const vpn = {
  resourceGroupName: "g",
  location: "japaneast",
  clientAddress: "10.0.0.4",
  client: end("10.0.0.0/16", "japaneast"),
  server: end("10.1.0.0/16", "ukwest"),
  sharedKey: "secret",
};

describe("a VPN gateway's public addresses", () => {
  it.each([
    ["japaneast", ["1", "2", "3"]],
    ["Japan East", ["1", "2", "3"]],
    ["ukwest", []],
    ["West US", []],
  ])("in %s are in zones %j", async (location, zones) => {
    const settings = { location, serverLocation: "japanwest" };
    const options = { topology: "vpn-gateway", clientActiveActive: true };
    const stack = await deployMocked([options], { settings });
    for (const ip of [1, 2]) {
      const address = stack.inputs("PublicIPAddress", `vpn-gateway-client-gateway-ip-${ip}`);
      expect(address.zones ?? []).toEqual(zones);
    }
  });

  it("are in the given zones, which a region that gains zones needs before our table has them", async () => {
    const entry = { topology: "vpn-gateway", clientZones: ["1", "2", "3"], serverZones: ["3"] };
    const settings = { location: "eastus", serverLocation: "japanwest" };
    const stack = await deployMocked([entry], { settings });
    expect(stack.inputs("PublicIPAddress", "vpn-gateway-server-gateway-ip-1").zones).toEqual(["3"]);
  });

  it("without zones are refused in regions with zones, as by Azure", async () => {
    const none = { topology: "vpn-gateway", clientZones: [] };
    await expect(deployMocked([none])).rejects.toThrow("VmssVpnGatewayPublicIpsMustHaveZonesConfigured");
  });
});

describe("a VPN gateway's SKU", () => {
  const of = (stack: Awaited<ReturnType<typeof deployMocked>>) =>
    stack.inputs("VirtualNetworkGateway", "vpn-gateway-client-gateway");

  it.each([
    ["VpnGw1AZ", undefined],
    ["VpnGw3AZ", undefined],
    ["VpnGw4AZ", "Generation2"],
    ["VpnGw5AZ", "Generation2"],
  ])("%s is of generation %s", async (sku, generation) => {
    const stack = await deployMocked([{ topology: "vpn-gateway", sku }]);
    expect(of(stack).vpnGatewayGeneration).toBe(generation);
  });

  it.each([
    ["VpnGw1", /^sku: Azure has made no VpnGw1 since .*; choose VpnGw1AZ$/],
    ["VpnGw6AZ", /^sku: "VpnGw6AZ" is not a VPN gateway.*choose VpnGw1AZ to VpnGw5AZ/],
  ])("%s is refused", async (sku, message) => {
    await expect(mocked(() => new VpnGateway("vpn", { ...vpn, sku }))).rejects.toThrow(message);
  });
});

it.each([
  ["vpn-gateway", "VpnGw3AZ", {}],
  ["expressroute", "ErGw2AZ", { circuitId }],
])("%s: the gateways' SKU is its kind, by which the report prices it", async (topology, sku, options) => {
  const stack = await deployMocked([{ topology, sku, ...options }]);
  expect(stack.result.paths[0]?.kind).toBe(sku);
});

describe("ExpressRoute gateways", () => {
  it("let the other network's traffic through, at both ends, and have no public address of ours", async () => {
    const stack = await deployMocked([{ topology: "expressroute", circuitId }]);
    for (const gateway of ["client", "server"]) {
      const inputs = stack.inputs("VirtualNetworkGateway", `expressroute-${gateway}-gateway`);
      expect(inputs.allowRemoteVnetTraffic).toBe(true);
      expect(inputs.ipConfigurations).toEqual([
        { name: "instance-1", privateIPAllocationMethod: "Dynamic", subnet: expect.anything() },
      ]);
    }
  });
});

describe("default-snat's service tag", () => {
  it.each([
    ["francecentral", "centralfrance"],
    ["Germany West Central", "germanywc"],
    ["norwayeast", "norwaye"],
    ["switzerlandnorth", "switzerlandn"],
    ["japaneast", "japaneast"],
  ])("of %s is AzureCloud.%s", async (location, tag) => {
    const stack = await deployMocked([{ topology: "default-snat" }], { settings: { location } });
    const rules: { sourceAddressPrefix?: string }[] = stack.inputs(
      "NetworkSecurityGroup",
      "server-nsg",
    ).securityRules;
    expect(rules.map((rule) => rule.sourceAddressPrefix)).toContain(`AzureCloud.${tag}`);
  });
});

it("an ExpressRoute gateway grows within its family, and never shrinks", () => {
  const others = (was: string) =>
    expressRouteSkus.filter((wanted) => wanted !== was && isChangedInPlace(was, wanted));
  expect(Object.fromEntries(expressRouteSkus.map((was) => [was, others(was)]))).toEqual({
    Standard: ["HighPerformance", "UltraPerformance"],
    HighPerformance: ["UltraPerformance"],
    UltraPerformance: [],
    ErGw1AZ: ["ErGw2AZ", "ErGw3AZ"],
    ErGw2AZ: ["ErGw3AZ"],
    ErGw3AZ: [],
  });
  // Azure's own spelling is Az.
  expect(isChangedInPlace("ErGw2Az", "ErGw2AZ")).toBe(true);
});
