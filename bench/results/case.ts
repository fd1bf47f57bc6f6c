/** The result of one case on one topology. */
import { z } from "zod";
import { added, finite, object, orNull, textOrNull, timestamp, wholeOrNull } from "../schema.ts";
import { hostUsageSchema } from "./hosts.ts";
import { limitSchema, withLimits } from "./limits.ts";
import { histogramSchema, measurementSchema, outageSchema } from "./measurement.ts";

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

export const failureSchema = object("failure", "Why a case has no measurement.", {
  class: failureClassSchema.describe(
    "Kind of the failure; [remedies](../troubleshooting.md#failure-classes).",
  ),
  message: z.string().describe("What went wrong, in one sentence."),
  stderrTail: z.string().describe("The end of the tool's stderr."),
});
/** Why a case has no measurement. */
export type Failure = z.infer<typeof failureSchema>;
export const attemptSchema = object("attempt", "One start of the tool.", {
  startedAt: timestamp.describe("Start, by the host's clock."),
  finishedAt: timestamp.describe("End, by the host's clock."),
  exitCode: wholeOrNull.describe("Exit code of the tool. Null: a signal ended it, or it never started."),
  timedOut: z.boolean().describe("Whether the tool was ended because its time was over."),
});
/** One start of the tool. */
export type Attempt = z.infer<typeof attemptSchema>;

const summaryFields = {
  median: orNull.describe("Middle value."),
  mean: orNull.describe("Arithmetic mean."),
  min: orNull.describe("Least value."),
  max: orNull.describe("Greatest value."),
  stddev: orNull.describe("Sample standard deviation."),
  confidence95: z
    .object({
      low: finite.describe("Lower end of the 95 % confidence interval of the mean."),
      high: finite.describe("Upper end of that interval."),
    })
    .nullable()
    .describe(
      "Interval of the mean, by Student's t; needs two values. Takes the first ones' scatter where they decided " +
        "the number.",
    ),
};

export const repeatedFigureSchema = object("repeatedFigure", "One figure of all repetitions that measured.", {
  values: z
    .array(orNull)
    .describe("Values in the order of measuring, without failed ones. Null: one without the figure."),
  ...summaryFields,
});
/** One figure of all repetitions that measured. */
export type RepeatedFigure = z.infer<typeof repeatedFigureSchema>;

const repeatedOutageSchema = outageSchema
  .extend({
    round: z.int().describe("Number of the repetition, from 1."),
  })
  .meta({ id: "repeatedOutage", description: "An outage, and the repetition that had it." });

export const repetitionsSchema = object("repetitions", "A case's repetitions, combined.", {
  metric: z
    .string()
    .describe(
      "Field of the measurement that decides how often it is repeated, e.g. `bitsPerSecond` or `latencyUs.mean`.",
    ),
  values: z.array(finite).describe("Values of that field in the order of measuring, without failed ones."),
  failed: z.int().describe("Repetitions that failed, which are left out of the statistics."),
  ...summaryFields,
  withinPercent: orNull.describe(
    "Largest half-width allowed, in percent of the mean; null: a fixed number of repetitions.",
  ),
  converged: z
    .boolean()
    .nullable()
    .describe(
      "Whether the interval is that narrow, by the scatter of the first repetitions and of all. It does not say that the mean is within " +
        "the interval: that holds in 95 % of all cases, and in 22 to 95 % of those where this is true, by scatter and number.",
    ),
  rounds: z
    .array(z.int())
    .optional()
    .describe("Round of each measured repetition, from 1. Absent in older documents."),
  outages: z
    .array(repeatedOutageSchema)
    .optional()
    .describe("Outages of all repetitions. Absent in older documents, or where the tool does not tell."),
  metrics: z
    .record(z.string(), repeatedFigureSchema)
    .default({})
    .describe("Every figure that was measured, by its field. Empty in documents before it was recorded."),
  allLatencyUs: z
    .object({
      samples: z.int().describe("Samples of all repetitions."),
      p50: orNull.describe("Median."),
      p90: orNull.describe("90th percentile. Null below 10 samples."),
      p99: orNull.describe("99th percentile. Null below 100 samples."),
      p999: orNull.describe("99.9th percentile. Null below 1,000 samples."),
      histogram: histogramSchema.describe("Distribution, as one repetition has it."),
    })
    .optional()
    .describe(
      "Percentiles of the samples of all repetitions together. Absent: not every repetition has a distribution.",
    ),
});
/** The combined result of a case's repetitions. */
export type Repetitions = z.infer<typeof repetitionsSchema>;

export const pairResultSchema = object("pairResult", "One client-server pair's share of a case.", {
  client: z.string().describe("Name of the pair's client."),
  server: z.string().describe("Name of the pair's server."),
  failure: failureSchema.nullable().describe("Why there is no figure. Null, there is one."),
  sourceIp: textOrNull.describe("Address that the server saw. Null, none was seen."),
  bitsPerSecond: orNull.describe("Payload that arrived."),
  sentBitsPerSecond: orNull.describe("Payload that was sent."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  packets: orNull.describe("Packets that the loss is a share of."),
  retransmits: orNull.describe("Segments that TCP sent again."),
  outages: z
    .array(outageSchema)
    .nullable()
    .optional()
    .describe(
      "The pair's own outages; the sum has those of all pairs. Null: unknown. Absent in older documents.",
    ),
  startSkewMs: orNull.describe(
    "How long after the first pair it started, if one-way delays to their meeting place are equal.",
  ),
});
/** One client-server pair's share of a case. */
export type PairResult = z.infer<typeof pairResultSchema>;

export const natDropsSchema = object("natDrops", "UDP packets into and out of the NAT instance.", {
  receivedPackets: finite.describe("Packets that went in."),
  sentPackets: finite.describe("Packets that came out."),
  lostPercent: orNull.describe("Share of the packets that did not arrive."),
});
/** Packets into the NAT instance and out of it. */
export type NatDrops = z.infer<typeof natDropsSchema>;

export const lossPlaceSchema = object("lossPlace", "Datagrams lost at one place.", {
  place: z
    .enum(["sender", "nat", "path", "receiver-host", "receiver-socket"])
    .describe(
      "`sender`: its own queue or interfaces. `nat`: a NAT instance. `receiver-host`: interfaces or a CPU's queue. " +
        "`receiver-socket`: too fast for the tool to read. `path`: no host can have lost them. Those without a place: unknown.",
    ),
  packets: finite.describe("Packets lost there."),
  percent: finite.describe("Percent of all datagrams sent."),
});
/** How many packets were lost at one place. */
export type LossPlace = z.infer<typeof lossPlaceSchema>;

export const forwardingCostSchema = object("forwardingCost", "CPU cost of NAT instances.", {
  cpuMicrosecondsPerPacket: orNull.describe("CPU time of all CPUs, per packet."),
  cpuSecondsPerGigabit: orNull.describe("CPU time of all CPUs, per 10^9 bits received."),
  interruptsPerPacket: orNull.describe("Interrupts per packet; below 1 where one brings several packets."),
});
/** CPU time and interrupts of a path's NAT instances for a packet and a gigabit. */
export type ForwardingCost = z.infer<typeof forwardingCostSchema>;

export const dataSourceSchema = object("dataSource", "Source of a tool's connections.", {
  protocol: z.enum(["tcp", "udp"]).describe("Protocol of the connections."),
  address: z.union([z.ipv4(), z.ipv6()]).describe("Source address as the server saw it."),
  connections: z
    .int()
    .describe("Connections seen: all that live for a second or longer, and a sample of shorter ones."),
  ports: z.array(z.int()).describe("Source ports of some of them, as the server saw them."),
});
/** From where the server saw the connections of a tool come. */
export type DataSource = z.infer<typeof dataSourceSchema>;

export const caseResultSchema = object("caseResult", "One case on one topology.", {
  id: z.string().describe("Name of the case within its plan, e.g. `udp-egress-64B`."),
  topology: z.string().describe("Name of the topology entry of the stack that was measured."),
  tool: z.string().describe("The tool."),
  toolVersion: textOrNull.describe("Version as the tool says it. Null: it does not."),
  command: z.string().describe("The exact command line that ran on the client."),
  status: z
    .enum(["ok", "failed"])
    .describe("`ok`: `measurement` has figures; `failed`: `failure` says why not."),
  failure: failureSchema.nullable().describe("Why there is no figure. Null, there is one."),
  startedAt: timestamp.nullable().describe("Start, by the host's clock. Null: it did not begin."),
  finishedAt: timestamp.nullable().describe("End, by the host's clock. Null: it did not end."),
  attempts: z.array(attemptSchema).describe("Every start of the tool, the last one last."),
  measurement: measurementSchema.nullable().describe("The figures. Null, the case failed."),
  repetitions: added(repetitionsSchema).describe(
    "The repetitions' statistics. Null, the case was measured once.",
  ),
  pairs: added(z.array(pairResultSchema)).describe(
    "Each pair's share; the measurement is their sum. Null: one pair.",
  ),
  limits: added(z.array(limitSchema)).describe(
    "Resources at their limit. Empty: none that was observed. Null: there is no measurement, or nothing was observed.",
  ),
  natDrops: added(natDropsSchema).describe(
    "Packets that went into the NAT instance and did not come out. Null, no NAT instance, or it cannot be counted.",
  ),
  forwardingCost: added(forwardingCostSchema).describe(
    "CPU cost of forwarding. Null: no observed NAT instance, or hosts that share CPUs.",
  ),
  lossPlaces: added(z.array(lossPlaceSchema)).describe(
    "Places of UDP loss. Null: nothing was lost, or the receiver's host counted nothing.",
  ),
  sourceIp: textOrNull.describe(
    "Source address the server saw just before this case, the proof of its path; another one after it fails the case.",
  ),
  dataSources: added(z.array(dataSourceSchema)).describe(
    "Source addresses of the data itself; an unexpected one fails the case. Null: not seen.",
  ),
  hosts: z.array(hostUsageSchema).describe("What the topology's hosts did meanwhile."),
  rawFile: textOrNull.describe("Where the unreduced tool output stays on the client."),
});
/** One case on one topology, measured or failed. */
export type CaseResult = z.infer<typeof caseResultSchema>;

/** A case's result as any release of schema version 1 wrote it. */
export const storedCaseResultSchema = z.preprocess(withLimits, caseResultSchema);
