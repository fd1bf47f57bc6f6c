/** The program of tests that change a deployed component: a network, the component, and a subnet of clients. */

import { ProximityPlacementGroup } from "@pulumi/azure-native/compute/proximityPlacementGroup.js";
import { NatGateway } from "@pulumi/azure-native/network/natGateway.js";
import { NetworkInterface } from "@pulumi/azure-native/network/networkInterface.js";
import { PublicIPAddress } from "@pulumi/azure-native/network/publicIPAddress.js";
import { PublicIPPrefix } from "@pulumi/azure-native/network/publicIPPrefix.js";
import { ResourceGroup } from "@pulumi/azure-native/resources/resourceGroup.js";
import type * as pulumi from "@pulumi/pulumi";
import {
  type AzureAttachment,
  FirewallEgress,
  LoadBalancerEgress,
  NatGatewayEgress,
  NatInstance,
  Network,
} from "../../../components/azure/index.ts";
import { addressOf, publicIp } from "../../../components/azure/public-ip.ts";
import { SshKeyPair } from "../../../components/shared/ssh-key-pair.ts";
import { eachOnce, resolved } from "../changes/memo.ts";
import { moreComponents, moreParts } from "./more-components.ts";

/** The program's parts. A text `@...` stands for one of them, such as an address that `kept` lists. */
export interface ComponentProgram {
  readonly location?: string;
  /** The program's own public addresses. @default none */
  readonly kept?: readonly string[];
  /** An existing address `kept` and its gateway, which this program takes over. @default none */
  readonly joined?: Readonly<Record<"kept" | "theirs", Joined>>;
  /** Arguments by component and name; `ssh` is set unless it is `null`. */
  readonly components: Readonly<Record<string, ComponentCase>>;
  /** Block of the subnet of the component "nat". @default 10.0.100.0/24 */
  readonly ownBlock?: string;
  /** Component that the clients' subnet is attached to. @default the first */
  readonly attached?: string;
}

export interface Joined {
  readonly id: string;
  readonly inputs: Readonly<Record<string, unknown>>;
}

interface ComponentCase {
  readonly component: keyof typeof components;
  readonly args: Readonly<Record<string, unknown>>;
}

const components = { FirewallEgress, LoadBalancerEgress, NatGatewayEgress, NatInstance } as const;
type AnyEgress = new (
  name: string,
  args: never,
) => pulumi.ComponentResource & {
  readonly attachment: AzureAttachment;
  readonly expectedSourceIps: pulumi.Input<pulumi.Input<string>[]>;
};

const CLIENTS = "10.0.1.0/24";

/** Block of a component's own subnet, independent of other components. */
const own = (name: string) => `10.0.${name === "nat" ? 100 : name === "pair" ? 101 : 110}.0/24`;

export function deployComponents(program: ComponentProgram): void {
  const { location = "japaneast", kept = [], joined, components: cases } = program;
  const group = new ResourceGroup("group", { location });
  const place = { resourceGroupName: group.name, location };
  const ips = new Map(kept.map((name) => [`@${name}`, publicIp(name, place, group)]));
  if (joined !== undefined) {
    const { id, inputs } = joined.kept;
    ips.set("@kept", new PublicIPAddress("kept", inputs as never, { import: id, dependsOn: group }));
  }
  const isTheirs = program.attached === "theirs" && joined !== undefined;
  const theirs = isTheirs
    ? new NatGateway("theirs", joined.theirs.inputs as never, {
        import: joined.theirs.id,
        dependsOn: group,
      })
    : undefined;
  const network = new Network("network", { ...place, cidr: "10.0.0.0/16" });
  const known = eachOnce({
    ...Object.fromEntries(
      [...ips].map(([name, ip]) => [name, () => ({ id: ip.id, address: addressOf(ip) })]),
    ),
    "@other": () => network.subnet("other", { cidr: "10.0.200.0/24" }).id,
    "@far": () =>
      new Network("far", { ...place, cidr: "10.1.0.0/16" }).subnet("other", { cidr: "10.1.0.0/24" }).id,
  });
  const ssh = { key: new SshKeyPair("operator"), allowedCidrs: ["203.0.113.7/32"] };
  const made = Object.entries(cases).map(([name, { component, args }]) => {
    const Egress = components[component] as unknown as AnyEgress;
    const shared =
      component.startsWith("Nat") && component !== "NatInstance"
        ? {}
        : subnets(network, component, name, program.ownBlock);
    const all = {
      ...place,
      ...shared,
      ...(component === "NatInstance" ? { ssh } : {}),
      ...(resolved(args, known) as object),
    };
    return [name, new Egress(name, all as never)] as const;
  });
  const attached = new Map(made).get(program.attached ?? (made[0]?.[0] as string));
  const attachment = theirs === undefined ? attached?.attachment : { natGatewayId: theirs.id };
  network.subnet("clients", { cidr: CLIENTS, attachment: (attachment ?? {}) as AzureAttachment });
}

/** Deploys each component in its own network, with clients behind it. A text `@...` stands for something that is made. */
export function deployEach(cases: ComponentProgram["components"]): void {
  const location = "japaneast";
  const group = new ResourceGroup("group", { location });
  const place = { resourceGroupName: group.name, location };
  const login = (user: string) => ({ publicKey: `ssh-ed25519 ${user}`, privateKey: user });
  for (const [name, { component, args }] of Object.entries(cases)) {
    const network = new Network(`net-${name}`, { ...place, cidr: "10.0.0.0/16" });
    const made = (ip: ReturnType<typeof publicIp>) => ({ id: ip.id, address: addressOf(ip) });
    const known = eachOnce({
      ...moreParts(name, place, network),
      "@other": () => network.subnet(`other-${name}`, { cidr: "10.0.200.0/24" }).id,
      "@management": () =>
        network.subnet(`management-${name}`, {
          cidr: "10.0.201.0/26",
          subnetName: "AzureFirewallManagementSubnet",
        }).id,
      "@kept": () => made(publicIp(`kept-${name}`, place, group)),
      "@kept-2": () => made(publicIp(`kept-2-${name}`, place, group)),
      "@placement": () => new ProximityPlacementGroup(`placement-${name}`, place).id,
      "@operator": () => login("operator"),
      "@another-operator": () => login("another"),
      "@group": () => new ResourceGroup(`group-${name}`, { location }).name,
      "@prefix": () => {
        const prefix = new PublicIPPrefix(`prefix-${name}`, {
          ...place,
          prefixLength: 31,
          sku: { name: "Standard", tier: "Regional" },
        });
        return { id: prefix.id, cidr: prefix.ipPrefix };
      },
    });
    const Other = moreComponents[component];
    if (Other !== undefined) {
      new Other(name, { ...place, ...(resolved(args, known) as object) } as never);
      continue;
    }
    const Egress = components[component] as unknown as AnyEgress;
    const shared = component === "NatGatewayEgress" ? {} : subnets(network, component, name);
    const all = { ...place, ...shared, ...(resolved(args, known) as object) };
    const egress = new Egress(name, all as never);
    const clients = network.subnet(`clients-${name}`, { cidr: CLIENTS, attachment: egress.attachment });
    const { backendPoolId } = egress.attachment;
    if (backendPoolId !== undefined) {
      const end = {
        name: "primary",
        subnet: { id: clients.id },
        loadBalancerBackendAddressPools: [{ id: backendPoolId }],
      };
      new NetworkInterface(`client-${name}`, { ...place, ipConfigurations: [end] });
    }
  }
}

function subnets(network: Network, component: string, name: string, block = own(name)) {
  if (component === "LoadBalancerEgress") {
    return {};
  }
  const subnetName = component === "FirewallEgress" ? { subnetName: "AzureFirewallSubnet" as const } : {};
  return {
    subnetId: network.subnet(`${name}-own`, { cidr: block, ...subnetName }).id,
    privateCidrs: [CLIENTS],
  };
}
