/**
 * The public face of `egress-bench`: what is the same in every cloud. Topologies are in `egress-bench/azure`,
 * `egress-bench/aws` and `egress-bench/local`. No side effects.
 *
 * @module
 */
export { BenchmarkRun, type BenchmarkRunArgs } from "./benchmark-run.ts";
export type { Deployment, Egress, EgressPath } from "./egress.ts";
export type { Host } from "./host.ts";
export { SshKeyPair } from "./ssh-key-pair.ts";
