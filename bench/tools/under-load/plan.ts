/**
 * The plan's section for traffic under a latency measurement.
 *
 * @module
 */
import { z } from "zod";
import type { IdPart } from "../../plan/case-id.ts";
import { bitrate, direction, protocol, streams } from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { BIT_RATE_ALLOWED, bitRateText } from "../../plan/quantities.ts";

/** Traffic of iperf3 that runs underneath while a latency is measured. */
export const loadSchema = z.strictObject({
  protocol: z.enum(["tcp", "udp"]),
  direction: z.enum(["egress", "ingress"]),
  streams: z.int(),
  /** Per stream; as in a case of iperf3. */
  bitsPerSecond: z.number().nullable(),
});
/** The traffic beside a latency case. */
export type Load = z.infer<typeof loadSchema>;

/** Traffic under a latency measurement. */
export const loadInput = z.strictObject(
  {
    /** @default "tcp" */
    protocol: protocol.optional(),
    /** @default "egress" */
    direction: direction.optional(),
    /** @default 1 */
    streams: streams.optional(),
    /** Per stream; UDP must have one. @default TCP's own pace */
    bitrate: bitrate.optional(),
  },
  { error: "an object with keys protocol, direction, streams, bitrate" },
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

/** The load's part of a case's id. */
export function loadPart(load: Load | null): IdPart {
  const text = load && [
    ...["under", load.protocol, load.direction],
    ...(load.streams > 1 ? [`p${load.streams}`] : []),
    ...(load.bitsPerSecond === null ? [] : [bitRateText(load.bitsPerSecond)]),
  ];
  return { text: text?.join("-") ?? "", swept: false, unusual: load !== null };
}
