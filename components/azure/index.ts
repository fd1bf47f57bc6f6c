/**
 * Azure: every way out of a private subnet as a component, for your own stacks too. Each goes into an existing
 * virtual network by subnet ids.
 *
 * @module egress-bench/azure
 */
export { firstFreeAddress } from "../shared/cidr.ts";
export type { SshArgs } from "../shared/host-login.ts";
export { BenchPair, type BenchPairArgs, type ExtraClient, extraClients } from "./bench-pair.ts";
export { BenchServer, type BenchServerArgs, type ServerPath } from "./bench-server.ts";
export type { AzureArgs, MachineArgs } from "./common.ts";
export { DefaultSnat, type DefaultSnatArgs } from "./default-snat.ts";
export type { AzureAttachment, AzureEgress } from "./egress.ts";
export { ExpressRoute, type ExpressRouteArgs, type ExpressRouteEndArgs } from "./expressroute.ts";
export { FirewallEgress, type FirewallEgressArgs, type FirewallTier } from "./firewall-egress.ts";
export type { Image } from "./image.ts";
export { LinuxHost, type LinuxHostArgs } from "./linux-host.ts";
export { LoadBalancerEgress, type LoadBalancerEgressArgs } from "./load-balancer-egress.ts";
export {
  DEFAULT_NAT_SIZE,
  type HighAvailabilityArgs,
  type NatInstanceArgs,
  natInstanceSchema,
} from "./nat-args.ts";
export { type NatGatewayEgressArgs, natGatewaySchema } from "./nat-gateway-args.ts";
export { NatGatewayEgress } from "./nat-gateway-egress.ts";
export { NatInstance } from "./nat-instance.ts";
export { Network, type NetworkArgs, type SubnetArgs, type VirtualNetworkRef } from "./network.ts";
export { DirectEgress, IntraVnet, type PrivatePathArgs } from "./own-address.ts";
export type { PublicIpChoice, PublicIpRef, PublicIpSku } from "./public-ip.ts";
export { acceleratedNetworking } from "./sizes.ts";
export { VnetPeering, type VnetPeeringArgs } from "./vnet-peering.ts";
export { type VpnEndArgs, VpnGateway, type VpnGatewayArgs } from "./vpn-gateway.ts";
