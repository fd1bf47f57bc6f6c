/**
 * AWS: every way out of a private subnet as a component, for your own stacks too. Each goes into an existing VPC by
 * the ids of its public subnet and its private route tables.
 *
 * @module egress-bench/aws
 */
export type { SshArgs } from "../shared/host-login.ts";
export { type Architecture, architecture } from "./architecture.ts";
export {
  BenchPair,
  type BenchPairArgs,
  type ExtraClient,
  extraClients,
  type JumpHostArgs,
  jumpHost,
} from "./bench-pair.ts";
export { BenchServer, type BenchServerArgs, type ServerPath } from "./bench-server.ts";
export type {
  AwsArgs,
  MachineArgs,
  PrivateRoutesArgs,
  PublicIp,
  PublicSubnetArgs,
  RolesArgs,
} from "./common.ts";
export type { AwsAttachment, AwsEgress } from "./egress.ts";
export { FckNat } from "./fck-nat.ts";
export { LinuxHost } from "./linux-host.ts";
export type { LinuxHostArgs } from "./linux-host-args.ts";
export type { NatGatewayFallbackArgs } from "./nat-args.ts";
export {
  type CloudWatchArgs,
  DEFAULT_NAT_TYPE,
  type FckNatArgs,
  fckNatSchema,
  type HighAvailabilityArgs,
  type NatInstanceArgs,
  type NatMachineArgs,
  natInstanceSchema,
} from "./nat-args.ts";
export { type NatGatewayEgressArgs, natGatewaySchema } from "./nat-gateway-args.ts";
export { NatGatewayEgress } from "./nat-gateway-egress.ts";
export { NatInstance } from "./nat-instance.ts";
export {
  NatInstancePerZone,
  type NatInstancePerZoneArgs,
  type ZoneOfNatInstanceArgs,
} from "./nat-instance-per-zone.ts";
export { Network, type NetworkArgs, type NetworkSubnet } from "./network.ts";
export { DirectEgress, IntraVpc, type PrivatePathArgs } from "./own-address.ts";
export { type PeeringEndArgs, VpcPeering, type VpcPeeringArgs } from "./vpc-peering.ts";
