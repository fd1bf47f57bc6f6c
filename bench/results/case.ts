/**
 * The result of one case on one topology.
 *
 * @module
 */
import { z } from "zod";
import { hostUsageSchema } from "./hosts.ts";
import { limitSchema, withLimits } from "./limits.ts";
import { histogramSchema, measurementSchema, outageSchema } from "./measurement.ts";

const finite = z.number();
const orNull = finite.nullable();
const timestamp = z.iso.datetime();

/**
 * Why a case has no measurement. All are results but two: `host-lost` (the next update measures the case) and `not-run`.
 * `nothing-to-fail`: a failure was to be provoked, and the path has nothing that can have it.
 */
export const failureClassSchema = z.enum([
  "tool-error",
  "tool-missing",
  "timeout",
  "server-busy",
  "no-route",
  "nothing-received",
  "control-lost",
  "path-mismatch",
  "bad-output",
  "host-lost",
  "nothing-to-fail",
  "not-run",
]);
/** A class of {@link failureClassSchema}. */
export type FailureClass = z.infer<typeof failureClassSchema>;

/** Classes of which nothing went wrong: there is nothing to measure. In words. */
const unmeasured: Readonly<Partial<Record<FailureClass, string>>> = {
  "not-run": "not run",
  "nothing-to-fail": "nothing to fail",
};

/** Why there is no figure although nothing went wrong, in words; null: something did, or there is a figure. */
export function whyUnmeasured(failure: { readonly class: FailureClass } | null | undefined): string | null {
  return failure == null ? null : (unmeasured[failure.class] ?? null);
}

/** Why a case has no measurement: its class, words for a person, and the end of the tool's stderr. */
export const failureSchema = z.object({
  class: failureClassSchema,
  message: z.string(),
  stderrTail: z.string(),
});
/** Why a case has no measurement. */
export type Failure = z.infer<typeof failureSchema>;
/** One start of the tool; more than one where the server was busy. */
export const attemptSchema = z.object({
  startedAt: timestamp,
  finishedAt: timestamp,
  exitCode: z.number().int().nullable(),
  timedOut: z.boolean(),
});
/** One start of the tool. */
export type Attempt = z.infer<typeof attemptSchema>;

const summaryFields = {
  median: orNull,
  mean: orNull,
  min: orNull,
  max: orNull,
  /** Sample standard deviation. */
  stddev: orNull,
  /** Interval of the mean, by Student's t; needs two values. Takes the first ones' scatter where they decided the number. */
  confidence95: z.object({ low: finite, high: finite }).nullable(),
};

/** One figure of all repetitions that measured. */
export const repeatedFigureSchema = z.object({
  /** In the order they were measured, failed ones left out; null where one did not have the figure. */
  values: z.array(orNull),
  ...summaryFields,
});
/** One figure of all repetitions that measured. */
export type RepeatedFigure = z.infer<typeof repeatedFigureSchema>;

/** An outage, and the repetition that had it. */
const repeatedOutageSchema = outageSchema.extend({
  /** Number of the repetition that had it, from 1. */
  round: z.int(),
});

/** A case measured several times; the median repetition is the case's measurement. */
export const repetitionsSchema = z.object({
  /** Field of the measurement that decides how often it is repeated, e.g. `bitsPerSecond` or `latencyUs.mean`. */
  metric: z.string(),
  /** Values of that field in the order of measuring, without failed ones. */
  values: z.array(finite),
  failed: z.int(),
  ...summaryFields,
  /** Largest half-width allowed, in percent of the mean; null: a fixed number of repetitions. */
  withinPercent: orNull,
  /** Whether the interval is as narrow, by the scatter of the first repetitions and by that of all. */
  converged: z.boolean().nullable(),
  /** Round of each measured repetition, from 1. Absent: a document from before it was recorded. */
  rounds: z.array(z.int()).optional(),
  /** Outages of all repetitions. Absent: a document of before it was recorded, or no tool that tells. */
  outages: z.array(repeatedOutageSchema).optional(),
  /** Every figure that was measured, by its field. Empty in documents before it was recorded. */
  metrics: z.record(z.string(), repeatedFigureSchema).default({}),
  /** Percentiles of the samples of all repetitions together. Absent: not every repetition has a distribution. */
  allLatencyUs: z
    .object({
      /** Samples of all repetitions. */
      samples: z.int(),
      /** As of one repetition, of all samples. */
      p50: orNull,
      /** Percentiles; p90, p99 and p99.9 are null below 10, 100 and 1,000 samples. */
      p90: orNull,
      p99: orNull,
      p999: orNull,
      /** As the distribution of one repetition has it. */
      histogram: histogramSchema,
    })
    .optional(),
});
/** The combined result of a case's repetitions. */
export type Repetitions = z.infer<typeof repetitionsSchema>;

/** One client-server pair's share of a case. */
export const pairResultSchema = z.object({
  client: z.string(),
  server: z.string(),
  failure: failureSchema.nullable(),
  sourceIp: z.string().nullable(),
  bitsPerSecond: orNull,
  sentBitsPerSecond: orNull,
  lostPackets: orNull,
  packets: orNull,
  retransmits: orNull,
  /** How long after the first pair it started, as far as one-way delays to the place of their rendezvous are equal. */
  startSkewMs: orNull,
});
/** One client-server pair's share of a case. */
export type PairResult = z.infer<typeof pairResultSchema>;

/** Packets into the NAT instance that did not come out of it; counted for UDP, whose packets no interface merges. */
export const natDropsSchema = z.object({
  receivedPackets: finite,
  sentPackets: finite,
  lostPercent: orNull,
});
/** Packets into the NAT instance and out of it. */
export type NatDrops = z.infer<typeof natDropsSchema>;

/**
 * Where datagrams were lost, as far as hosts counted them.
 *
 * - `sender`: found a queue of its own full, or dropped by its interfaces. `nat`: went into a NAT instance and did not come out.
 * - `receiver-host`: dropped by its interfaces or a CPU's queue. `receiver-socket`: came too fast for the tool to read.
 * - `path`: no host counted them.
 */
export const lossPlaceSchema = z.object({
  place: z.enum(["sender", "nat", "path", "receiver-host", "receiver-socket"]),
  packets: finite,
  /** Percent of all datagrams sent. */
  percent: finite,
});
/** How many packets were lost at one place. */
export type LossPlace = z.infer<typeof lossPlaceSchema>;

/** Forwarding cost on a path's NAT instances: CPU time and interrupts during the case, idle work included. */
export const forwardingCostSchema = z.object({
  /** CPU time of all CPUs. */
  cpuMicrosecondsPerPacket: orNull,
  /** CPU time of all CPUs, for 10^9 bits that were received. */
  cpuSecondsPerGigabit: orNull,
  /** Below 1 where one interrupt brings several packets. */
  interruptsPerPacket: orNull,
});
/** CPU time and interrupts of a path's NAT instances for a packet and a gigabit. */
export type ForwardingCost = z.infer<typeof forwardingCostSchema>;

/** From where the server saw the connections of a tool come. */
export const dataSourceSchema = z.object({
  protocol: z.enum(["tcp", "udp"]),
  /** As the server saw it. */
  address: z.union([z.ipv4(), z.ipv6()]),
  /** Number of connections seen: all that live for a second or longer, and a sample of shorter ones. */
  connections: z.int(),
  /** Source ports of some of them, as the server saw them. */
  ports: z.array(z.int()),
});
/** From where the server saw the connections of a tool come. */
export type DataSource = z.infer<typeof dataSourceSchema>;

/** One case on one topology: what was run, when, what it measured or why it did not, and what its hosts did meanwhile. */
export const caseResultSchema = z.object({
  /** Stable, readable id of the case within its plan, e.g. `udp-egress-64B`. */
  id: z.string(),
  /** Name of the topology entry of the stack that was measured. */
  topology: z.string(),
  tool: z.string(),
  toolVersion: z.string().nullable(),
  /** The exact command line that ran on the client. */
  command: z.string(),
  status: z.enum(["ok", "failed"]),
  failure: failureSchema.nullable(),
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
  attempts: z.array(attemptSchema),
  measurement: measurementSchema.nullable(),
  repetitions: repetitionsSchema.nullable().default(null),
  /** Null: one pair. The measurement is their sum. */
  pairs: z.array(pairResultSchema).nullable().default(null),
  /** Resources at their limit. Empty: none that was observed. Null: there is no measurement, or nothing was observed. */
  limits: z.array(limitSchema).nullable().default(null),
  natDrops: natDropsSchema.nullable().default(null),
  /** Null: no NAT instance that was observed, or hosts that share their CPUs. */
  forwardingCost: forwardingCostSchema.nullable().default(null),
  /** Places of UDP loss. Null: nothing was lost, or the receiver's host counted nothing. */
  lossPlaces: z.array(lossPlaceSchema).nullable().default(null),
  /** Source address the server saw just before this case, the proof of its path; another one after it fails the case. */
  sourceIp: z.string().nullable(),
  /** The same of the data itself; another address than an expected one fails the case. Null: not seen. */
  dataSources: z.array(dataSourceSchema).nullable().default(null),
  hosts: z.array(hostUsageSchema),
  /** Where the unreduced tool output stays on the client. */
  rawFile: z.string().nullable(),
});
/** One case on one topology, measured or failed. */
export type CaseResult = z.infer<typeof caseResultSchema>;

/** A case's result as any release of schema version 1 wrote it. */
export const storedCaseResultSchema = z.preprocess(withLimits, caseResultSchema);
