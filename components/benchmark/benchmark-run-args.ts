/**
 * Arguments of the benchmark.
 *
 * @module
 */
import type * as pulumi from "@pulumi/pulumi";
import type { Plan, Results } from "../../bench/index.ts";
import type { Deployment } from "../shared/egress.ts";
import type { TuningName } from "../tuning/index.ts";

/** Arguments of `BenchmarkRun`: what to measure, where, and in which run. */
export interface BenchmarkRunArgs {
  /** Name of the stack, for the results. */
  readonly stack: string;
  /** Cloud of the hosts, for the results. */
  readonly cloud: Results["cloud"];
  /** A new one measures everything afresh; the same one measures only what is missing or changed. */
  readonly runId: string;
  /** The plan, as `parsePlan` of `egress-bench/bench` returns it. */
  readonly plan: Plan;
  /** Kernel settings of clients and servers. @default "none" */
  readonly tuning?: TuningName | undefined;
  /** The hosts and paths to measure. */
  readonly deployment: Deployment;
  /** Any secret of the stack; the hosts' agents recognise each other by what is derived from it. */
  readonly secret: pulumi.Input<string>;
}
