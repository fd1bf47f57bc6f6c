/**
 * The public face of `egress-bench`: what is the same in every cloud. Topologies are in `egress-bench/azure`,
 * `egress-bench/aws` and `egress-bench/local`. No side effects.
 *
 * @module egress-bench
 */
export { BenchmarkRun } from "./benchmark/benchmark-run.ts";
export { type BenchmarkRunArgs, benchmarkRunSchema } from "./benchmark/benchmark-run-args.ts";
export { ExistingHost, type ExistingHostArgs, type ExistingLogin } from "./existing/existing-host.ts";
export type { Deployment, Egress, EgressPath } from "./shared/egress.ts";
export type { Host } from "./shared/host.ts";
export { type HostLoginArgs, hostLogin } from "./shared/host-login.ts";
export { SshKeyPair } from "./shared/ssh-key-pair.ts";
