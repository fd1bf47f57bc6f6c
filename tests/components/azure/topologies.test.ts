/**
 * The exact resources of every topology, and its clients' single way out.
 *
 * Every body is checked against ARM's schema on the way (see payloads.test.ts). Not proved: that Azure accepts the values,
 * that packets take the path, and the order of creation, which mocks do not see (tests/engine/azure).
 */
import { describe, expect, it } from "vitest";
import { type Topology, topologyNamed } from "../../../bench/index.ts";
import { known } from "../ends.ts";
import { circuitId } from "../stack-files.ts";
import { deployMocked } from "./deploy.ts";

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

/** Everything of a topology whose clients have no address of their own. */
const hidden = (name: string, ...own: string[]) => [
  ...[...sharedServer, ...client(name), ...jump(name), network(name)],
  ...own,
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
  ]),
];

const expectations: readonly [
  topology: string,
  options: Record<string, unknown>,
  resources: readonly string[],
][] = [
  ["direct", {}, [...sharedServer, ...client("direct"), network("direct"), "PublicIPAddress direct-ip"]],
  ["nat-gateway", {}, hidden("nat-gateway", "NatGateway nat-gateway", "PublicIPAddress nat-gateway-ip-1")],
  [
    "nat-gateway",
    { publicIpPrefixLength: 30 },
    hidden("nat-gateway", "NatGateway nat-gateway", "PublicIPPrefix nat-gateway-ip-prefix"),
  ],
  [
    "nat-instance",
    {},
    hidden(
      "nat-instance",
      ...machine("nat-instance-nat"),
      "Subnet nat-instance-nat",
      "PublicIPAddress nat-instance-ip-1",
      "RouteTable nat-instance-routes",
    ),
  ],
  [
    "nat-instance-ha",
    {},
    hidden(
      "nat-instance-ha",
      ...machine("nat-instance-ha-nat"),
      ...machine("nat-instance-ha-nat-2"),
      "Subnet nat-instance-ha-nat",
      "PublicIPAddress nat-instance-ha-ip-1",
      "PublicIPAddress nat-instance-ha-ip-2",
      "LoadBalancer nat-instance-ha-balancer",
      "ApplicationSecurityGroup nat-instance-ha-pair-asg",
      "RouteTable nat-instance-ha-routes",
    ),
  ],
  ["default-snat", {}, hidden("default-snat")],
  [
    "load-balancer",
    {},
    hidden("load-balancer", "LoadBalancer load-balancer", "PublicIPAddress load-balancer-ip-1"),
  ],
  ...(["Standard", "Basic"] as const).map((tier): [string, Record<string, unknown>, string[]] => [
    "firewall",
    { tier },
    hidden(
      "firewall",
      "AzureFirewall firewall",
      "FirewallPolicy firewall-policy",
      "FirewallPolicyRuleCollectionGroup firewall-rules",
      "PublicIPAddress firewall-ip-1",
      "RouteTable firewall-routes",
      "Subnet firewall-firewall",
      ...(tier === "Basic" ? ["Subnet firewall-management", "PublicIPAddress firewall-management-ip"] : []),
    ),
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
      "PublicIPAddress vpn-gateway-client-gateway-ip-1",
      "PublicIPAddress vpn-gateway-server-gateway-ip-1",
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

/** Ways out of the clients, other than a public address of their own. */
const wayOut: Record<string, string> = {
  "nat-gateway": "natGateway",
  "nat-instance": "routeTable",
  "nat-instance-ha": "routeTable",
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

  it("is what its record says", async () => {
    const { jumpHost, ownServer, serverSide } = topologyNamed(topology) as Topology;
    const { azure, inputs, arm, result } = await deployMocked([{ topology, ...options }]);
    expect(azure().includes(`VirtualMachine ${topology}-jump`)).toBe(jumpHost);
    const server = ownServer ? `${topology}-server` : "server";
    expect(azure()).toContain(`VirtualMachine ${server}`);
    const [{ privateIPAddress }] = inputs("NetworkInterface", `${server}-nic`).ipConfigurations;
    const publicAddress = arm.outputs(`/publicIPAddresses/${server}-ip-0`).ipAddress;
    const address = await known(result.paths[0]!.serverAddress);
    expect(address).toBe(serverSide === "private" ? privateIPAddress : publicAddress);
  });
});
