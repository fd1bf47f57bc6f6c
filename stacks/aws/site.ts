/** Places of an AWS stack's topologies: VPCs, subnets and addresses. */
import type * as pulumi from "@pulumi/pulumi";
import type { Network, NetworkSubnet, SshArgs } from "../../components/aws/index.ts";
import { nthSubnet } from "../../components/shared/cidr.ts";
import type { Settings } from "./settings.ts";

export interface Site {
  /** Name, unique within the stack. */
  readonly name: string;
  readonly tags: Settings["tags"];
  readonly network: Network;
  readonly publicSubnet: NetworkSubnet;
  readonly clientSubnet: NetworkSubnet;
  readonly clientCidr: string;
  readonly clientAddress: string;
  readonly serverNetwork: Network;
  readonly serverSubnet: NetworkSubnet;
  readonly zone: pulumi.Output<string>;
  readonly ssh: SshArgs;
  /** Block for one more subnet of the client's network. */
  freeCidr(): string;
  /** Resources that a public subnet of the client's network needs before it reaches the internet. */
  readonly internetReady: readonly pulumi.Resource[];
}

/** Prefix of a VPC's block in the address space, which tells VPCs apart; likewise subnets in a VPC. */
const VPC_PREFIX = 18;
const SUBNET_PREFIX = 24;

/** Block of a stack's VPC: 0 is the server's, 1 the clients', then one per topology that needs its own. */
export function vpcCidr(addressSpace: string, index: number): string {
  return nthSubnet(addressSpace, VPC_PREFIX, index);
}

/** Block of a VPC's subnet: 0 is the public one, then one per topology. */
export function subnetCidr(vpc: string, index: number): string {
  return nthSubnet(vpc, SUBNET_PREFIX, index);
}
