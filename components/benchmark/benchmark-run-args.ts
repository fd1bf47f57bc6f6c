/** Arguments of the benchmark. */
import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import type { Plan, Results } from "../../bench/index.ts";
import { cloudNames } from "../../bench/topologies/index.ts";
import { objectOf, schemaOf, text } from "../shared/args-schema.ts";
import type { Deployment } from "../shared/egress.ts";
import { type TuningName, tuningNames } from "../tuning/profiles.ts";

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

/** Schema of {@link BenchmarkRunArgs}. */
export const benchmarkRunSchema = schemaOf<BenchmarkRunArgs>({
  stack: z.string(),
  cloud: z.enum(cloudNames),
  runId: z.string(),
  plan: objectOf<Plan>('a plan, such as parsePlan("quick")', "cases"),
  tuning: z.enum(tuningNames).optional(),
  deployment: objectOf<Deployment>("{ server, paths, notes }", "paths"),
  secret: text,
});
