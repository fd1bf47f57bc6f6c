/**
 * The cost of a NAT instance's failure. Units are in the field names; `null` means "not measured", never 0.
 */
import { z } from "zod";
import { added, finite, object, orNull } from "../schema.ts";

/**
 * Failures of a NAT instance. `kill`: it is gone at once, and boots; `stop` and `reboot`: the operating system ends
 * in order; `blackhole`: it lives, and drops all packets for a time; `drain`: it hands over on purpose.
 */
export const failureKinds = ["kill", "stop", "reboot", "blackhole", "drain"] as const;
/** A failure that a run can provoke. */
export type FailureKind = (typeof failureKinds)[number];

const cutSchema = object("cut", "The longest time without an answer after a failure.", {
  ms: finite.describe("Milliseconds; 0: nothing was missed."),
  ended: z.boolean().describe("False: it lasted at least so long, to the end of the case."),
});

const percentilesSchema = object("percentiles", "Milliseconds over several flows; null of none.", {
  p50: orNull.describe("Milliseconds that half of them stayed within."),
  p95: orNull.describe("Milliseconds that 95 % of them stayed within."),
  max: orNull.describe("Milliseconds of the worst."),
});

const heldFields = {
  opened: finite.describe("Flows that were up before the failure."),
  survived: finite.describe("Flows that were answered to the end, as the same flow."),
  silent: finite.describe("Flows that had no answer any more, and no error."),
  stallMs: percentilesSchema.describe(
    "Longest wait of each surviving flow for an answer, retransmissions included.",
  ),
};

const tcpHeldSchema = object("tcpHeld", "Fate of the TCP connections that were held.", {
  ...heldFields,
  reset: finite.describe("Connections that a reset ended."),
});

const missedSchema = object("missed", "Everything that was missed after a failure.", {
  sent: finite.describe("Packets or connections that were due."),
  missed: finite.describe("How many of them had no answer."),
  outages: finite.describe("Times without an answer, a single lost packet included."),
  longestMs: finite.describe("The longest of them."),
  totalMs: finite.describe("All of them together."),
  overAfterMs: orNull.describe(
    "From the failure to the first answer behind the last miss; null: nothing was missed.",
  ),
  ended: z.boolean().describe("False: the last outage lasted to the end of the case."),
});

export const failoverSchema = object("failover", "Outage and survivors of a NAT instance's failure.", {
  failure: z.enum(failureKinds).describe("What befell the active NAT instance."),
  failedHost: z.string().max(200).describe("Name of the NAT instance that failed."),
  outages: z
    .object({
      new: cutSchema.describe("New TCP connections, one due every second interval of the stream."),
      established: cutSchema.describe("One UDP flow with a datagram each interval."),
    })
    .describe("How long nothing passed."),
  flows: z
    .object({
      tcp: tcpHeldSchema.describe("TCP connections."),
      udp: z
        .object({
          ...heldFields,
          remapped: finite.describe(
            "Flows whose outside address or port changed, so that the far end takes them for others.",
          ),
        })
        .describe("UDP flows."),
    })
    .describe("Fate of the held flows, each of which speaks once a second."),
  kinds: added(
    z.object({
      sending: tcpHeldSchema.describe(
        "The client sends a byte each second, and hears nothing but acknowledgements.",
      ),
      receiving: tcpHeldSchema.describe(
        "The server sends 8 bytes each second, and hears nothing but acknowledgements.",
      ),
      idle: tcpHeldSchema.describe(
        "Silent until the end of the case, when each is asked once; `stallMs` is the wait for that answer.",
      ),
    }),
  ).describe("TCP connections of further kinds that were held. Null in older documents."),
  missed: added(
    z.object({
      new: missedSchema.describe("New TCP connections."),
      icmp: missedSchema
        .nullable()
        .describe(
          "ICMP echo requests, as often; null: none was answered before the failure, or the user may send none.",
        ),
    }),
  ).describe("All that was missed, where `outages` has the longest time. Null in older documents."),
  streams: added(
    z.object({
      opened: finite.describe("Flows that were steady before the failure."),
      failed: finite.describe("Flows that missed a datagram or more."),
      longestMs: percentilesSchema.describe(
        "Longest time without an answer, among the flows that fell silent.",
      ),
      totalMs: percentilesSchema.describe(
        "All times without an answer together, among the flows that fell silent.",
      ),
    }),
  ).describe(
    "UDP flows with a datagram each interval, `established` the first of them. Null: in documents before it " +
      "was recorded.",
  ),
  availability: added(
    z
      .array(
        z.object({
          startSeconds: finite.describe("Seconds from the failure to the start of the entry."),
          new: orNull.describe("Percent of new TCP connections."),
          established: orNull.describe("Percent of the steady streams' datagrams."),
          icmp: orNull.describe("Percent of ICMP echo requests."),
        }),
      )
      .max(400),
  ).describe(
    "Percent that was answered, from the failure on; null: none was sent. Null: in documents before it was recorded.",
  ),
  readyAgainMs: orNull.describe(
    "Time from the failure until all NAT instances were ready again. Null: not within the case.",
  ),
  lateMs: finite.describe("How late the probe itself was at most, which bounds every figure."),
});
/** Effect of a provoked failure on new connections and on held flows. */
export type Failover = z.infer<typeof failoverSchema>;
