/** NAT instances in networks with existing routes. Not proved: that Azure's packets take them. */
import { describe, expect, it } from "vitest";
import {
  FirewallEgress,
  NatGatewayEgress,
  NatInstance,
  type NatInstanceArgs,
  Network,
  VnetPeering,
} from "../../../components/azure/index.ts";
import { leadElsewhere } from "../../../components/azure/own-way-out.ts";
import { mocked } from "../../helpers/azure-mocks.ts";

const place = { resourceGroupName: "group", location: "japaneast" };
const nat = { ...place, subnetId: "subnet", privateCidrs: ["10.0.1.0/24"] };

describe("a NAT instance beside your own route table", () => {
  it.each<[string, Partial<NatInstanceArgs>, string, string, string]>([
    ["one machine", {}, "NetworkInterface", "/n-nat-nic-0", "ipConfigurations"],
    [
      "a pair",
      { highAvailability: { privateAddresses: ["10.0.0.4", "10.0.0.5"] } },
      "LoadBalancer",
      "/n-balancer-0",
      "frontendIPConfigurations",
    ],
  ])("%s has its next hop as an output, and makes no table", async (_, args, type, id, ends) => {
    const stack = await mocked(() => {
      const made = new NatInstance("n", { ...nat, ...args, privateRouteTableIds: [] });
      let hop = "";
      made.nextHopIpAddress.apply((known) => {
        hop = known;
      });
      return { made, hop: () => hop };
    });
    const [first] = stack.arm.outputs(id)[ends] as { privateIPAddress: string }[];
    expect(stack.result.hop()).toBe(first?.privateIPAddress);
    expect(stack.azure().filter((one) => one.startsWith("RouteTable"))).toEqual([]);
    expect(stack.azure().some((one) => one.startsWith(type))).toBe(true);
    expect(stack.result.made.attachment).toEqual({});
    expect(() => stack.result.made.routeTable).toThrow("point your own at nextHopIpAddress");
  });

  it.each([
    [{ routeTableId: "/subscriptions/s/routeTables/to-firewall" }, "a 0.0.0.0/0 route"],
    [{ natGatewayId: "/subscriptions/s/natGateways/theirs" }, "a NAT gateway"],
  ])("refuses a subnet with %j", async (attachment, said) => {
    const program = () => {
      const network = new Network("net", { ...place, cidr: "10.0.0.0/16" });
      const subnetId = network.subnet("own", { cidr: "10.0.0.0/24", attachment }).id;
      return new NatInstance("n", { ...nat, subnetId });
    };
    await expect(mocked(program)).rejects.toThrow(`subnetId: the subnet has ${said}`);
  });
});

it("a firewall goes out by its subnet's NAT gateway where that is said, and is refused there otherwise", async () => {
  const program = (natGatewayIps?: string[]) => () => {
    const network = new Network("net", { ...place, cidr: "10.0.0.0/16" });
    const gateway = new NatGatewayEgress("gateway", place);
    const subnetName = "AzureFirewallSubnet";
    const { id } = network.subnet("own", { cidr: "10.0.0.0/24", subnetName, attachment: gateway.attachment });
    return new FirewallEgress("f", { ...place, subnetId: id, privateCidrs: ["10.0.1.0/24"], natGatewayIps });
  };
  await expect(mocked(program())).rejects.toThrow(
    /^subnetId: the subnet has a NAT gateway.*or give the gateway's addresses as natGatewayIps/,
  );
  const { result } = await mocked(program(["203.0.113.9"]));
  expect(await new Promise((known) => result.expectedSourceIps.apply(known))).toEqual(["203.0.113.9"]);
});

it.each([
  ["0.0.0.0/0", "VirtualAppliance", true],
  ["0.0.0.0/0", "VirtualNetworkGateway", true],
  ["0.0.0.0/0", "None", true],
  ["128.0.0.0/1", "VirtualAppliance", true],
  ["0.0.0.0/0", "Internet", false],
  ["10.9.0.0/16", "VirtualAppliance", false],
  ["::/0", "VirtualAppliance", false],
])("a route of %s to %s breaks a public address: %s", (addressPrefix, nextHopType, breaks) => {
  expect(leadElsewhere([{ addressPrefix: "10.0.0.0/8", nextHopType: "VnetLocal" }])).toBe(false);
  expect(leadElsewhere([{ addressPrefix, nextHopType }])).toBe(breaks);
});

it.each([undefined, true])("a peering accepts forwarded packets on request: %s", async (asked) => {
  const stack = await mocked(() => {
    const [clientNetwork, serverNetwork] = ["10.0.0.0/16", "10.1.0.0/16"].map(
      (cidr, at) => new Network(`net-${at}`, { ...place, cidr }),
    ) as [Network, Network];
    const args = { ...place, clientNetwork, serverNetwork, clientAddress: "10.0.0.4" };
    return new VnetPeering("p", { ...args, allowForwardedTraffic: asked });
  });
  for (const name of ["p-to-server", "p-to-client"]) {
    expect(stack.inputs("VirtualNetworkPeering", name).allowForwardedTraffic).toBe(asked ?? false);
  }
});
