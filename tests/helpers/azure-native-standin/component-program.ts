/**
 * The program of tests that change one component on a live stack: a network, the component, and a subnet of clients.
 *
 * @module
 */
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

/** What the program deploys. Addresses of one's own are named in `kept`, and asked for as `"kept:NAME"`. */
export interface ComponentProgram {
  readonly location?: string;
  /** Public addresses that the program itself has. @default none */
  readonly kept?: readonly string[];
  /** Arguments by component and name; `ssh` is there unless `null`. */
  readonly components: Readonly<Record<string, ComponentCase>>;
  /** Which of them the clients' subnet goes out by. @default the first */
  readonly attached?: string;
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

/** Block of a component's own subnet, which stays whatever else is there. */
const own = (name: string) => `10.0.${name === "nat" ? 100 : 101}.0/24`;

/** Deploys it. */
export function deployComponents(program: ComponentProgram): void {
  const { location = "japaneast", kept = [], components: cases } = program;
  const group = new ResourceGroup("group", { location });
  const place = { resourceGroupName: group.name, location };
  const ips = new Map(kept.map((name) => [name, publicIp(name, place, group)]));
  const network = new Network("network", { ...place, cidr: "10.0.0.0/16" });
  const ssh = { key: new SshKeyPair("operator"), allowedCidrs: ["203.0.113.7/32"] };
  const made = Object.entries(cases).map(([name, { component, args }]) => {
    const Egress = components[component] as unknown as AnyEgress;
    const shared =
      component.startsWith("Nat") && component !== "NatInstance" ? {} : subnets(network, component, name);
    const all = {
      ...place,
      ...shared,
      ...(component === "NatInstance" ? { ssh } : {}),
      ...withKept(args, ips, network),
    };
    return [name, new Egress(name, all as never)] as const;
  });
  const attached = new Map(made).get(program.attached ?? (made[0]?.[0] as string));
  network.subnet("clients", { cidr: CLIENTS, attachment: (attached?.attachment ?? {}) as AzureAttachment });
}

function subnets(network: Network, component: string, name: string) {
  if (component === "LoadBalancerEgress") {
    return {};
  }
  const subnetName = component === "FirewallEgress" ? { subnetName: "AzureFirewallSubnet" as const } : {};
  return {
    subnetId: network.subnet(`${name}-own`, { cidr: own(name), ...subnetName }).id,
    privateCidrs: [CLIENTS],
  };
}

/** The arguments with the program's own addresses and further subnets in place of their names; `null` leaves one out. */
function withKept(
  args: Readonly<Record<string, unknown>>,
  ips: ReadonlyMap<string, ReturnType<typeof publicIp>>,
  network: Network,
): Record<string, unknown> {
  const { publicIps, otherSubnet, ...rest } = args;
  const chosen = (publicIps as readonly string[] | undefined)?.map((name) => {
    const ip = ips.get(name) as ReturnType<typeof publicIp>;
    return { id: ip.id, address: addressOf(ip), sku: "Standard" };
  });
  return {
    ...Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, value ?? undefined])),
    ...(chosen === undefined ? {} : { publicIps: chosen }),
    ...(otherSubnet === undefined
      ? {}
      : { subnetId: network.subnet("other", { cidr: String(otherSubnet) }).id }),
  };
}
