/** What `NatInstance.forVnet` finds in a virtual network, and adds to its route tables. */
import * as pulumi from "@pulumi/pulumi";
import { expect, it } from "vitest";
import { foundVnet } from "../../../components/azure/found-vnet.ts";
import { NatInstance } from "../../../components/azure/index.ts";
import { mocks } from "../../../components/testing.ts";
import { mocked } from "../../helpers/azure-mocks.ts";
import { runMocked } from "../../helpers/run-mocked.ts";

const group = "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network";
const vnet = `${group}/virtualNetworks/hub`;
const table = (name: string) => ({ routeTable: { id: `${group}/routeTables/${name}` } });

/** Answers with these subnets, by name. @param newResource Gets each resource */
function answer(
  subnets: Record<string, object>,
  newResource?: (made: pulumi.runtime.MockResourceArgs) => void,
) {
  const own = Object.entries(subnets).map(([name, one]) => ({ id: `id of ${name}`, name, ...one }));
  const call = () => ({ id: vnet, location: "japaneast", subnets: own });
  return pulumi.runtime.setMocks(mocks({ call, newResource: (made) => void newResource?.(made) }));
}

/** What is found among subnets. */
async function found(subnets: Record<string, object>, id = vnet) {
  await answer(subnets);
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

it("finds the ready mocks' network", async () => {
  await pulumi.runtime.setMocks(mocks());
  expect(await foundVnet(vnet, {})).toMatchObject({
    subnetId: "subnet-public",
    privateCidrs: ["10.0.1.0/24"],
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

it("makes a NAT instance of what is found, or of what is given instead", async () => {
  const made: pulumi.runtime.MockResourceArgs[] = [];
  await answer({ apps: { addressPrefix: "10.0.2.0/24", ...table("apps") }, outside: {} }, (one) => {
    made.push(one);
  });
  await runMocked(async () => {
    await NatInstance.forVnet("found", vnet);
    await NatInstance.forVnet("given", vnet, { subnetId: "mine" });
  });
  const subnetOf = (name: string) => made.find((one) => one.name === `${name}-nat-nic`)?.inputs;
  expect(subnetOf("found")).toMatchObject({ ipConfigurations: [{ subnet: { id: "id of outside" } }] });
  expect(subnetOf("given")).toMatchObject({ ipConfigurations: [{ subnet: { id: "mine" } }] });
  const routes = made.filter(({ type }) => type.endsWith(":Route"));
  const address = expect.stringMatching(/^10\.0\.0\./);
  expect(routes.map(({ name, inputs }) => [name, inputs.nextHopIpAddress])).toEqual([
    ["found-default-apps", address],
    ["given-default-apps", address],
  ]);
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
