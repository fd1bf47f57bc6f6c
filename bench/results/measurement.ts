/**
 * The measurement of a case. Units are in the field names; `null` means "not measured", never 0.
 *
 * @module
 */
import { z } from "zod";
import { failoverSchema } from "./failover.ts";

const finite = z.number();
const orNull = finite.nullable();

/** Buckets of a distribution: the largest value of each, ascending, and how many samples are in it. */
export const histogramSchema = z.array(z.tuple([finite, z.int().min(0)])).max(4000);

/** Round-trip or connection set-up times in microseconds. */
export const latencySchema = z.object({
  /** Kind of sample: a message and its answer, or a whole new TCP connection. */
  kind: z.enum(["round-trip", "connect"]),
  samples: orNull,
  mean: orNull,
  min: orNull,
  max: orNull,
  stddev: orNull,
  /** Percentiles; p90, p99 and p99.9 are null below 10, 100 and 1,000 samples: they would be the maximum. */
  p50: orNull,
  p90: orNull,
  p99: orNull,
  p999: orNull,
  /**
   * The largest value of each bucket that has samples, and how many; a value is known to 0.8 %. Absent: the tool does not
   * tell every sample.
   */
  histogram: histogramSchema.optional(),
});
/** Round-trip or connection set-up times in microseconds. */
export type Latency = z.infer<typeof latencySchema>;

/** One second (or so) of a case, as the receiving end saw it where the tool tells. */
export const intervalSchema = z.object({
  startSeconds: finite,
  endSeconds: finite,
  bitsPerSecond: orNull,
  retransmits: orNull,
  lostPackets: orNull,
  packets: orNull,
});

/** End figures of one stream of a case. */
export const streamSchema = z.object({
  bitsPerSecond: orNull,
  bytes: orNull,
  retransmits: orNull,
  lostPackets: orNull,
  packets: orNull,
  jitterMs: orNull,
});

/** One trial of a search. */
const trialSchema = z.object({
  /** Offered, all streams together; null: TCP at its own pace. */
  offeredBitsPerSecond: orNull,
  streams: z.int(),
  /** Null: in documents before it was recorded, when all trials of a case were as long. */
  durationSeconds: orNull.default(null),
  /** Bytes and datagrams that the sender sent and the receiver got. */
  sentBitsPerSecond: orNull,
  receivedBitsPerSecond: orNull,
  packets: orNull,
  lostPackets: orNull,
  lostPercent: orNull,
  /** Within the bound of the search; of `peak`: the best so far. */
  passed: z.boolean(),
  /** Why a trial has no figures. */
  problem: z.string().nullable(),
});
/** One trial of a search. */
export type Trial = z.infer<typeof trialSchema>;

const foundFields = {
  /** The value found: offered bits per second (`ndr`, `pdr`) or streams (`peak`). Null: no trial passed. */
  found: orNull,
  lossBoundPercent: orNull,
  /**
   * Reason why the search ended there. `path`: more would lose more (or be slower); `range`: the highest allowed
   * passed; `sender`: the client could not send faster; `trials`: no more trials were allowed.
   */
  limitedBy: z.enum(["path", "range", "sender", "trials"]),
  /** The figure was repeated and held: of a rate, for as long as its classification takes. */
  confirmed: z.boolean(),
};

/** One of the goals of a search for rates, by multiple loss ratio search (draft-ietf-bmwg-mlrsearch). */
const rateGoalSchema = z.object({
  goal: z.enum(["ndr", "pdr"]),
  ...foundFields,
  /**
   * Conditional throughput: what arrived at `found`, by the trial that only the allowed share of the time was worse
   * than. Null: nothing was found, or the search ended before it could tell.
   */
  conditionalBitsPerSecond: orNull,
});

/** A search for the best rate or stream count; the figures of its best trial are the case's measurement. */
export const searchSchema = z.object({
  /** The first goal's figures. */
  goal: z.enum(["ndr", "pdr", "peak"]),
  ...foundFields,
  /** Every goal of a search for rates. Null: a search for streams, or a document before it was recorded. */
  goals: z.array(rateGoalSchema).nullable().default(null),
  trials: z.array(trialSchema),
});
/** A search for the best rate or stream count. */
export type Search = z.infer<typeof searchSchema>;

/** Limits that only a NAT has. A probe fills its own part, the others are null. */
export const natLimitsSchema = z.object({
  /** New connections, as many as the client could open. */
  connectionRate: z
    .object({
      attempted: finite,
      failed: finite,
      perSecond: orNull,
      /** How often a connection failed with an errno's name. */
      errors: z.record(z.string(), finite),
    })
    .nullable(),
  concurrentFlows: z
    .object({
      protocol: z.enum(["tcp", "udp"]),
      /** Flows that were open at once. */
      opened: finite,
      /** The most that was tried; fewer than asked for where the client had no more or the time was over. */
      bound: finite,
      /** No further flow could be opened before the bound was reached. */
      limitReached: z.boolean(),
      /** Error of the first refused flow; without a limit, the errno of what the client ran out of. */
      error: z.string().nullable(),
    })
    .nullable(),
  idleTimeout: z
    .object({
      protocol: z.enum(["tcp", "udp"]),
      /** Longest silence that a mapping survived; null: not even the shortest. */
      survivedSeconds: orNull,
      /** Shortest silence that it did not; null: it outlived the longest tried. */
      diedSeconds: orNull,
      /** The longest silence that was tried. */
      boundSeconds: finite,
    })
    .nullable(),
  /** In RFC 4787's words; null: unknown with one server address. */
  behaviour: z
    .object({
      mapping: z.enum(["endpoint-independent-or-address-dependent", "address-and-port-dependent"]).nullable(),
      filtering: z
        .enum(["endpoint-independent-or-address-dependent", "address-and-port-dependent"])
        .nullable(),
      /** The outside port equals the client's own. */
      portPreserved: z.boolean().nullable(),
    })
    .nullable(),
});
/** Limits that only a NAT has. */
export type NatLimits = z.infer<typeof natLimitsSchema>;

const lossSchema = z.object({ packets: finite, lostPackets: finite, lostPercent: orNull });

/** Time of a case in which nothing got through. */
export const outageSchema = z.object({
  /** From the start of the tool. */
  startSeconds: finite,
  seconds: finite,
  /** It lasted at least so long, of a series' whole intervals. Absent: of a tool that tells each packet. */
  leastSeconds: finite.optional(),
  /** It lasted at most so long. */
  mostSeconds: finite.optional(),
});
/** A time without an answer. */
export type Outage = z.infer<typeof outageSchema>;

/** The measurement of a case. Throughput and loss are the receiver's figures. */
export const measurementSchema = z.object({
  bitsPerSecond: orNull,
  sentBitsPerSecond: orNull,
  bytes: orNull,
  durationSeconds: orNull,
  packetsPerSecond: orNull,
  packets: orNull,
  lostPackets: orNull,
  lostPercent: orNull,
  /** Lost packets as the tool itself counted them. Null: it does not count, or a document before it was recorded. */
  toolLostPackets: orNull.default(null),
  /** End that counted the throughput. Null: both, or a document before it was recorded. */
  countedBy: z.enum(["receiver", "sender"]).nullable().default(null),
  outOfOrderPackets: orNull,
  jitterMs: orNull,
  retransmits: orNull,
  /** Mean of the sender's smoothed RTT over its streams; null where the server sends, and in documents before it was recorded. */
  tcpRttUs: orNull.default(null),
  latencyUs: latencySchema.nullable(),
  /** Round trips lost on the way to the server and on the way back. Null: the tool does not tell them apart. */
  lossByDirection: z
    .object({
      egress: lossSchema,
      ingress: lossSchema,
      /** Packets after the last answer, which were lost on either way. Absent: none, or not told apart. */
      unknownPackets: finite.optional(),
    })
    .nullable()
    .default(null),
  /** Connections the connect probe opened. */
  connections: z
    .object({
      attempted: finite,
      failed: finite,
      perSecond: orNull,
      /** Connections that were due and not begun. Absent: none. */
      notSent: finite.optional(),
      /** The most connections that the probe holds open at once. Absent: it was not reached. */
      openLimit: finite.optional(),
      /** How late the probe itself began a connection at most. Absent: not reported. */
      lateMs: finite.optional(),
    })
    .nullable(),
  search: searchSchema.nullable().default(null),
  natLimits: natLimitsSchema.nullable().default(null),
  /** Outage and survivors of a NAT instance's failure; null: another tool's case. */
  failover: failoverSchema.nullable().default(null),
  /** From 0.1 s of the connect probe's, from 1 s of a series'; empty: none was seen; null: the tool does not tell. */
  outages: z.array(outageSchema).nullable().default(null),
  streams: z.array(streamSchema),
  series: z.array(intervalSchema),
});
/** A case's figures; what its tool does not tell is null. */
export type Measurement = z.infer<typeof measurementSchema>;
