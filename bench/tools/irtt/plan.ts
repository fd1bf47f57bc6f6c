/**
 * The plan's section for irtt, and the cases that it makes.
 *
 * @module
 */
import { z } from "zod";
import { caseFields } from "../../plan/case.ts";
import { caseId, product } from "../../plan/case-id.ts";
import { caseInput, sweep, whole } from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

const DEFAULT_INTERVAL_MS = 10;
/** Holds irtt's own fields, two timestamps among them. */
const DEFAULT_DATAGRAM_BYTES = 64;
/** irtt keeps all of a test in memory, and writes a kilobyte for each: the host agent allows a file of 64 MB. */
const MAX_ROUND_TRIPS = 50_000;

/** A case of irtt, as plans, states and results carry it. */
export const caseSchema = z.strictObject({
  ...caseFields,
  tool: z.literal("irtt"),
  protocol: z.literal("udp"),
  /** Between two datagrams, whether the one before has come back or not. */
  intervalMs: z.int(),
  /** UDP payload. */
  datagramBytes: z.int(),
  /** Null: latency at rest. */
  load: loadSchema.nullable(),
});
/** A case of irtt. */
export type IrttCase = z.infer<typeof caseSchema>;

/** Round trips of UDP packets sent at a steady pace, by irtt. */
export const input = z.strictObject({
  ...caseInput,
  tool: z.literal("irtt"),
  /** Between two datagrams. @default 10 */
  intervalMs: whole(1, 10_000, "milliseconds").optional(),
  /** UDP payload, in one packet of any path. @default 64 */
  datagramBytes: sweep(whole(64, 1400, "bytes")).optional(),
  /** Traffic of iperf3 underneath. @default none: latency at rest */
  load: loadInput.optional(),
});
/** The plan's irtt section, checked. */
export type Input = z.output<typeof input>;

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
      { text: "udp-round-trips", swept: false, unusual: true },
      {
        text: `${values.datagramBytes}B`,
        swept: datagramBytes?.swept,
        unusual: values.datagramBytes !== DEFAULT_DATAGRAM_BYTES,
      },
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
