/**
 * The results document: what `pulumi stack output results` and `out/results.json` hold.
 *
 * Units are in the field names. `null` means "not measured", never 0.
 */
import { z } from "zod";
import { finite, nullable, object, orNull, textOrNull, texts, timestamp } from "../schema.ts";
import { caseSchema } from "../tools/index.ts";
import { cloudNames } from "../topologies/index.ts";
import { caseResultSchema } from "./case.ts";
import { hostFactsSchema } from "./hosts.ts";

export * from "./case.ts";
export * from "./failover.ts";
export * from "./hosts.ts";
export * from "./limits.ts";
export * from "./measurement.ts";

/** Version of the results document written by this package. */
export const RESULTS_SCHEMA_VERSION = 1;

export const matrixCellSchema = object("matrixCell", "The cell of a matrix that a stack measured.", {
  matrix: z.string().max(40).describe("Name of the matrix."),
  axes: z.record(z.string().max(80), z.string().max(400)).describe("Label of the cell's value on each axis."),
});
/** The cell of a matrix that a stack measured. */
export type MatrixCell = z.infer<typeof matrixCellSchema>;

export const ownPriceSchema = object("ownPrice", "Price that a stack's file gives for hosts that exist.", {
  usdPerHour: finite.nonnegative().describe("USD for each hour that it exists."),
  usdPerGbSent: finite.nonnegative().describe("USD for each GB that the client sends."),
});
/** Price that a stack's file gives for hosts that exist. */
export type OwnPrice = z.infer<typeof ownPriceSchema>;

export const connectionLimitsSchema = object("connectionLimits", "Limits of one connection.", {
  bitsPerSecond: finite.describe("Most bits a second that one connection may carry."),
  packetsPerSecond: finite.describe("Most packets a second that one connection may carry."),
});
/** Bits and packets a second that a way out lets one connection carry. */
export type ConnectionLimits = z.infer<typeof connectionLimitsSchema>;

export const topologyResultSchema = object("topologyResult", "One topology, its hosts and its limits.", {
  name: z.string().describe("Name, unique within the stack."),
  topology: z.string().describe("Kind of topology, such as `nat-instance`."),
  expectedSourceIps: texts.describe("Addresses that the server must see. Empty: not known before the run."),
  path: z
    .object({
      status: z
        .enum(["proved", "mismatch", "unknown"])
        .describe(
          "`proved`: the server saw an expected address; `mismatch`: it saw another one; `unknown`: no address was expected, or none was seen.",
        ),
      sourceIps: texts.describe("Addresses that the server saw."),
      message: textOrNull.describe("What was wrong. Null: nothing."),
    })
    .describe("Whether traffic took the topology's own way out."),
  hosts: z.array(hostFactsSchema).describe("The topology's hosts."),
  connectionLimits: nullable(connectionLimitsSchema).describe(
    "Published limits of one connection. Null: none, not known.",
  ),
  idleTimeoutSeconds: nullable(finite.positive()).describe(
    "Configured idle time-out for TCP: after this silence the way out forgets a connection. Null: not known.",
  ),
  ownPrice: nullable(ownPriceSchema).describe(
    "Price from the stack's file. Null: none given, or the cloud's price list applies.",
  ),
  kind: nullable(z.string().max(40)).describe("SKU or tier, as its cloud names it. Null: there is only one."),
});
/** One topology of a results document. */
export type TopologyResult = z.infer<typeof topologyResultSchema>;

export const resultsSchema = object("results", "The results document of a stack.", {
  schemaVersion: z
    .literal(RESULTS_SCHEMA_VERSION)
    .describe("Version of this document. It changes when older readers could misread it."),
  stack: z.string().describe("Name of the Pulumi stack."),
  cloud: z.enum(cloudNames).describe("The cloud that the stack is deployed to."),
  runId: z.string().describe("Name of the run. A new name measures everything again."),
  egressBenchVersion: z.string().describe("Version of the program that wrote the document."),
  startedAt: timestamp.nullable().describe("Start, by the host's clock. Null: it did not begin."),
  finishedAt: timestamp.nullable().describe("End, by the host's clock. Null: it did not end."),
  plan: z
    .object({
      name: z.string().describe("The preset's name, or the plan's own."),
      order: z
        .enum(["interleaved", "sequential", "shuffled"])
        .describe("Order in which the topologies' cases were measured."),
      seed: nullable(z.int()).describe("Seed of `shuffled`: the same seed gives the same order again."),
      pauseSeconds: finite.default(0).describe("Pause before every case."),
      repeat: z
        .object({
          least: z.int().describe("Fewest times."),
          most: z.int().describe("Most times."),
          withinPercent: orNull.describe(
            "Target for half the confidence interval's width, in percent of the mean. Null: a fixed number of times.",
          ),
        })
        .default({ least: 1, most: 1, withinPercent: null })
        .describe("How often every case is measured."),
      cases: z
        .array(caseSchema)
        .describe(
          "The cases as measured, with all defaults filled in; [plan and case keys](plans.md) explains what a plan may say.",
        ),
    })
    .describe("The plan that was measured."),
  server: hostFactsSchema.nullable().describe("The server's facts. Null: not known."),
  matrixCell: nullable(matrixCellSchema).describe(
    "The stack's cell of a matrix. Null: not part of a matrix.",
  ),
  topologies: z.array(topologyResultSchema).describe("One entry for each topology of the stack."),
  cases: z.array(caseResultSchema).describe("One entry for each case and topology."),
  notes: texts.describe(
    "Notes to read before comparing figures, e.g. that all hosts share one machine's CPUs.",
  ),
});
/** A results document. */
export type Results = z.infer<typeof resultsSchema>;
