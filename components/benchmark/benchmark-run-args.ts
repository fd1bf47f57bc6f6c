import { z } from "zod";
import type { Plan } from "../../bench/index.ts";
import { cloudNames } from "../../bench/topologies/index.ts";
import { objectOf, text } from "../shared/args-schema.ts";
import type { Deployment } from "../shared/egress.ts";
import { tuningNames } from "../tuning/profiles.ts";

/** Schema of {@link BenchmarkRunArgs}. */
export const benchmarkRunSchema = z.strictObject({
  /** Name of the stack, for the results. */
  stack: z.string(),
  cloud: z.enum(cloudNames).meta({ description: "Where the machines are, for the results." }),
  runId: z.string().meta({
    description:
      "Id of the run. A new one measures everything afresh; the same one measures only what is missing or changed.",
  }),
  /** The plan, as `parsePlan` of `egress-bench/bench` returns it. */
  plan: objectOf<Plan>('a plan, such as parsePlan("quick")', "cases"),
  tuning: z
    .enum(tuningNames)
    .optional()
    .meta({ description: "Kernel settings of clients and servers.", default: "none" }),
  /** The hosts and paths to measure. */
  deployment: objectOf<Deployment>("{ server, paths, notes }", "paths"),
  /** Any secret of the stack. The hosts' agents authenticate each other with a key derived from it. */
  secret: text,
});

/** Arguments of `BenchmarkRun`: what to measure, where, and in which run. */
export interface BenchmarkRunArgs extends Readonly<z.infer<typeof benchmarkRunSchema>> {}
