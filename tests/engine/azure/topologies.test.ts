/**
 * All Azure topologies in one stack through the real engine: up, a second preview without changes, destroy.
 *
 * The stand-in refuses bodies that ARM's schema does not allow, references to missing resources, addresses and interfaces
 * that are in use, and deletions of what is in use. Not proved: that Azure accepts the values, how long it takes, and that
 * the real provider behaves like the stand-in.
 */
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { criticalPath } from "../../helpers/azure-native-standin/critical-path.ts";
import { type AzureEngine, createAzureEngine } from "../../helpers/azure-native-standin/engine.ts";

const circuitId =
  "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/lines/providers/Microsoft.Network/expressRouteCircuits/line";

/** Each topology, the resources of its clients' way out, and the end of its path. */
const topologies: readonly [
  name: string,
  egress: readonly string[],
  pathEnd?: readonly [type: string, name: string],
][] = [
  ["direct", ["publicIPAddresses/direct-ip"]],
  ["nat-gateway", ["natGateways/nat-gateway", "publicIPAddresses/nat-gateway-ip"]],
  ["nat-instance", ["virtualMachines/nat-instance-nat", "routeTables/nat-instance-routes"]],
  ["default-snat", ["subnets/default-snat-client"]],
  ["load-balancer", ["loadBalancers/load-balancer"]],
  ["firewall", ["azureFirewalls/firewall", "routeTables/firewall-routes"]],
  ["intra-vnet", ["publicIPAddresses/intra-vnet-ip"]],
  [
    "vnet-peering",
    ["publicIPAddresses/vnet-peering-ip"],
    ["VirtualNetworkPeering", "vnet-peering-to-server"],
  ],
  [
    "vpn-gateway",
    ["publicIPAddresses/vpn-gateway-ip"],
    ["VirtualNetworkGatewayConnection", "vpn-gateway-to-server"],
  ],
  [
    "expressroute",
    ["publicIPAddresses/expressroute-ip"],
    ["VirtualNetworkGatewayConnection", "expressroute-client-connection"],
  ],
];

describe("all ten topologies", () => {
  let engine: AzureEngine;
  let stack: Stack;

  beforeAll(async () => {
    engine = createAzureEngine();
    stack = await engine.stack("compare", "topologies", {
      "egress-bench:topologies": topologies.map(([topology]) =>
        topology === "expressroute" ? { topology, circuitId } : topology,
      ),
      "egress-bench:azure": { location: "japaneast", serverLocation: "japanwest" },
    });
    await stack.up();
  });
  afterAll(() => engine.dispose());

  it("are unchanged when nothing changed", async () => {
    const again = await stack.preview({ expectNoChanges: true });
    expect(Object.keys(again.changeSummary)).toEqual(["same"]);
  });

  it("wait for no more than they need", async () => {
    const resources = await engine.resources(stack);
    const paths = topologies.map(([name, , end]) => ({
      [name]: {
        client: criticalPath(resources, "Command", `${name}-client-ready`),
        ...(end && { path: criticalPath(resources, ...end) }),
      },
    }));
    expect(paths).toMatchSnapshot();
    // The server depends on its clients' egress addresses, not on the clients. Its subnet is written after the peering:
    // Azure takes one write to a network at a time.
    expect(criticalPath(resources, "Command", "server-ready")).toHaveLength(8);
  });

  it("keep their secrets encrypted", () => {
    const stored = engine.storedState(stack);
    expect(stored).toContain("VirtualMachine");
    expect(stored).not.toContain("PRIVATE KEY");
    expect(stored).not.toContain(Buffer.from("#cloud-config").toString("base64").slice(0, 16));
  });

  it("go down in an order that Azure accepts, an egress after its clients", async () => {
    await stack.destroy();
    const { resources, requests } = engine.cloud();
    expect(resources).toEqual({});
    const deleted = requests.filter(({ method }) => method === "DELETE").map(({ id }) => id);
    for (const [name, egress] of topologies) {
      const client = deleted.findIndex((id) => id.includes(`virtualMachines/${name}-client`));
      expect(client).toBeGreaterThanOrEqual(0);
      for (const part of egress) {
        expect(deleted.findIndex((id) => id.includes(part))).toBeGreaterThan(client);
      }
    }
  });
});
