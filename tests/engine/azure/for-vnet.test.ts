/** `NatInstance.forVnet` of a virtual network that exists: a route in the clients' table, also when it is there already. */
import { expect, it } from "vitest";
import { createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";
import { shared } from "../../helpers/shared.ts";

const engine = shared(createAzureEngine, (one) => one.dispose());

const network = `import { RouteTable } from "@pulumi/azure-native/network/routeTable.js";
import { NatInstance, Network } from "./components/azure/index.ts";
const place = { resourceGroupName: "group", location: "japaneast" };
const network = new Network("net", { ...place, cidr: "10.0.0.0/16" });
const table = new RouteTable("table", place);
network.subnet("apps", { cidr: "10.0.1.0/24", attachment: { routeTableId: table.id } });
network.subnet("outside", { cidr: "10.0.0.0/24" });
`;

it("finds subnets, table and blocks, and finds the same once its route exists", {
  timeout: 300_000,
}, async () => {
  await (await engine.programStack(network)).up();
  const found = (type: RegExp) => Object.values(engine.cloud().resources).filter(({ id }) => type.test(id));
  const [vnet] = found(/virtualNetworks\/[^/]+$/);
  const stack = await engine.programStack(
    `${network}await NatInstance.forVnet("nat", "${vnet?.id}", {}, { dependsOn: [network] });`,
  );
  await stack.up();
  await stack.preview({ expectNoChanges: true });
  const [route, ...others] = found(/routeTables\/table[^/]*\/routes\//);
  expect(others).toEqual([]);
  expect(route?.inputs.nextHopIpAddress).toMatch(/^10\.0\.0\./);
  await stack.destroy();
});
