/** Derives the Azure role of a stack from its resources and their references. */

import { withoutApiVersion } from "../../../stacks/versioned-aliases.ts";

/** A resource that the program registers. */
export interface AzureResource {
  /** Pulumi's token, such as `azure-native:network:Subnet`. */
  readonly type: string;
  readonly inputs: unknown;
}

/** Azure's resource types for each of Pulumi's, including a machine's disk; each is read, written and deleted. */
const resourceTypes: Readonly<Record<string, readonly string[]>> = {
  "azure-native:resources:ResourceGroup": ["Microsoft.Resources/subscriptions/resourceGroups"],
  "azure-native:compute:VirtualMachine": ["Microsoft.Compute/virtualMachines", "Microsoft.Compute/disks"],
  "azure-native:compute:AvailabilitySet": ["Microsoft.Compute/availabilitySets"],
  "azure-native:compute:ProximityPlacementGroup": ["Microsoft.Compute/proximityPlacementGroups"],
  "azure-native:compute:VirtualMachineRunCommandByVirtualMachine": [
    "Microsoft.Compute/virtualMachines/runCommands",
  ],
  "azure-native:network:ApplicationSecurityGroup": ["Microsoft.Network/applicationSecurityGroups"],
  "azure-native:network:AzureFirewall": ["Microsoft.Network/azureFirewalls"],
  "azure-native:network:FirewallPolicy": ["Microsoft.Network/firewallPolicies"],
  "azure-native:network:FirewallPolicyRuleCollectionGroup": [
    "Microsoft.Network/firewallPolicies/ruleCollectionGroups",
  ],
  "azure-native:network:LoadBalancer": ["Microsoft.Network/loadBalancers"],
  "azure-native:network:NatGateway": ["Microsoft.Network/natGateways"],
  "azure-native:network:NetworkInterface": ["Microsoft.Network/networkInterfaces"],
  "azure-native:network:NetworkSecurityGroup": ["Microsoft.Network/networkSecurityGroups"],
  "azure-native:network:PublicIPAddress": ["Microsoft.Network/publicIPAddresses"],
  "azure-native:network:PublicIPPrefix": ["Microsoft.Network/publicIPPrefixes"],
  "azure-native:network:Route": ["Microsoft.Network/routeTables/routes"],
  "azure-native:network:RouteTable": ["Microsoft.Network/routeTables"],
  "azure-native:network:Subnet": ["Microsoft.Network/virtualNetworks/subnets"],
  "azure-native:network:VirtualNetwork": ["Microsoft.Network/virtualNetworks"],
  "azure-native:network:VirtualNetworkGateway": ["Microsoft.Network/virtualNetworkGateways"],
  "azure-native:network:VirtualNetworkGatewayConnection": ["Microsoft.Network/connections"],
  "azure-native:network:VirtualNetworkPeering": ["Microsoft.Network/virtualNetworks/virtualNetworkPeerings"],
};

/** Pulumi's resource types in the table. */
export const knownAzureTypes: readonly string[] = Object.keys(resourceTypes);

/** Permission to refer to a resource, by type. Source: Azure's list of resource provider operations. */
const referring: Readonly<Record<string, string>> = {
  // For a machine's disk. Source: kubernetes-sigs/azuredisk-csi-driver#2609, Azure's own refusal.
  "Microsoft.Compute/diskEncryptionSets": "read",
  // For an interface, and for a rule.
  "Microsoft.Network/applicationSecurityGroups": "joinIpConfiguration joinNetworkSecurityRule",
  "Microsoft.Network/expressRouteCircuits": "join",
  "Microsoft.Network/firewallPolicies": "join",
  "Microsoft.Network/loadBalancers/backendAddressPools": "join",
  "Microsoft.Network/natGateways": "join",
  "Microsoft.Network/networkInterfaces": "join",
  "Microsoft.Network/networkSecurityGroups": "join",
  "Microsoft.Network/publicIPAddresses": "join",
  "Microsoft.Network/publicIPPrefixes": "join",
  "Microsoft.Network/routeTables": "join",
  // For a connection.
  "Microsoft.Network/virtualNetworkGateways": "join",
  "Microsoft.Network/virtualNetworks": "peer",
  "Microsoft.Network/virtualNetworks/subnets": "join",
};

/** Permissions for polling Azure's asynchronous operations. */
const waiting = [
  "Microsoft.Compute/locations/operations/read",
  // A preview compares them with the stack's needs.
  "Microsoft.Compute/locations/usages/read",
  "Microsoft.Network/locations/usages/read",
  "Microsoft.Network/locations/operationResults/read",
  "Microsoft.Network/locations/operations/read",
];

/** Input of `az role definition create --role-definition`. @throws {Error} for a resource type that the table lacks */
export function azureRole(name: string, resources: readonly AzureResource[]) {
  const actions = resources.flatMap(({ type, inputs }) => [...ownActions(type), ...referringActions(inputs)]);
  return {
    Name: `egress-bench ${name}`,
    IsCustom: true,
    Description: `Deploys, measures and destroys egress-bench's stack ${name}`,
    Actions: [...new Set([...waiting, ...actions])].sort(),
    NotActions: [],
    AssignableScopes: ["/subscriptions/SUBSCRIPTION_ID"],
  };
}

function ownActions(type: string): string[] {
  const types = resourceTypes[withoutApiVersion(type)];
  if (types === undefined) {
    throw new Error(
      `${type}: tools/reference/permissions/azure.ts has no actions for it; add its Azure resource type`,
    );
  }
  return types.flatMap((one) => ["delete", "read", "write"].map((verb) => `${one}/${verb}`));
}

/** Permissions for every resource whose id is in the inputs. */
function referringActions(inputs: unknown): string[] {
  const ids = JSON.stringify(inputs).match(/\/providers\/[^"]+/g) ?? [];
  return ids.flatMap((id) => actionsOn(typeOf(id)));
}

function actionsOn(type: string): string[] {
  const verbs = referring[type]?.split(" ") ?? [];
  return verbs.map((verb) => `${type}/${verb === "read" ? verb : `${verb}/action`}`);
}

/** Permissions for every resource that an option may name. */
export const everyReference: readonly string[] = Object.keys(referring).flatMap(actionsOn);

/** The type in `/providers/<namespace>/<type>/<name>/<type>/<name>`. */
function typeOf(id: string): string {
  const [, , namespace, ...rest] = id.split("/");
  return [namespace, ...rest.filter((_, index) => index % 2 === 0)].join("/");
}
