/**
 * The local lab: the same components as the clouds', built of Linux network namespaces.
 *
 * @module egress-bench/local
 */
export {
  clientAddress,
  SERVER_ADDRESS,
  serverAddress,
  type TopologyAddresses,
  topologyAddresses,
} from "./addresses.ts";
export { BenchPair, type BenchPairArgs } from "./bench-pair.ts";
export { DirectEgress } from "./direct.ts";
export type { LabAttachment, LabEgressArgs } from "./forwarder.ts";
export { type Lab, LabHost, type LabHostArgs } from "./host.ts";
export type { LinkShape } from "./lab/shaping.ts";
export { Link, type LinkArgs } from "./link.ts";
export { NatInstance, type NatInstanceArgs } from "./nat-instance.ts";
export { NatInstanceHa, type NatInstanceHaArgs } from "./nat-instance-ha.ts";
export { BenchServers, type BenchServersArgs, benchServer } from "./servers.ts";
