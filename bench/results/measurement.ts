/** The measurement of a case. Units are in the field names; `null` means "not measured", never 0. */
import { z } from "zod";
import { added, finite, object, orNull, textOrNull } from "../schema.ts";
import { failoverSchema } from "./failover.ts";
import { packetRatesSchema } from "./packet-rates.ts";

/** Buckets of a distribution: the largest value of each, ascending, and how many samples are in it. */
export const histogramSchema = z.array(z.tuple([finite, z.int().min(0)])).max(4000);

export const latencySchema = object("latency", "Round-trip or connection set-up times in microseconds.", {
  kind: z
    .enum(["round-trip", "connect", "request"])
    .describe(
      "Kind of sample: a message and its answer, a whole new TCP connection, or an HTTPS request from its start to " +
        "the last byte of the response.",
    ),
  samples: orNull.describe("Round trips or connections."),
  mean: orNull.describe("Arithmetic mean."),
  min: orNull.describe("Least value."),
  max: orNull.describe("Greatest value."),
  stddev: orNull.describe("Standard deviation."),
  p50: orNull.describe("Median."),
  p90: orNull.describe("90th percentile. Null below 10 samples."),
  p99: orNull.describe("99th percentile. Null below 100 samples."),
  p999: orNull.describe("99.9th percentile. Null below 1,000 samples."),
  histogram: histogramSchema
    .optional()
    .describe(
      "The largest value of each bucket that has samples, and how many; a value is known to 0.8 %. Absent: the " +
        "tool does not tell every sample.",
    ),
});
/** Round-trip or connection set-up times in microseconds. */
export type Latency = z.infer<typeof latencySchema>;

const bothWaysSchema = z.object({
  egressBitsPerSecond: orNull.describe("Payload that arrived at the server."),
  ingressBitsPerSecond: orNull.describe("Payload that arrived at the client."),
});

export const intervalSchema = object("interval", "One second or so of a case, at the receiver.", {
  startSeconds: finite.describe("Beginning of the interval, from that of the case."),
  endSeconds: finite.describe("End of the interval."),
  bitsPerSecond: orNull.describe("Payload that arrived."),
  bothWays: bothWaysSchema
    .optional()
    .describe("Each direction of a test of both at once. Absent: another test, or an older document."),
  retransmits: orNull.describe("Segments that TCP sent again."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  packets: orNull.describe("Packets that the loss is a share of."),
});

export const streamSchema = object("stream", "End figures of one stream of a case.", {
  bitsPerSecond: orNull.describe("Payload that arrived."),
  bytes: orNull.describe("Payload that arrived."),
  retransmits: orNull.describe("Segments that TCP sent again."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  packets: orNull.describe("Packets that the loss is a share of."),
  jitterMs: orNull.describe(
    "Smoothed variation of the time between datagrams (RFC 3550): iperf3's value at the end of the test, of " +
      "the last datagrams more than of the first. Not a mean.",
  ),
});

const trialSchema = object("trial", "One trial of a search.", {
  offeredBitsPerSecond: orNull.describe("Offered, all streams together; null: TCP at its own pace."),
  streams: z.int().describe("Parallel streams."),
  durationSeconds: added(finite).describe(
    "Duration of the trial. Null in older documents, whose trials were all as long.",
  ),
  sentBitsPerSecond: orNull.describe("Payload that was sent."),
  receivedBitsPerSecond: orNull.describe("Payload that arrived."),
  packets: orNull.describe("Packets that the loss is a share of."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  lostPercent: orNull.describe("Share of the packets that did not arrive."),
  passed: z.boolean().describe("Within the bound of the search; of `peak`: the best so far."),
  problem: textOrNull.describe("Why a trial has no figures."),
});
/** One trial of a search. */
export type Trial = z.infer<typeof trialSchema>;

const foundFields = {
  found: orNull.describe(
    "The value found: offered bits per second (`ndr`, `pdr`) or streams (`peak`). Null: no trial passed.",
  ),
  lossBoundPercent: orNull.describe(
    "The share that a trial may lose and be good. Null, the goal is no rate.",
  ),
  limitedBy: z
    .enum(["path", "range", "sender", "trials"])
    .describe(
      "Reason why the search ended there. `path`: more would lose more (or be slower); `range`: the highest " +
        "allowed passed; `sender`: the client could not send faster; `trials`: no more trials were allowed.",
    ),
  confirmed: z
    .boolean()
    .describe("The figure was repeated and held: of a rate, for as long as its classification takes."),
};

const rateGoalSchema = object("rateGoal", "One goal of a search for rates (MLRsearch).", {
  goal: z.enum(["ndr", "pdr"]).describe("The rate that was searched for."),
  ...foundFields,
  trialSeconds: finite.optional().describe("Seconds of a trial. Absent: not recorded."),
  durationSumSeconds: finite.optional().describe("Seconds of all trials at a rate. Absent: not recorded."),
  exceedPercent: finite
    .optional()
    .describe("The share of that time that might lose more. Absent: not recorded."),
  conditionalBitsPerSecond: orNull.describe(
    "Conditional throughput: what arrived at `found`, by the trial that only the allowed share of the time was " +
      "worse than. Null: nothing was found, or the search ended before it could tell.",
  ),
});

export const searchSchema = object("search", "A search; its best trial is the measurement.", {
  goal: z.enum(["ndr", "pdr", "peak"]).describe("Goal of these figures, the first one."),
  ...foundFields,
  goals: added(z.array(rateGoalSchema)).describe(
    "Every goal of a search for rates. Null: a search for streams, or a document before it was recorded.",
  ),
  trials: z.array(trialSchema).describe("Every trial, in the order of the search."),
});
/** A search for the best rate or stream count. */
export type Search = z.infer<typeof searchSchema>;

export const natLimitsSchema = object("natLimits", "Limits of a NAT. Each probe fills its part.", {
  connectionRate: z
    .object({
      attempted: finite.describe("Connections that were tried."),
      failed: finite.describe("Connections that could not be made."),
      perSecond: orNull.describe("Connections that were made."),
      errors: z.record(z.string(), finite).describe("How often a connection failed with an errno's name."),
    })
    .nullable()
    .describe("New connections, as many as the client could open."),
  concurrentFlows: z
    .object({
      protocol: z.enum(["tcp", "udp"]).describe("Protocol of the flows."),
      opened: finite.describe("Flows that were open at once."),
      bound: finite.describe(
        "The most that was tried; fewer than asked for where the client had no more or the time was over.",
      ),
      limitReached: z.boolean().describe("No further flow could be opened before the bound was reached."),
      error: textOrNull.describe(
        "Error of the first refused flow; without a limit, the errno of what the client ran out of.",
      ),
    })
    .nullable()
    .describe("Flows that were open at once. Null, another probe."),
  idleTimeout: z
    .object({
      protocol: z.enum(["tcp", "udp"]).describe("Protocol of the flow."),
      survivedSeconds: orNull.describe(
        "Longest silence that a mapping survived; null: not even the shortest.",
      ),
      diedSeconds: orNull.describe("Shortest silence that it did not; null: it outlived the longest tried."),
      boundSeconds: finite.describe("The longest silence that was tried."),
    })
    .nullable()
    .describe("For how long a silent flow is kept. Null, another probe."),
  behaviour: z
    .object({
      mapping: z
        .enum(["endpoint-independent-or-address-dependent", "address-and-port-dependent"])
        .nullable()
        .describe(
          "Whether a flow to another destination gets the same source port (RFC 4787). Null, it is unknown.",
        ),
      filtering: z
        .enum(["endpoint-independent-or-address-dependent", "address-and-port-dependent"])
        .nullable()
        .describe("Whether others than the destination may answer (RFC 4787). Null, it is unknown."),
      portPreserved: z.boolean().nullable().describe("The outside port equals the client's own."),
    })
    .nullable()
    .describe("Behaviour in RFC 4787's words. Null: unknown with one server address."),
});
/** Limits that only a NAT has. */
export type NatLimits = z.infer<typeof natLimitsSchema>;

const lossSchema = object("loss", "Packets lost in one direction.", {
  packets: finite.describe("Packets that the loss is a share of."),
  lostPackets: finite.describe("Packets that did not arrive."),
  lostPercent: orNull.describe("Share of the packets that did not arrive."),
});

export const outageSchema = object("outage", "Time of a case in which nothing got through.", {
  startSeconds: finite.describe("Seconds from the start of the measured part."),
  seconds: finite.describe("Length of the interval."),
  leastSeconds: finite
    .optional()
    .describe("Lower bound, from a series' whole intervals. Absent: the tool tells each packet."),
  mostSeconds: finite.optional().describe("Upper bound."),
  direction: z.enum(["egress", "ingress"]).optional().describe("Of a test of both directions: the dead one."),
});
/** A time without an answer. */
export type Outage = z.infer<typeof outageSchema>;

export const measurementSchema = object("measurement", "Figures of a case, the receiver's.", {
  bitsPerSecond: orNull.describe("Payload that arrived."),
  sentBitsPerSecond: orNull.describe("Payload that was sent."),
  bothWays: bothWaysSchema
    .optional()
    .describe("Each direction of a test of both at once, whose sum the throughput is. Absent: another test."),
  bytes: orNull.describe("Payload that arrived."),
  durationSeconds: orNull.describe("How long it was measured, without warm-up."),
  packetsPerSecond: orNull.describe("Packets that arrived."),
  packetRates: packetRatesSchema
    .optional()
    .describe("Packets a second at each place. Absent: another kind of case, or an older document."),
  packets: orNull.describe("Packets that the loss is a share of."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  lostPercent: orNull.describe("Share of the packets that did not arrive."),
  toolLostPackets: added(finite).describe(
    "Lost packets as the tool itself counted them. Null: it does not count, or an older document.",
  ),
  countedBy: added(z.enum(["receiver", "sender"])).describe(
    "End that counted the throughput. Null: both, or an older document.",
  ),
  outOfOrderPackets: orNull.describe("Packets that arrived later than one that was sent after them."),
  jitterMs: orNull.describe(
    "Smoothed variation of the time between datagrams (RFC 3550): iperf3's value at the end of the test, of " +
      "the last datagrams more than of the first. Not a mean.",
  ),
  retransmits: orNull.describe("Segments that TCP sent again."),
  tcpRttUs: added(finite).describe(
    "Mean of the sender's smoothed RTT over its streams; null where the server sends, and in documents before " +
      "it was recorded.",
  ),
  latencyUs: latencySchema.nullable().describe("How long round trips or connections took."),
  lossByDirection: added(
    z.object({
      egress: lossSchema.describe("Lost from client to server."),
      ingress: lossSchema.describe("Lost from server to client."),
      unknownPackets: finite
        .optional()
        .describe(
          "Packets sent after the last answer, lost in one direction or the other. Absent: none, or the tool does not count them.",
        ),
    }),
  ).describe(
    "Round trips lost on the way to the server and on the way back. Null: the tool does not tell them apart.",
  ),
  probeLoss: lossSchema
    .optional()
    .describe("Loss of a probe's own packets under a load, whose loss the others are. Absent: another case."),
  connections: z
    .object({
      attempted: finite.describe("Connections that were tried."),
      failed: finite.describe("Connections that could not be made."),
      perSecond: orNull.describe("Connections that were made."),
      notSent: finite.optional().describe("Connections that were due and not begun. Absent: none."),
      openLimit: finite
        .optional()
        .describe("The most connections that the probe holds open at once. Absent: it was not reached."),
      lateMs: finite
        .optional()
        .describe("How late the probe itself began a connection at most. Absent: not reported."),
    })
    .nullable()
    .describe("Connections the connect probe opened."),
  requests: object("requests", "HTTPS requests on a schedule.", {
    attempted: finite.describe("Requests that were begun, without warm-up."),
    failed: finite.describe("Requests without a whole answer of status 200 within 10 s."),
    perSecond: finite.describe("Requests that were answered while the test ran."),
    notSent: finite.describe("Requests that were due and not begun, as the client was too busy."),
    connections: finite.describe("Connections that answered requests."),
    lateMs: finite.describe("How late the tool itself began a request at most."),
  })
    .optional()
    .describe("Requests of an HTTP case. Absent: another kind of case, or an older document."),
  search: added(searchSchema).describe("What a search found. Null, no search."),
  natLimits: added(natLimitsSchema).describe("What a NAT probe found. Null, no such probe."),
  failover: added(failoverSchema).describe(
    "Outage and survivors of a NAT instance's failure; null: another tool's case.",
  ),
  outages: added(z.array(outageSchema)).describe(
    "Outages, from 0.1 s in the connect probe. A series shows those of two intervals for certain. Null: unknown.",
  ),
  streams: z.array(streamSchema).describe("Figures of each stream."),
  series: z.array(intervalSchema).describe("Figures of each interval, most often a second."),
});
/** A case's figures; what its tool does not tell is null. */
export type Measurement = z.infer<typeof measurementSchema>;
