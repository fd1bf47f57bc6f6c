/** Places of an Azure stack's topologies: regions, networks and addresses. */
import type { AzureArgs, MachineArgs, Network, SshArgs } from "../../components/azure/index.ts";
import { nthSubnet } from "../../components/shared/cidr.ts";

/** A topology's place on Azure: names, resource group and networks. */
export interface Site {
  /** Name, unique within the stack. */
  readonly name: string;
  /** The client's resource group, region and tags. */
  readonly args: AzureArgs;
  /** The client's network and its reserved blocks. */
  readonly network: Network;
  readonly cidrs: SiteCidrs;
  readonly clientAddress: string;
  readonly serverNetwork: Network;
  readonly serverGatewayCidr: string;
  readonly ssh: SshArgs;
  /** Image, zone and user of all machines. */
  readonly machine: Omit<MachineArgs, "size" | "acceleratedNetworking">;
  /** Number of the topology's clients. */
  readonly pairs: number;
  /** A secret that only this stack knows. */
  readonly sharedKey: SshArgs["key"]["privateKey"];
}

export interface SiteCidrs {
  readonly client: string;
  readonly jump: string;
  /** Block of the NAT instance or firewall. */
  readonly egress: string;
  readonly management: string;
  readonly gateway: string;
}

/** Prefix of a network's block in the address space, which tells networks apart; likewise subnets in a network. */
const NETWORK_PREFIX = 20;
const SUBNET_PREFIX = 24;

/** Block of a stack's network: 0 is the shared server's, then two per topology, the second for a server of its own. */
export function networkCidr(addressSpace: string, index: number): string {
  return nthSubnet(addressSpace, NETWORK_PREFIX, index);
}

export function siteCidrs(network: string): SiteCidrs {
  const [client, jump, egress, management, gateway] = [0, 1, 2, 3, 4].map((n) =>
    nthSubnet(network, SUBNET_PREFIX, n),
  ) as [string, string, string, string, string];
  return { client, jump, egress, management, gateway };
}

/** Block of the `n`th client, from 0, in the server's network. */
export function guestCidr(serverNetwork: string, n: number): string {
  return nthSubnet(serverNetwork, SUBNET_PREFIX, 5 + n);
}
