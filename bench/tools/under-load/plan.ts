/** The plan's section for a load under a latency measurement. */
import { z } from "zod";
import type { IdPart } from "../../plan/case.ts";
import { bitrate, direction, optional, protocol, streams } from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { BIT_RATE_ALLOWED, bitRateText } from "../../plan/quantities.ts";
import { orNull, strictObject } from "../../schema.ts";

export const loadSchema = strictObject("load", "Traffic of iperf3 beneath a latency measurement.", {
  protocol: z.enum(["tcp", "udp"]).describe("Protocol of the traffic."),
  direction: z.enum(["egress", "ingress"]).describe("Direction of the data."),
  streams: z.int().describe("Parallel streams."),
  bitsPerSecond: orNull.describe("Rate per stream; 0: as fast as the sender can; null: TCP's own pace."),
});
export type Load = z.infer<typeof loadSchema>;

export const loadInput = strictObject(
  "loadInput",
  "Traffic beneath a latency measurement.",
  {
    protocol: optional(protocol, "Protocol of the traffic.", "`tcp`"),
    direction: optional(direction, "Direction of the data.", "`egress`"),
    streams: optional(streams, "Parallel streams.", 1),
    bitrate: optional(bitrate, "Rate per stream; UDP must have one.", "TCP's own pace"),
  },
  "an object with keys protocol, direction, streams, bitrate",
);

/** The load of a case; null: at rest. @throws {PlanError} */
export function readLoad(input: z.output<typeof loadInput> | undefined, where: string): Load | null {
  if (input === undefined) {
    return null;
  }
  const { protocol = "tcp", direction = "egress", streams = 1, bitrate = null } = input;
  if (protocol === "udp" && bitrate === null) {
    throw new PlanError(`${where}: load: bitrate: got nothing; protocol udp needs ${BIT_RATE_ALLOWED}`);
  }
  return { protocol, direction, streams, bitsPerSecond: bitrate };
}

/** The load's component of a case's id. */
export function loadPart(load: Load | null): IdPart {
  const text = load && [
    ...["under", load.protocol, load.direction],
    ...(load.streams > 1 ? [`p${load.streams}`] : []),
    ...(load.bitsPerSecond === null ? [] : [bitRateText(load.bitsPerSecond)]),
  ];
  return [text?.join("-") ?? "", false, load !== null];
}
