/**
 * The plan's section for sockperf, and the cases that it makes.
 *
 * @module
 */
import { z } from "zod";
import { caseFields } from "../../plan/case.ts";
import { caseId, product } from "../../plan/case-id.ts";
import { caseInput, protocol, sweep, whole } from "../../plan/fields.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

const DEFAULT_MESSAGE_BYTES = 64;

/** A case of sockperf, as plans, states and results carry it. */
export const caseSchema = z.strictObject({
  ...caseFields,
  tool: z.literal("sockperf"),
  protocol: z.enum(["tcp", "udp"]),
  messageBytes: z.int(),
  /** Null: latency at rest. */
  load: loadSchema.nullable(),
});
/** A case of sockperf. */
export type SockperfCase = z.infer<typeof caseSchema>;

/** Latency by sockperf. */
export const input = z.strictObject({
  ...caseInput,
  tool: z.literal("sockperf"),
  /** @default "tcp" */
  protocol: sweep(protocol).optional(),
  /** Limits of sockperf 3.7. @default 64 */
  messageBytes: sweep(whole(14, 65_506, "bytes")).optional(),
  /** Traffic of iperf3 underneath. @default none: latency at rest */
  load: loadInput.optional(),
});
/** The plan's sockperf section, checked. */
export type Input = z.output<typeof input>;

/** A sweep over protocol and message length. @throws {PlanError} */
export function expand(input: Input, where: string): SockperfCase[] {
  const load = readLoad(input.load, where);
  return product({
    protocol: input.protocol?.values ?? ["tcp" as const],
    messageBytes: input.messageBytes?.values ?? [DEFAULT_MESSAGE_BYTES],
  }).map((values) => ({
    id: caseId(input.id, [
      { text: `${values.protocol}-ping-pong`, swept: input.protocol?.swept, unusual: true },
      {
        text: `${values.messageBytes}B`,
        swept: input.messageBytes?.swept,
        unusual: values.messageBytes !== DEFAULT_MESSAGE_BYTES,
      },
      loadPart(load),
    ]),
    tool: "sockperf",
    direction: "egress",
    ...values,
    durationSeconds: input.durationSeconds,
    omitSeconds: 0, // sockperf leaves out its own first 400 ms
    load,
  }));
}
