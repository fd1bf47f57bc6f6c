/**
 * The cost of a NAT instance's failure. Units are in the field names; `null` means "not measured", never 0.
 *
 * @module
 */
import { z } from "zod";

const finite = z.number();
const orNull = finite.nullable();

/**
 * Failures of a NAT instance. `kill`: it is gone at once, and boots; `stop` and `reboot`: the operating system ends
 * in order; `blackhole`: it lives, and drops all packets for a time; `drain`: it hands over on purpose.
 */
export const failureKinds = ["kill", "stop", "reboot", "blackhole", "drain"] as const;
/** A failure that a run can provoke. */
export type FailureKind = (typeof failureKinds)[number];

/** The longest time without an answer after a failure: from the first one due that did not come to the next that did. */
const cutSchema = z.object({
  /** Milliseconds; 0: nothing was missed. */
  ms: finite,
  /** False: it lasted at least so long, to the end of the case. */
  ended: z.boolean(),
});

/** Milliseconds over several flows; null of none. */
const percentilesSchema = z.object({
  /** Milliseconds that half of them stayed within. */
  p50: orNull,
  /** Milliseconds that 95 % of them stayed within. */
  p95: orNull,
  /** Milliseconds of the worst. */
  max: orNull,
});

const heldFields = {
  /** Flows that were up before the failure. */
  opened: finite,
  /** Answered to the end, as the flow that they were. */
  survived: finite,
  /** Had no answer any more, and no word of it. */
  silent: finite,
  /** Longest wait of each surviving flow for an answer, retransmissions included. */
  stallMs: percentilesSchema,
};

const tcpHeldSchema = z.object({
  ...heldFields,
  /** Ended by a reset. */
  reset: finite,
});

/** Everything that was missed after a failure, however many outages it was. */
const missedSchema = z.object({
  /** Packets or connections that were due. */
  sent: finite,
  /** How many of them had no answer. */
  missed: finite,
  /** Times without an answer, a single lost packet included. */
  outages: finite,
  /** The longest of them. */
  longestMs: finite,
  /** All of them together. */
  totalMs: finite,
  /** From the failure to the first answer behind the last miss; null: nothing was missed. */
  overAfterMs: orNull,
  /** False: the last outage lasted to the end of the case. */
  ended: z.boolean(),
});

/** Outage and survivors of a NAT instance's failure. */
export const failoverSchema = z.object({
  failure: z.enum(failureKinds),
  /** Name of the NAT instance that failed. */
  failedHost: z.string().max(200),
  /** How long nothing passed. */
  outages: z.object({
    /** New TCP connections, one due every second interval of the stream. */
    new: cutSchema,
    /** One UDP flow with a datagram each interval. */
    established: cutSchema,
  }),
  /** Fate of the held flows, each of which speaks once a second. */
  flows: z.object({
    /** TCP connections. */
    tcp: tcpHeldSchema,
    /** UDP flows. */
    udp: z.object({
      ...heldFields,
      /** Had another outside address or port in the end, so that the far end takes it for another flow. */
      remapped: finite,
    }),
  }),
  /** TCP connections of further kinds that were held. Null: in documents before they were there. */
  kinds: z
    .object({
      /** The client sends a byte each second, and hears nothing but acknowledgements. */
      sending: tcpHeldSchema,
      /** The server sends 8 bytes each second, and hears nothing but acknowledgements. */
      receiving: tcpHeldSchema,
      /** Silent until the end of the case, when each is asked once; `stallMs` is the wait for that answer. */
      idle: tcpHeldSchema,
    })
    .nullable()
    .default(null),
  /** All that was missed, where `outages` has the longest time. Null: in documents before it was recorded. */
  missed: z
    .object({
      /** New TCP connections. */
      new: missedSchema,
      /** ICMP echo requests, as often; null: none was answered before the failure, or the user may send none. */
      icmp: missedSchema.nullable(),
    })
    .nullable()
    .default(null),
  /** UDP flows with a datagram each interval, `established` the first of them. Null: in documents before it was recorded. */
  streams: z
    .object({
      /** Flows that were steady before the failure. */
      opened: finite,
      /** Flows that missed a datagram or more. */
      failed: finite,
      /** Longest time without an answer, among the flows that fell silent. */
      longestMs: percentilesSchema,
      /** All times without an answer together, among the flows that fell silent. */
      totalMs: percentilesSchema,
    })
    .nullable()
    .default(null),
  /** Percent that was answered, from the failure on; null: none was sent. Null: in documents before it was recorded. */
  availability: z
    .array(
      z.object({
        /** From the failure to the start of the entry. */
        startSeconds: finite,
        /** New TCP connections. */
        new: orNull,
        /** The steady streams' datagrams. */
        established: orNull,
        /** ICMP echo requests. */
        icmp: orNull,
      }),
    )
    .max(400)
    .nullable()
    .default(null),
  /** From the failure until all NAT instances were ready again; null: they were not, within the case. */
  readyAgainMs: orNull,
  /** How late the probe itself was at most: no figure is surer. */
  lateMs: finite,
});
/** Effect of a provoked failure on new connections and on held flows. */
export type Failover = z.infer<typeof failoverSchema>;
