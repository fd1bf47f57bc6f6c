/** The cost of a NAT instance's failure. Units are in the field names; `null` means "not measured", never 0. */
import { z } from "zod";
import { finite, flag, nullable, object, orNull } from "../schema.ts";

/**
 * Failures of a NAT instance. `kill`: it goes down at once and boots again; `stop` and `reboot`: the operating system shuts
 * down in order; `blackhole`: it stays up and drops all packets for a time; `drain`: it hands over on purpose.
 */
export const failureKinds = ["kill", "stop", "reboot", "blackhole", "drain"] as const;
/** A failure that a run can provoke. */
export type FailureKind = (typeof failureKinds)[number];

const cutSchema = object("cut", "The longest time without an answer after a failure.", {
  ms: finite.describe("Length in milliseconds; 0: nothing was missed."),
  ended: flag.describe("False: it lasted until the end of the case, so at least this long."),
});

const percentilesSchema = object("percentiles", "Milliseconds over several flows. Null: no flow.", {
  p50: orNull.describe("Median."),
  p95: orNull.describe("95th percentile."),
  max: orNull.describe("Greatest value."),
});

const heldFields = {
  opened: finite.describe("Flows that were up before the failure."),
  survived: finite.describe("Flows that were answered to the end, as the same flow."),
  silent: finite.describe("Flows that got no more answers and no error."),
  stallMs: percentilesSchema.describe(
    "Longest wait of each surviving flow for an answer, retransmissions included.",
  ),
};

const tcpHeldSchema = object("tcpHeld", "What became of the TCP connections that were held open.", {
  ...heldFields,
  reset: finite.describe("Connections that a reset ended."),
});

const missedSchema = object("missed", "Everything that was missed after a failure.", {
  sent: finite.describe("Packets or connections that were sent."),
  missed: finite.describe("How many of them had no answer."),
  outages: finite.describe("Number of outages; a single lost packet is one."),
  longestMs: finite.describe("Length of the longest outage."),
  totalMs: finite.describe("Length of all outages together."),
  overAfterMs: orNull.describe(
    "Time from the failure to the first answer after the last miss. Null: nothing was missed.",
  ),
  ended: flag.describe("False: the last outage lasted to the end of the case."),
});

export const failoverSchema = object("failover", "Outage and surviving flows after a NAT instance failed.", {
  failure: z.enum(failureKinds).describe("What happened to the active NAT instance."),
  failedHost: z.string().max(200).describe("Name of the NAT instance that failed."),
  outages: z
    .object({
      new: cutSchema.describe("New TCP connections, one every two intervals of the stream."),
      established: cutSchema.describe("One UDP flow with one datagram each interval."),
    })
    .describe("Longest time without an answer."),
  flows: z
    .object({
      tcp: tcpHeldSchema.describe("TCP connections."),
      udp: z
        .object({
          ...heldFields,
          remapped: finite.describe(
            "Flows whose outside address or port changed, so that the server takes them for new ones.",
          ),
        })
        .describe("UDP flows."),
    })
    .describe("What became of the flows that were held open; each sends a message every second."),
  kinds: nullable(
    z.object({
      sending: tcpHeldSchema.describe(
        "Only the client sends, a byte each second; the server only acknowledges.",
      ),
      receiving: tcpHeldSchema.describe(
        "Only the server sends, 8 bytes each second; the client only acknowledges.",
      ),
      idle: tcpHeldSchema.describe(
        "Nobody sends until the end of the case, when each connection is tried once; `stallMs` is the wait for that answer.",
      ),
    }),
  ).describe("Further kinds of TCP connections that were held open."),
  missed: nullable(
    z.object({
      new: missedSchema.describe("New TCP connections."),
      icmp: missedSchema
        .nullable()
        .describe(
          "ICMP echo requests, as often as new connections. Null: none was answered before the failure, or the agent may not send any.",
        ),
    }),
  ).describe("Everything that was missed, while `outages` has only the longest time."),
  streams: nullable(
    z.object({
      opened: finite.describe("Flows that were answered steadily before the failure."),
      failed: finite.describe("Flows that missed at least one datagram."),
      longestMs: percentilesSchema.describe(
        "Longest time without an answer, over the flows that missed something.",
      ),
      totalMs: percentilesSchema.describe(
        "All times without an answer together, over the flows that missed something.",
      ),
    }),
  ).describe("UDP flows with one datagram each interval; the first of them is `established`."),
  availability: nullable(
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
  ).describe("Percent answered, second by second from the failure on; a null entry: none was sent."),
  readyAgainMs: orNull.describe(
    "Time from the failure until all NAT instances were ready again. Null: they were not, before the case ended.",
  ),
  lateMs: finite.describe("Longest delay caused by the probe itself; no figure is more exact."),
});
/** Effect of a provoked failure on new connections and on held flows. */
export type Failover = z.infer<typeof failoverSchema>;
