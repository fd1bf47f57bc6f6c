/**
 * The stand-in's facts of each azure-native resource type.
 *
 * Sources: the paths are ARM's; `forceNew` is the provider's own table (provider/pkg/gen/replacement.go of
 * pulumi-azure-native), beside which a resource's place in its path always replaces.
 */
import type { ClientName } from "./mappers.ts";

export interface ResourceType {
  readonly client: ClientName;
  /** Class of the body. */
  readonly className: string;
  /** Inputs in the path, the resource's own name last. */
  readonly path: readonly string[];
  /** The resource's id, with the names of `path` in braces. */
  readonly id: string;
  /** Properties outside the path that make the provider replace the resource. */
  readonly forceNew: readonly string[];
}

const SUBSCRIPTION = "/subscriptions/00000000-0000-0000-0000-000000000000";
const GROUP = `${SUBSCRIPTION}/resourceGroups/{resourceGroupName}`;

function networkType(
  className: string,
  plural: string,
  nameInput: string,
  forceNew: readonly string[] = [],
): ResourceType {
  return {
    client: "network",
    className,
    path: ["resourceGroupName", nameInput],
    id: `${GROUP}/providers/Microsoft.Network/${plural}/{${nameInput}}`,
    forceNew,
  };
}

function networkChild(
  className: string,
  parent: readonly [string, string],
  plural: string,
  nameInput: string,
): ResourceType {
  const [parentPlural, parentInput] = parent;
  return {
    client: "network",
    className,
    path: ["resourceGroupName", parentInput, nameInput],
    id: `${GROUP}/providers/Microsoft.Network/${parentPlural}/{${parentInput}}/${plural}/{${nameInput}}`,
    forceNew: [],
  };
}

const virtualNetwork = ["virtualNetworks", "virtualNetworkName"] as const;
const firewallPolicy = ["firewallPolicies", "firewallPolicyName"] as const;

export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  "azure-native:resources:ResourceGroup": {
    client: "resources",
    className: "ResourceGroup",
    path: ["resourceGroupName"],
    id: GROUP,
    forceNew: ["location"],
  },
  "azure-native:compute:VirtualMachine": {
    client: "compute",
    className: "VirtualMachine",
    path: ["resourceGroupName", "vmName"],
    id: `${GROUP}/providers/Microsoft.Compute/virtualMachines/{vmName}`,
    forceNew: [],
  },
  "azure-native:compute:ProximityPlacementGroup": {
    client: "compute",
    className: "ProximityPlacementGroup",
    path: ["resourceGroupName", "proximityPlacementGroupName"],
    id: `${GROUP}/providers/Microsoft.Compute/proximityPlacementGroups/{proximityPlacementGroupName}`,
    forceNew: ["location"],
  },
  "azure-native:compute:AvailabilitySet": {
    client: "compute",
    className: "AvailabilitySet",
    path: ["resourceGroupName", "availabilitySetName"],
    id: `${GROUP}/providers/Microsoft.Compute/availabilitySets/{availabilitySetName}`,
    forceNew: [],
  },
  "azure-native:compute:VirtualMachineRunCommandByVirtualMachine": {
    client: "compute",
    className: "VirtualMachineRunCommand",
    path: ["resourceGroupName", "vmName", "runCommandName"],
    id: `${GROUP}/providers/Microsoft.Compute/virtualMachines/{vmName}/runCommands/{runCommandName}`,
    forceNew: [],
  },
  "azure-native:network:VirtualNetwork": networkType(
    "VirtualNetwork",
    "virtualNetworks",
    "virtualNetworkName",
    ["location"],
  ),
  "azure-native:network:Subnet": networkChild("Subnet", virtualNetwork, "subnets", "subnetName"),
  "azure-native:network:VirtualNetworkPeering": networkChild(
    "VirtualNetworkPeering",
    virtualNetwork,
    "virtualNetworkPeerings",
    "virtualNetworkPeeringName",
  ),
  "azure-native:network:ApplicationSecurityGroup": networkType(
    "ApplicationSecurityGroup",
    "applicationSecurityGroups",
    "applicationSecurityGroupName",
  ),
  "azure-native:network:NetworkSecurityGroup": networkType(
    "NetworkSecurityGroup",
    "networkSecurityGroups",
    "networkSecurityGroupName",
  ),
  "azure-native:network:RouteTable": networkType("RouteTable", "routeTables", "routeTableName"),
  "azure-native:network:PublicIPAddress": networkType(
    "PublicIPAddress",
    "publicIPAddresses",
    "publicIpAddressName",
    ["location", "publicIPAddressVersion", "publicIPPrefix", "sku"],
  ),
  "azure-native:network:PublicIPPrefix": networkType(
    "PublicIPPrefix",
    "publicIPPrefixes",
    "publicIpPrefixName",
  ),
  "azure-native:network:NatGateway": networkType("NatGateway", "natGateways", "natGatewayName"),
  "azure-native:network:NetworkInterface": networkType(
    "NetworkInterface",
    "networkInterfaces",
    "networkInterfaceName",
  ),
  "azure-native:network:LoadBalancer": networkType("LoadBalancer", "loadBalancers", "loadBalancerName"),
  "azure-native:network:AzureFirewall": networkType("AzureFirewall", "azureFirewalls", "azureFirewallName"),
  "azure-native:network:FirewallPolicy": networkType(
    "FirewallPolicy",
    "firewallPolicies",
    "firewallPolicyName",
  ),
  "azure-native:network:FirewallPolicyRuleCollectionGroup": networkChild(
    "FirewallPolicyRuleCollectionGroup",
    firewallPolicy,
    "ruleCollectionGroups",
    "ruleCollectionGroupName",
  ),
  "azure-native:network:VirtualNetworkGateway": networkType(
    "VirtualNetworkGateway",
    "virtualNetworkGateways",
    "virtualNetworkGatewayName",
  ),
  "azure-native:network:VirtualNetworkGatewayConnection": networkType(
    "VirtualNetworkGatewayConnection",
    "connections",
    "virtualNetworkGatewayConnectionName",
  ),
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

/** @throws {Error} for an unknown type. */
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

/** The inputs in the body: all except the path. */
export function bodyInputs(
  type: ResourceType,
  inputs: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !type.path.includes(key)));
}
