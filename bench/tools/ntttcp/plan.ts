/** The plan's section for ntttcp, and the cases that it makes. */
import { z } from "zod";
import { caseId, caseOf, inputOf, product } from "../../plan/case.ts";
import {
  checkDatagrams,
  datagramBytes,
  direction,
  measuredSeconds,
  omitSeconds,
  optional,
  protocol,
  sweep,
  whole,
} from "../../plan/fields.ts";
import { wholeOrNull } from "../../schema.ts";

/**
 * The first data ports. Each stream has a port of its own; the port before the first is TCP's, where sender and
 * receiver agree on a test.
 */
export const ntttcpPorts = { tcp: 5135, udp: 5205, streams: 64 } as const;

export const caseSchema = caseOf("ntttcp", ["tcp", "udp"], {
  streams: z.int().describe("Threads of the receiver, each with a port of its own."),
  connectionsPerStream: z.int().describe("Connections per stream, each with a thread of the sender."),
  datagramBytes: wholeOrNull.describe("UDP payload; null with TCP."),
});
export type NtttcpCase = z.infer<typeof caseSchema>;

export const input = inputOf("ntttcp", "Throughput by Microsoft's ntttcp-for-linux.", {
  durationSeconds: measuredSeconds,
  protocol: optional(sweep(protocol), "Protocol of the traffic.", "`tcp`"),
  direction: optional(
    sweep(direction),
    "`ingress`: the server connects to the client, which no server can through a NAT.",
    "`egress`",
  ),
  datagramBytes: optional(
    sweep(datagramBytes),
    "UDP payload. ntttcp's own default goes out in fragments.",
    1400,
  ),
  streams: optional(
    sweep(whole(1, ntttcpPorts.streams, "streams")),
    "Threads of the receiver, a port each.",
    1,
  ),
  connectionsPerStream: optional(
    whole(1, 8, "connections"),
    "Connections per stream, at most 512 in all, to stay below usual limits of open files.",
    1,
  ),
  omitSeconds: optional(omitSeconds, "Warm-up before `durationSeconds`.", 0),
});
type Input = z.output<typeof input>;

/** Fits into any path's packets, including tunnels'. */
const DEFAULT_DATAGRAM_BYTES = 1400;

/** A sweep over protocol, direction, datagram length and streams. @throws {PlanError} */
export function expand(input: Input, where: string): NtttcpCase[] {
  const { protocol, direction, datagramBytes, streams, durationSeconds } = input;
  const { connectionsPerStream = 1, omitSeconds = 0 } = input;
  return product({
    protocol: protocol?.values ?? ["tcp" as const],
    direction: direction?.values ?? ["egress" as const],
    datagramBytes: datagramBytes?.values ?? [null],
    streams: streams?.values ?? [1],
  }).map((values) => {
    checkDatagrams(values, where);
    const udp = values.protocol === "udp";
    const bytes = udp ? (values.datagramBytes ?? DEFAULT_DATAGRAM_BYTES) : null;
    const id = caseId(input.id, [
      [`ntttcp-${values.protocol}`, protocol?.swept],
      [values.direction, direction?.swept],
      [`${bytes}B`, datagramBytes?.swept, values.datagramBytes !== null],
      [`p${values.streams}`, streams?.swept, values.streams > 1],
      [`n${connectionsPerStream}`, false, connectionsPerStream > 1],
    ]);
    return {
      ...{ id, tool: "ntttcp" as const, ...values, datagramBytes: bytes },
      ...{ connectionsPerStream, durationSeconds, omitSeconds },
    };
  });
}
