/** Where the topologies of an AWS stack are built: VPCs, subnets and addresses. */
import type * as pulumi from "@pulumi/pulumi";
import type { Network, NetworkSubnet, SshArgs } from "../../components/aws/index.ts";
import { nthSubnet } from "../../components/shared/cidr.ts";
import type { Settings } from "./settings.ts";

/** Where one topology is built. */
export interface Site {
  /** Unique within the stack. */
  readonly name: string;
  readonly tags: Settings["tags"];
  /** The client's. */
  readonly network: Network;
  readonly publicSubnet: NetworkSubnet;
  readonly clientSubnet: NetworkSubnet;
  readonly clientCidr: string;
  readonly clientAddress: string;
  readonly serverNetwork: Network;
  readonly serverSubnet: NetworkSubnet;
  readonly zone: pulumi.Output<string>;
  readonly ssh: SshArgs;
  /** Block of one more subnet of the client's network. */
  freeCidr(): string;
  /** Resources that a public subnet of the client's network needs before it reaches the internet. */
  readonly internetReady: readonly pulumi.Resource[];
}

/** VPCs are distinguished by their block of the address space, subnets by their block of the VPC. */
const VPC_PREFIX = 18;
const SUBNET_PREFIX = 24;

/** Block of a stack's VPC: 0 is the server's, 1 the clients', then one a topology that needs its own. */
export function vpcCidr(addressSpace: string, index: number): string {
  return nthSubnet(addressSpace, VPC_PREFIX, index);
}

/** Block of a VPC's subnet: 0 is the public one, then one a topology. */
export function subnetCidr(vpc: string, index: number): string {
  return nthSubnet(vpc, SUBNET_PREFIX, index);
}
