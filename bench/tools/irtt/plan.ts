/** The plan's section for irtt, and the cases that it makes. */
import { z } from "zod";
import { caseFields, caseId, product } from "../../plan/case.ts";
import { caseInput, optional, optionalWhole, type ProgramOption, sweep, whole } from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { strictObject } from "../../schema.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

/** The options of the probe that runs irtt, by name. The default of bytes fits irtt's own fields, including two timestamps. */
export const irttOptions = {
  "interval-ms": { default: 10, min: 1, max: 10_000 },
  bytes: { default: 64, min: 64, max: 1400 },
} as const satisfies Record<string, ProgramOption>;
const { default: DEFAULT_INTERVAL_MS } = irttOptions["interval-ms"];
const { default: DEFAULT_DATAGRAM_BYTES } = irttOptions.bytes;
/** irtt keeps a test in memory and writes a kilobyte per round trip: the host agent allows a file of 64 MB. */
const MAX_ROUND_TRIPS = 50_000;

export const caseSchema = strictObject("irttCase", "A case of irtt.", {
  ...caseFields,
  tool: z.literal("irtt").describe("The tool."),
  protocol: z.literal("udp").describe("Protocol of the traffic."),
  intervalMs: z.int().describe("Interval between two datagrams, answered or not."),
  datagramBytes: z.int().describe("UDP payload."),
  load: loadSchema.nullable().describe("iperf3's traffic at the same time. Null: latency at rest."),
});
export type IrttCase = z.infer<typeof caseSchema>;

export const input = strictObject("irttInput", "Round trips of UDP packets sent at a steady pace, by irtt.", {
  ...caseInput,
  tool: z.literal("irtt").describe("The tool."),
  intervalMs: optionalWhole(irttOptions["interval-ms"], "milliseconds", "Interval between two datagrams."),
  datagramBytes: optional(
    sweep(whole(irttOptions.bytes.min, irttOptions.bytes.max, "bytes")),
    "UDP payload; it fits into one packet on any path.",
    DEFAULT_DATAGRAM_BYTES,
  ),
  load: optional(loadInput, "iperf3's traffic at the same time.", "none: latency at rest"),
});
type Input = z.output<typeof input>;

/** A sweep over datagram length. @throws {PlanError} */
export function expand(input: Input, where: string): IrttCase[] {
  const { durationSeconds, intervalMs = DEFAULT_INTERVAL_MS, datagramBytes } = input;
  const least = Math.ceil((durationSeconds * 1000) / MAX_ROUND_TRIPS);
  if (intervalMs < least) {
    throw new PlanError(
      `${where}: intervalMs: got ${intervalMs}; expected ${least} or more for ${durationSeconds} s, since irtt keeps ${MAX_ROUND_TRIPS} round trips at most`,
    );
  }
  const load = readLoad(input.load, where);
  return product({ datagramBytes: datagramBytes?.values ?? [DEFAULT_DATAGRAM_BYTES] }).map((values) => ({
    id: caseId(input.id, [
      ["udp-round-trips"],
      [`${values.datagramBytes}B`, datagramBytes?.swept, values.datagramBytes !== DEFAULT_DATAGRAM_BYTES],
      loadPart(load),
    ]),
    tool: "irtt",
    protocol: "udp",
    direction: "egress",
    durationSeconds,
    omitSeconds: 0,
    intervalMs,
    ...values,
    load,
  }));
}
