/**
 * Every Azure topology through the real engine: up, a second preview without changes, destroy.
 *
 * The stand-in refuses bodies that ARM's schema does not allow, references to what does not exist, addresses and
 * interfaces that are in use, and deletions of what is in use. Not proved: that Azure takes the values, how long it
 * takes, and that the real provider behaves as the stand-in.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { criticalPath } from "../../helpers/azure-native-standin/critical-path.ts";
import { type AzureEngine, createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";

const circuitId =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/lines/providers/Microsoft.Network/expressRouteCircuits/line";

/** The stack file, what it lacks, and the resources that the client's life depends on. */
const stacks: readonly [file: string, overrides: Record<string, unknown>, egress: readonly string[]][] = [
  ["direct", {}, ["publicIPAddresses/direct-ip"]],
  ["nat-gateway", {}, ["natGateways/nat-gateway", "publicIPAddresses/nat-gateway-ip"]],
  ["nat-instance", {}, ["virtualMachines/nat-instance-nat", "routeTables/nat-instance-routes"]],
  ["default-snat", {}, ["subnets/default-snat-client"]],
  ["load-balancer", {}, ["loadBalancers/load-balancer"]],
  ["firewall", {}, ["azureFirewalls/firewall", "routeTables/firewall-routes"]],
  ["intra-vnet", {}, ["publicIPAddresses/intra-vnet-ip"]],
  ["vnet-peering", {}, ["publicIPAddresses/vnet-peering-ip"]],
  ["vpn-gateway", {}, ["publicIPAddresses/vpn-gateway-ip"]],
  [
    "expressroute",
    { "egress-bench:topologies": [{ topology: "expressroute", circuitId }] },
    ["publicIPAddresses/expressroute-ip"],
  ],
];

describe.each(stacks)("%s", (file, overrides, egress) => {
  let engine: AzureEngine;
  beforeAll(() => {
    engine = createAzureEngine();
  });
  afterAll(() => engine.dispose());

  it("goes up, stays as it is, and goes down in an order that Azure accepts", async () => {
    const stack = await engine.stack(file, "topologies", overrides);
    await stack.up();
    expect(criticalPath(await engine.resources(stack))).toMatchSnapshot();

    const again = await stack.preview({ expectNoChanges: true });
    expect(Object.keys(again.changeSummary)).toEqual(["same"]);

    await stack.destroy();
    const { resources, requests } = engine.cloud();
    expect(resources).toEqual({});
    const deleted = requests.filter(({ method }) => method === "DELETE").map(({ id }) => id);
    const client = deleted.findIndex((id) => id.includes(`virtualMachines/${file}-client`));
    for (const part of egress) {
      expect(deleted.findIndex((id) => id.includes(part))).toBeGreaterThan(client);
    }
  });
});
