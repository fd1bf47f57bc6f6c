/** What `NatInstance.forVnet` finds in a virtual network, and adds to its route tables. */
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { foundVnet } from "../../../components/azure/found-vnet.ts";
import { NatInstance } from "../../../components/azure/index.ts";
import { mocks } from "../../../components/testing.ts";
import { mocked } from "../../helpers/azure-mocks.ts";

const group = "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network";
const vnet = `${group}/virtualNetworks/hub`;
const table = (name: string) => ({ routeTable: { id: `${group}/routeTables/${name}` } });

/** What is found among subnets, by name. */
async function found(subnets: Record<string, object>, id = vnet) {
  const own = Object.entries(subnets).map(([name, one]) => ({ id: `id of ${name}`, name, ...one }));
  const call = () => ({ id: vnet, location: "japaneast", subnets: own });
  await pulumi.runtime.setMocks(mocks({ call }));
  return foundVnet(id, {});
}

it("takes subnets with a route table for clients, and the first other one for the machine", async () => {
  const subnets = {
    GatewaySubnet: {},
    AzureFirewallSubnet: table("firewall"),
    data: { addressPrefixes: ["10.0.3.0/24", "fd00::/64"], ...table("shared") },
    apps: { addressPrefix: "10.0.2.0/24", ...table("shared") },
    batch: { addressPrefix: "10.0.4.0/24", natGateway: { id: "gateway" } },
    containers: { addressPrefix: "10.0.5.0/24", delegations: [{ name: "theirs" }] },
    outside: { addressPrefix: "10.0.1.0/24" },
    spare: { addressPrefix: "10.0.6.0/24" },
  };
  expect(await found(subnets)).toEqual({
    resourceGroupName: "net",
    location: "japaneast",
    subnetId: "id of outside",
    privateRouteTableIds: [`${group}/routeTables/shared`],
    privateCidrs: ["10.0.2.0/24", "10.0.3.0/24"],
  });
});

it.each<[string, Record<string, object>, string?]>([
  ["hub has no subnet with a route table", { outside: {} }],
  ["hub has no subnet without a route table, a NAT gateway", { apps: table("apps") }],
  ["expected /subscriptions/.../virtualNetworks/NAME, got vpc-1", {}, "vpc-1"],
  ["but the provider's subscription has", {}, vnet.replace("/s/", "/t/")],
])("refuses: %s", async (reason, subnets, id) => {
  await expect(found(subnets, id)).rejects.toThrow(reason);
});

it("adds its route to each given table, and makes none", async () => {
  const place = { resourceGroupName: "group", location: "japaneast", subnetId: "subnet" };
  const given = { ...place, privateCidrs: ["10.0.1.0/24"] };
  const privateRouteTableIds = ["apps", "data"].map((name) => table(name).routeTable.id);
  const stack = await mocked(() => new NatInstance("n", { ...given, privateRouteTableIds }));
  expect(stack.azure().filter((one) => one.startsWith("Route"))).toEqual([
    "Route n-default-apps",
    "Route n-default-data",
  ]);
  const [address] = stack.arm.outputs("/n-nat-nic-0").ipConfigurations as { privateIPAddress: string }[];
  expect(stack.inputs("Route", "n-default-data")).toMatchObject({
    ...{ resourceGroupName: "net", routeTableName: "data", addressPrefix: "0.0.0.0/0" },
    nextHopIpAddress: address?.privateIPAddress,
  });
  expect(stack.result.attachment).toEqual({});
});
