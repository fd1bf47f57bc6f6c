/** The result of one case on one topology. */
import { z } from "zod";
import { finite, flag, nullable, object, orNull, textOrNull, timestamp, wholeOrNull } from "../schema.ts";
import { hostUsageSchema } from "./hosts.ts";
import { limitSchema } from "./limits.ts";
import { histogramSchema, measurementSchema, outageSchema } from "./measurement.ts";

/**
 * Why a case has no measurement. All classes are final but two: `host-lost` and `not-run`, after which the next update measures
 * the case. `nothing-to-fail`: the case provokes a failure that nothing on the path can have.
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

/** Failure classes of cases that have nothing to measure, in words: nothing went wrong. */
const unmeasured: Readonly<Partial<Record<FailureClass, string>>> = {
  "not-run": "not run",
  "nothing-to-fail": "nothing to fail",
};

/** Reason for a missing figure although nothing went wrong; null: something did, or there is a figure. */
export function whyUnmeasured(failure: { readonly class: FailureClass } | null | undefined): string | null {
  return failure == null ? null : (unmeasured[failure.class] ?? null);
}

export const failureSchema = object("failure", "Why a case has no measurement.", {
  class: failureClassSchema.describe(
    "Kind of the failure; [remedies](../troubleshooting.md#failure-classes).",
  ),
  message: z.string().describe("What went wrong, in one sentence."),
  stderrTail: z.string().describe("Last lines of the tool's standard error."),
});
/** Why a case has no measurement. */
export type Failure = z.infer<typeof failureSchema>;
export const attemptSchema = object("attempt", "One start of the tool.", {
  startedAt: timestamp.describe("Start, by the host's clock."),
  finishedAt: timestamp.describe("End, by the host's clock."),
  exitCode: wholeOrNull.describe("Exit code of the tool. Null: a signal ended it, or it never started."),
  timedOut: flag.describe("Whether the tool was stopped because its time was over."),
});
/** One start of the tool. */
export type Attempt = z.infer<typeof attemptSchema>;

const summaryFields = {
  median: orNull.describe("Median."),
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
      "95 % confidence interval of the mean, by Student's t; needs two values. If the first repetitions decided how many followed, it uses their scatter.",
    ),
};

export const repeatedFigureSchema = object(
  "repeatedFigure",
  "One figure, over all repetitions that did not fail.",
  {
    values: z
      .array(orNull)
      .describe(
        "Values in the order of measuring, without failed repetitions. Null: a repetition without this figure.",
      ),
    ...summaryFields,
  },
);
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
      "Field of the measurement that decides how often the case is repeated, such as `bitsPerSecond` or `latencyUs.mean`.",
    ),
  values: z
    .array(finite)
    .describe("Values of that field in the order of measuring, without failed repetitions."),
  failed: z.int().describe("Failed repetitions, which the statistics leave out."),
  ...summaryFields,
  withinPercent: orNull.describe(
    "Target for half the interval's width, in percent of the mean. Null: a fixed number of repetitions.",
  ),
  converged: z
    .boolean()
    .nullable()
    .describe(
      "Whether the interval is that narrow, by the scatter of the first repetitions and of all. It does not mean that the true mean is within the interval: it is in 95 % of all cases, but in 22 to 95 % of the cases where this field is true, depending on scatter and number.",
    ),
  rounds: z.array(z.int()).describe("Round of each measured repetition, from 1."),
  outages: z
    .array(repeatedOutageSchema)
    .optional()
    .describe("Outages of all repetitions. Absent: the tool does not report them."),
  metrics: z
    .record(z.string(), repeatedFigureSchema)
    .default({})
    .describe("Every measured figure, by its field."),
  allLatencyUs: z
    .object({
      samples: z.int().describe("Samples of all repetitions."),
      p50: orNull.describe("Median."),
      p90: orNull.describe("90th percentile. Null below 10 samples."),
      p99: orNull.describe("99th percentile. Null below 100 samples."),
      p999: orNull.describe("99.9th percentile. Null below 1,000 samples."),
      histogram: histogramSchema.describe("Distribution, in the form that a single repetition has."),
    })
    .optional()
    .describe("Percentiles over the samples of all repetitions. Absent: a repetition has no distribution."),
});
/** The combined result of a case's repetitions. */
export type Repetitions = z.infer<typeof repetitionsSchema>;

export const pairResultSchema = object("pairResult", "One client-server pair's share of a case.", {
  client: z.string().describe("Name of the pair's client."),
  server: z.string().describe("Name of the pair's server."),
  failure: failureSchema.nullable().describe("Why there are no figures. Null: there are."),
  sourceIp: textOrNull.describe("Address that the server saw. Null: none was seen."),
  bitsPerSecond: orNull.describe("Payload that arrived."),
  sentBitsPerSecond: orNull.describe("Payload that was sent."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  packets: orNull.describe("Packets counted for the loss, lost ones included."),
  retransmits: orNull.describe("TCP segments retransmitted."),
  outages: z
    .array(outageSchema)
    .nullable()
    .describe("The pair's own outages; the case's `outages` has those of all pairs. Null: unknown."),
  startSkewMs: orNull.describe(
    "How long after the first pair its data began, assuming that one-way delays to their meeting place are equal.",
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
      "`sender`: the sender's queues (qdisc) or interfaces. `nat`: a NAT instance. `receiver-host`: the receiver's interfaces, a CPU's queue or its firewall. `receiver-socket`: the tool read too slowly. `path`: between the hosts. Losses that no entry has: unknown place.",
    ),
  packets: finite.describe("Packets lost there."),
  percent: finite.describe("Percent of all datagrams sent."),
});
/** How many packets were lost at one place. */
export type LossPlace = z.infer<typeof lossPlaceSchema>;

export const forwardingCostSchema = object("forwardingCost", "CPU cost of NAT instances.", {
  cpuMicrosecondsPerPacket: orNull.describe("CPU time per packet, all CPUs together."),
  cpuSecondsPerGigabit: orNull.describe("CPU time per 10^9 bits received, all CPUs together."),
  interruptsPerPacket: orNull.describe(
    "Interrupts per packet; below 1 if one interrupt brings several packets.",
  ),
});
/** CPU time and interrupts of a path's NAT instances for a packet and a gigabit. */
export type ForwardingCost = z.infer<typeof forwardingCostSchema>;

export const dataSourceSchema = object("dataSource", "Where a tool's connections came from.", {
  protocol: z.enum(["tcp", "udp"]).describe("Protocol of the connections."),
  address: z.union([z.ipv4(), z.ipv6()]).describe("Source address as the server saw it."),
  connections: z
    .int()
    .describe("Connections seen: all that lasted a second or longer, and a sample of shorter ones."),
  ports: z.array(z.int()).describe("Source ports of some of them, as the server saw them."),
});
/** The source of a tool's connections, as the server saw it. */
export type DataSource = z.infer<typeof dataSourceSchema>;

export const caseResultSchema = object("caseResult", "One case on one topology.", {
  id: z.string().describe("Name of the case within its plan, e.g. `udp-egress-64B`."),
  topology: z.string().describe("Name of the measured topology within the stack."),
  tool: z.string().describe("The tool."),
  toolVersion: textOrNull.describe("Version that the tool reports. Null: it reports none."),
  command: z.string().describe("The exact command line that ran on the client."),
  status: z
    .enum(["ok", "failed"])
    .describe("`ok`: `measurement` has the figures; `failed`: `failure` says why there are none."),
  failure: failureSchema.nullable().describe("Why there are no figures. Null: there are."),
  startedAt: timestamp.nullable().describe("Start, by the host's clock. Null: it did not begin."),
  finishedAt: timestamp.nullable().describe("End, by the host's clock. Null: it did not end."),
  attempts: z.array(attemptSchema).describe("Every start of the tool, the last one last."),
  measurement: measurementSchema.nullable().describe("The figures. Null: the case failed."),
  repetitions: nullable(repetitionsSchema).describe(
    "Statistics of the repetitions. Null: the case was measured once.",
  ),
  pairs: nullable(z.array(pairResultSchema)).describe(
    "Each client-server pair's share; the measurement is their sum. Null: one pair.",
  ),
  limits: nullable(z.array(limitSchema)).describe(
    "Resources at their limit. Empty: none of those observed. Null: no measurement, or no host was observed.",
  ),
  natDrops: nullable(natDropsSchema).describe(
    "Packets that went into the NAT instance and did not come out. Null: no NAT instance, or they cannot be counted.",
  ),
  forwardingCost: nullable(forwardingCostSchema).describe(
    "CPU cost of forwarding. Null: no NAT instance was observed, or the hosts share CPUs.",
  ),
  lossPlaces: nullable(z.array(lossPlaceSchema)).describe(
    "Where UDP datagrams were lost. Null: none was lost, or the receiver's host did not count.",
  ),
  sourceIp: textOrNull.describe(
    "Source address that the server saw just before this case, as proof of the path; the case fails if it is another one afterwards.",
  ),
  dataSources: nullable(z.array(dataSourceSchema)).describe(
    "Source addresses of the test traffic itself; an unexpected one fails the case. Null: not seen.",
  ),
  hosts: z.array(hostUsageSchema).describe("CPU and network of the topology's hosts during the case."),
  rawFile: textOrNull.describe("File on the client with the tool's complete output."),
});
/** One case on one topology, measured or failed. */
export type CaseResult = z.infer<typeof caseResultSchema>;
