/**
 * The stand-in's facts of each azure-native resource type.
 *
 * Sources: the paths are ARM's; `forceNew` is the provider's own table (provider/pkg/gen/replacement.go of
 * pulumi-azure-native), beside which a resource's place in its path always replaces.
 */
import type { ClientName } from "./mappers.ts";

export interface ResourceType {
  readonly client: ClientName;
  readonly className: string;
  /** Inputs in the path, the resource's own name last. */
  readonly path: readonly string[];
  /** The resource's id, with the names of `path` in braces. */
  readonly id: string;
  /** Properties outside the path that make the provider replace the resource. */
  readonly forceNew: readonly string[];
}

const GROUP = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/{resourceGroupName}";

/** The resource's place in its group, and what replaces it besides its place. */
type Row = readonly [place: string, ...forceNew: string[]];

const network: Readonly<Record<string, Row>> = {
  ApplicationSecurityGroup: ["applicationSecurityGroups/{applicationSecurityGroupName}"],
  AzureFirewall: ["azureFirewalls/{azureFirewallName}"],
  FirewallPolicy: ["firewallPolicies/{firewallPolicyName}"],
  FirewallPolicyRuleCollectionGroup: [
    "firewallPolicies/{firewallPolicyName}/ruleCollectionGroups/{ruleCollectionGroupName}",
  ],
  LoadBalancer: ["loadBalancers/{loadBalancerName}"],
  NatGateway: ["natGateways/{natGatewayName}"],
  NetworkInterface: ["networkInterfaces/{networkInterfaceName}"],
  NetworkSecurityGroup: ["networkSecurityGroups/{networkSecurityGroupName}"],
  PublicIPAddress: [
    "publicIPAddresses/{publicIpAddressName}",
    ...["location", "publicIPAddressVersion", "publicIPPrefix", "sku"],
  ],
  PublicIPPrefix: ["publicIPPrefixes/{publicIpPrefixName}"],
  Route: ["routeTables/{routeTableName}/routes/{routeName}"],
  RouteTable: ["routeTables/{routeTableName}"],
  Subnet: ["virtualNetworks/{virtualNetworkName}/subnets/{subnetName}"],
  VirtualNetwork: ["virtualNetworks/{virtualNetworkName}", "location"],
  VirtualNetworkGateway: ["virtualNetworkGateways/{virtualNetworkGatewayName}"],
  VirtualNetworkGatewayConnection: ["connections/{virtualNetworkGatewayConnectionName}"],
  VirtualNetworkPeering: [
    "virtualNetworks/{virtualNetworkName}/virtualNetworkPeerings/{virtualNetworkPeeringName}",
  ],
};

const compute: Readonly<Record<string, Row>> = {
  AvailabilitySet: ["availabilitySets/{availabilitySetName}"],
  ProximityPlacementGroup: ["proximityPlacementGroups/{proximityPlacementGroupName}", "location"],
  VirtualMachine: ["virtualMachines/{vmName}"],
  VirtualMachineRunCommandByVirtualMachine: ["virtualMachines/{vmName}/runCommands/{runCommandName}"],
};

const namesIn = (id: string) => [...id.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

function typesOf(client: "network" | "compute", provider: string, rows: Readonly<Record<string, Row>>) {
  return Object.entries(rows).map(([name, [place, ...forceNew]]) => {
    const id = `${GROUP}/providers/${provider}/${place}`;
    const className = name.replace("ByVirtualMachine", "");
    return [
      `azure-native:${client}:${name}`,
      { client, className, path: namesIn(id), id, forceNew },
    ] as const;
  });
}

export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  "azure-native:resources:ResourceGroup": {
    ...{ client: "resources", className: "ResourceGroup" },
    ...{ path: namesIn(GROUP), id: GROUP, forceNew: ["location"] },
  },
  ...Object.fromEntries(typesOf("network", "Microsoft.Network", network)),
  ...Object.fromEntries(typesOf("compute", "Microsoft.Compute", compute)),
};

/** The provider's package for one API version of a module. */
const VERSIONED = /^azure-native_(\w+)_v(\d{4})(\d{2})(\d{2}):/;

/** The type's name without an API version: `azure-native:network:NatGateway`. */
export function unversioned(token: string): string {
  return token.replace(VERSIONED, "azure-native:");
}

/** The API version in the type, such as `2025-07-01`; undefined: the provider's default. */
export function apiVersionOf(token: string): string | undefined {
  return VERSIONED.exec(token)?.slice(2).join("-");
}

export function resourceType(token: string): ResourceType {
  const type = resourceTypes[unversioned(token)];
  if (type === undefined) {
    throw new Error(`${token}: the stand-in does not know this resource type; add it to resource-types.ts`);
  }
  return type;
}

export function resourceId(type: ResourceType, inputs: Readonly<Record<string, unknown>>): string {
  return type.id.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(inputs[name]));
}

export function bodyInputs(
  type: ResourceType,
  inputs: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !type.path.includes(key)));
}
