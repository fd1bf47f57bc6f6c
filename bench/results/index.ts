/**
 * The results document: what `pulumi stack output results` and `out/results.json` hold.
 *
 * Units are in the field names. `null` means "not measured", never 0. The document is versioned:
 * fields may be added within a version, a renamed or removed field needs a new one.
 *
 * @module
 */
import { z } from "zod";
import { cloudNames } from "../topologies/index.ts";
import { storedCaseResultSchema } from "./case.ts";
import { hostFactsSchema } from "./hosts.ts";
import { plannedCaseSchema } from "./planned-case.ts";

export * from "./case.ts";
export * from "./failover.ts";
export * from "./hosts.ts";
export * from "./limits.ts";
export * from "./measurement.ts";
export * from "./planned-case.ts";

/** Version of the results document written by this package. */
export const RESULTS_SCHEMA_VERSION = 1;

/**
 * Within the version: raised when fields are added, or take the place of one that its readers do without. Absent in
 * documents before it was recorded, which is 0. 1: `limits` in place of `saturated`. 2: every figure of repetitions, and
 * searches' goals. 3: `failover`. 4: `connectionLimits`, and the limits that it brings. 5: `failover.kinds`, and what it brings;
 * rounds and outages of repetitions. 6: `kind` of a topology.
 */
export const RESULTS_SCHEMA_MINOR = 6;

const finite = z.number();
const orNull = finite.nullable();
const timestamp = z.iso.datetime();

/** Limits of one connection through a way out. */
export const connectionLimitsSchema = z.object({ bitsPerSecond: finite, packetsPerSecond: finite });
/** Bits and packets a second that a way out lets one connection carry. */
export type ConnectionLimits = z.infer<typeof connectionLimitsSchema>;

/** One topology of the document: its hosts, its limits, and the addresses that the server had to see. */
export const topologyResultSchema = z.object({
  /** Unique within the stack. */
  name: z.string(),
  /** Kind of topology, a name of the registry. */
  topology: z.string(),
  /** Addresses the server had to see. Empty: not known beforehand. */
  expectedSourceIps: z.array(z.string()),
  path: z.object({
    status: z.enum(["proved", "mismatch", "unknown"]),
    sourceIps: z.array(z.string()),
    message: z.string().nullable(),
  }),
  hosts: z.array(hostFactsSchema),
  /** As its cloud publishes them. Null: it has none, they are not known, or the document is of before they were recorded. */
  connectionLimits: connectionLimitsSchema.nullable().default(null),
  /** SKU or tier, as its cloud names it. Null: there is one kind only, or the document is of before it was recorded. */
  kind: z.string().max(40).nullable().default(null),
});
/** One topology of a results document. */
export type TopologyResult = z.infer<typeof topologyResultSchema>;

/** The results document: the output `results` of a stack, and `out/results.json`. */
export const resultsSchema = z.object({
  schemaVersion: z.literal(RESULTS_SCHEMA_VERSION),
  schemaMinor: z.int().default(0),
  stack: z.string(),
  cloud: z.enum(cloudNames),
  runId: z.string(),
  egressBenchVersion: z.string(),
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  plan: z.object({
    name: z.string(),
    order: z.enum(["interleaved", "sequential", "shuffled"]),
    /** Seed of `shuffled`: the same seed gives the same order again. */
    seed: z.int().nullable().default(null),
    /** Before every case. */
    pauseSeconds: finite.default(0),
    repeat: z
      .object({ least: z.int(), most: z.int(), withinPercent: orNull })
      .default({ least: 1, most: 1, withinPercent: null }),
    cases: z.array(plannedCaseSchema),
  }),
  server: hostFactsSchema.nullable(),
  topologies: z.array(topologyResultSchema),
  cases: z.array(storedCaseResultSchema),
  /** Notes to read before comparing figures, e.g. that all hosts share one machine's CPUs. */
  notes: z.array(z.string()),
});
/** A results document. */
export type Results = z.infer<typeof resultsSchema>;
