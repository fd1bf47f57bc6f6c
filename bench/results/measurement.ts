/** The measurement of a case. Units are in the field names; `null` means "not measured", never 0. */
import { z } from "zod";
import { finite, flag, nullable, object, orAbsent, orNull, textOrNull } from "../schema.ts";
import { failoverSchema } from "./failover.ts";
import { packetRatesSchema } from "./packet-rates.ts";

/** Buckets of a distribution: the largest value of each, ascending, and its number of samples. */
export const histogramSchema = z.array(z.tuple([finite, z.int().min(0)])).max(4000);

export const latencySchema = object("latency", "Round-trip or connection set-up times in microseconds.", {
  kind: z
    .enum(["round-trip", "connect", "request"])
    .describe(
      "Kind of sample: a message and its answer, a whole new TCP connection, or an HTTPS request from its start to " +
        "the last byte of the response.",
    ),
  samples: orNull.describe("Number of samples."),
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
      "For each bucket with samples, its largest value and their number; values are accurate to 0.8 %. Absent: the tool does not report every sample.",
    ),
});
/** Round-trip or connection set-up times in microseconds. */
export type Latency = z.infer<typeof latencySchema>;

const bothWaysSchema = z.object({
  egressBitsPerSecond: orNull.describe("Payload that arrived at the server."),
  ingressBitsPerSecond: orNull.describe("Payload that arrived at the client."),
});

export const intervalSchema = object(
  "interval",
  "One interval of a case, usually a second, at the receiver.",
  {
    startSeconds: finite.describe("Start of the interval, in seconds after the start of the case."),
    endSeconds: finite.describe("End of the interval, likewise."),
    bitsPerSecond: orNull.describe("Payload that arrived."),
    bothWays: bothWaysSchema
      .optional()
      .describe("Both directions of a bidirectional test. Absent: another test."),
    retransmits: orNull.describe("TCP segments retransmitted."),
    lostPackets: orNull.describe("Packets that did not arrive."),
    packets: orNull.describe("Packets counted for the loss, lost ones included."),
  },
);

export const streamSchema = object("stream", "Totals of one stream of a case.", {
  bitsPerSecond: orNull.describe("Payload that arrived."),
  bytes: orNull.describe("Payload that arrived."),
  retransmits: orNull.describe("TCP segments retransmitted."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  packets: orNull.describe("Packets counted for the loss, lost ones included."),
  jitterMs: orNull.describe(
    "Smoothed variation of the time between datagrams (RFC 3550), as iperf3 has it at the end of the test. It is not a mean: the last datagrams weigh most.",
  ),
});

const trialSchema = object("trial", "One trial of a search.", {
  offeredBitsPerSecond: orNull.describe("Rate offered, all streams together. Null: TCP at its own pace."),
  streams: z.int().describe("Parallel streams."),
  durationSeconds: nullable(finite).describe("Duration of the trial."),
  sentBitsPerSecond: orNull.describe("Payload that was sent."),
  receivedBitsPerSecond: orNull.describe("Payload that arrived."),
  packets: orNull.describe("Packets counted for the loss, lost ones included."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  lostPercent: orNull.describe("Share of the packets that did not arrive."),
  passed: flag.describe(
    "Whether the loss stayed within the bound; for `peak`, whether it was the best trial so far.",
  ),
  problem: textOrNull.describe("Why a trial has no figures."),
});
export type Trial = z.infer<typeof trialSchema>;

const foundFields = {
  found: orNull.describe(
    "The value found: offered bits per second (`ndr`, `pdr`) or streams (`peak`). Null: no trial passed.",
  ),
  lossBoundPercent: orNull.describe(
    "Share that a trial may lose and still pass. Null: the goal is not a rate.",
  ),
  limitedBy: z
    .enum(["path", "range", "sender", "trials"])
    .describe(
      "Why the search ended there. `path`: a higher rate loses too much (or more streams are slower); `range`: the highest allowed value passed; `sender`: the client could not send faster; `trials`: no more trials were allowed.",
    ),
  confirmed: flag.describe(
    "Whether the figure was repeated and held; a rate, for as long as its classification takes.",
  ),
};

const rateGoalSchema = object("rateGoal", "One goal of a search for rates (MLRsearch).", {
  goal: z.enum(["ndr", "pdr"]).describe("The rate that was searched for."),
  ...foundFields,
  trialSeconds: orAbsent.describe("Seconds of a trial. Absent: not recorded."),
  durationSumSeconds: orAbsent.describe("Seconds of all trials at a rate. Absent: not recorded."),
  exceedPercent: orAbsent.describe("Share of that time in which trials may lose more. Absent: not recorded."),
  conditionalBitsPerSecond: orNull.describe(
    "Conditional throughput: the rate that arrived when `found` was offered, in the worst trial after the allowed share of the time is set aside. Null: no rate was found, or the search ended before this was known.",
  ),
});

export const searchSchema = object("search", "A search; its best trial is the measurement.", {
  goal: z.enum(["ndr", "pdr", "peak"]).describe("The first goal, which these figures belong to."),
  ...foundFields,
  goals: nullable(z.array(rateGoalSchema)).describe(
    "Every goal of a search for rates. Null: a search for streams.",
  ),
  trials: z.array(trialSchema).describe("Every trial, in the order of the search."),
});
/** A search for the best rate or stream count. */
export type Search = z.infer<typeof searchSchema>;

export const natLimitsSchema = object("natLimits", "Limits of a NAT. Each probe fills its part.", {
  connectionRate: z
    .object({
      attempted: finite.describe("Connections that were attempted."),
      failed: finite.describe("Connections that failed."),
      perSecond: orNull.describe("Connections that succeeded."),
      errors: z
        .record(z.string(), finite)
        .describe("Failed connections, counted by the name of their errno."),
    })
    .nullable()
    .describe("New connections, as fast as the client could open them. Null: another probe."),
  concurrentFlows: z
    .object({
      protocol: z.enum(["tcp", "udp"]).describe("Protocol of the flows."),
      opened: finite.describe("Flows that were open at once."),
      bound: finite.describe(
        "Most flows that the probe tried; fewer than planned if the client ran out of ports or files, or time ran out.",
      ),
      limitReached: flag.describe("Whether the path refused further flows before the bound was reached."),
      error: textOrNull.describe(
        "Error of the first refused flow; if no limit was reached, the errno of what the client ran out of.",
      ),
    })
    .nullable()
    .describe("Flows that were open at once. Null: another probe."),
  idleTimeout: z
    .object({
      protocol: z.enum(["tcp", "udp"]).describe("Protocol of the flow."),
      survivedSeconds: orNull.describe(
        "Longest silence that a mapping survived. Null: it did not survive even the shortest.",
      ),
      diedSeconds: orNull.describe(
        "Shortest silence that a mapping did not survive. Null: it survived all that were tried.",
      ),
      boundSeconds: finite.describe("The longest silence that was tried."),
    })
    .nullable()
    .describe("How long a silent flow is kept. Null: another probe."),
  behaviour: z
    .object({
      mapping: z
        .enum(["endpoint-independent-or-address-dependent", "address-and-port-dependent"])
        .nullable()
        .describe(
          "Whether a flow to another destination gets the same source port (RFC 4787). Null: unknown.",
        ),
      filtering: z
        .enum(["endpoint-independent-or-address-dependent", "address-and-port-dependent"])
        .nullable()
        .describe("Whether hosts other than the destination may answer (RFC 4787). Null: unknown."),
      portPreserved: z.boolean().nullable().describe("Whether the outside port equals the client's own."),
    })
    .nullable()
    .describe("Behaviour in the terms of RFC 4787. Null: another probe."),
});
/** Limits that only a NAT has. */
export type NatLimits = z.infer<typeof natLimitsSchema>;

const lossSchema = object("loss", "Packets lost in one direction.", {
  packets: finite.describe("Packets counted for the loss, lost ones included."),
  lostPackets: finite.describe("Packets that did not arrive."),
  lostPercent: orNull.describe("Share of the packets that did not arrive."),
});

export const outageSchema = object("outage", "Time of a case in which nothing got through.", {
  startSeconds: finite.describe("Seconds from the start of the measured part."),
  seconds: finite.describe("Length of the outage."),
  leastSeconds: orAbsent.describe(
    "Lower bound, if the outage is known from whole intervals of a series. Absent: the tool reports every packet.",
  ),
  mostSeconds: orAbsent.describe("Upper bound, likewise."),
  direction: z
    .enum(["egress", "ingress"])
    .optional()
    .describe("The direction that failed, in a bidirectional test."),
});
/** A period without an answer. */
export type Outage = z.infer<typeof outageSchema>;

export const measurementSchema = object("measurement", "Figures of a case, as the receiver counted them.", {
  bitsPerSecond: orNull.describe("Payload that arrived."),
  sentBitsPerSecond: orNull.describe("Payload that was sent."),
  bothWays: bothWaysSchema
    .optional()
    .describe("Both directions of a bidirectional test; the throughput is their sum. Absent: another test."),
  bytes: orNull.describe("Payload that arrived."),
  durationSeconds: orNull.describe("How long the case measures, without warm-up."),
  packetsPerSecond: orNull.describe("Packets that arrived."),
  packetRates: packetRatesSchema
    .optional()
    .describe("Packets a second at each place of the path. Absent: another kind of case."),
  packets: orNull.describe("Packets counted for the loss, lost ones included."),
  lostPackets: orNull.describe("Packets that did not arrive."),
  lostPercent: orNull.describe("Share of the packets that did not arrive."),
  toolLostPackets: nullable(finite).describe(
    "Lost packets as the tool counted them. Null: the tool does not count them.",
  ),
  countedBy: nullable(z.enum(["receiver", "sender"])).describe(
    "End that counted the throughput. Null: both.",
  ),
  outOfOrderPackets: orNull.describe(
    "Packets that arrived after one that was sent later, or twice, by the end that received. Null: it told nobody.",
  ),
  jitterMs: orNull.describe(
    "Smoothed variation of the time between datagrams (RFC 3550), as iperf3 has it at the end of the test. It is not a mean: the last datagrams weigh most.",
  ),
  retransmits: orNull.describe("TCP segments retransmitted."),
  tcpRttUs: nullable(finite).describe(
    "Sender's smoothed round-trip time, averaged over its streams. Null: the server sent.",
  ),
  latencyUs: latencySchema.nullable().describe("How long round trips or connections took."),
  lossByDirection: nullable(
    z.object({
      egress: lossSchema.describe("Lost from client to server."),
      ingress: lossSchema.describe("Lost from server to client."),
      unknownPackets: orAbsent.describe(
        "Packets sent after the last answer that were lost in an unknown direction. Absent: none, or the tool does not count them.",
      ),
    }),
  ).describe(
    "Packets lost on the way to the server and on the way back. Null: the tool cannot tell the directions apart.",
  ),
  probeLoss: lossSchema
    .optional()
    .describe(
      "Loss of the latency probe's own packets, in a case with a load; the other losses are the load's. Absent: another case.",
    ),
  connections: z
    .object({
      attempted: finite.describe("Connections that were attempted."),
      failed: finite.describe("Connections that failed."),
      perSecond: orNull.describe("Connections that succeeded."),
      notSent: orAbsent.describe("Connections that were due but not started. Absent: none."),
      openLimit: orAbsent.describe(
        "Most connections that the probe may have open at once. Absent: it was not reached.",
      ),
      lateMs: orAbsent.describe(
        "Longest delay of a connection's start, caused by the probe itself. Absent: not reported.",
      ),
    })
    .nullable()
    .describe("Connections that the connect probe opened."),
  requests: object("requests", "HTTPS requests on a schedule.", {
    attempted: finite.describe("Requests that were started, without warm-up."),
    failed: finite.describe("Requests without a complete response of status 200 within 10 s."),
    perSecond: finite.describe("Requests that were answered while the test ran."),
    notSent: finite.describe("Requests that were due but not started, because the client was too busy."),
    connections: finite.describe("Connections that answered requests."),
    lateMs: finite.describe("Longest delay of a request's start, caused by the tool itself."),
  })
    .optional()
    .describe("Requests of an HTTP case. Absent: another kind of case."),
  search: nullable(searchSchema).describe("What a search found. Null: not a search."),
  natLimits: nullable(natLimitsSchema).describe("What a NAT probe found. Null: not a NAT probe."),
  failover: nullable(failoverSchema).describe(
    "Outage and surviving flows after a NAT instance failed. Null: another tool.",
  ),
  outages: nullable(z.array(outageSchema)).describe(
    "Outages: from 0.1 s with the connect probe; a series is certain to show those of two intervals or more. Null: unknown, such as where the probe itself was later than an outage takes, and saw none.",
  ),
  streams: z.array(streamSchema).describe("Figures of each stream."),
  series: z.array(intervalSchema).describe("Figures of each interval, usually a second."),
});
/** A case's figures; figures that its tool does not report are null. */
export type Measurement = z.infer<typeof measurementSchema>;
