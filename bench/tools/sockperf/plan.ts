/** The plan's section for sockperf, and the cases that it makes. */
import { z } from "zod";
import { caseFields, caseId, product } from "../../plan/case.ts";
import { caseInput, optional, protocol, sweep, whole } from "../../plan/fields.ts";
import { strictObject } from "../../schema.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

const DEFAULT_MESSAGE_BYTES = 64;

export const caseSchema = strictObject("sockperfCase", "A case of sockperf.", {
  ...caseFields,
  tool: z.literal("sockperf").describe("The tool."),
  protocol: z.enum(["tcp", "udp"]).describe("Protocol of the traffic."),
  messageBytes: z.int().describe("Payload of a message."),
  load: loadSchema.nullable().describe("iperf3's traffic at the same time. Null: latency at rest."),
});
export type SockperfCase = z.infer<typeof caseSchema>;

export const input = strictObject("sockperfInput", "Latency by sockperf.", {
  ...caseInput,
  tool: z.literal("sockperf").describe("The tool."),
  protocol: optional(sweep(protocol), "Protocol of the traffic.", "`tcp`"),
  messageBytes: optional(
    sweep(whole(14, 65_506, "bytes")),
    "Payload of a message, within sockperf 3.7's limits.",
    64,
  ),
  load: optional(loadInput, "iperf3's traffic at the same time.", "none: latency at rest"),
});
type Input = z.output<typeof input>;

/** A sweep over protocol and message length. @throws {PlanError} */
export function expand(input: Input, where: string): SockperfCase[] {
  const load = readLoad(input.load, where);
  return product({
    protocol: input.protocol?.values ?? ["tcp" as const],
    messageBytes: input.messageBytes?.values ?? [DEFAULT_MESSAGE_BYTES],
  }).map((values) => ({
    id: caseId(input.id, [
      [`${values.protocol}-ping-pong`, input.protocol?.swept],
      [`${values.messageBytes}B`, input.messageBytes?.swept, values.messageBytes !== DEFAULT_MESSAGE_BYTES],
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
