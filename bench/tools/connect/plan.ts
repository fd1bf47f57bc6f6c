/** The plan's section for the connect probe, and the cases that it makes. */
import { z } from "zod";
import { caseFields, caseId } from "../../plan/case.ts";
import { caseInput, optional, optionalWhole, type ProgramOption } from "../../plan/fields.ts";
import { finite, strictObject } from "../../schema.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

/** The connect probe's options, by name. */
export const connectOptions = {
  "interval-ms": { default: 10, min: 1, max: 10_000 },
} as const satisfies Record<string, ProgramOption>;
const { default: DEFAULT_INTERVAL_MS } = connectOptions["interval-ms"];

export const caseSchema = strictObject("connectCase", "A case of connect.", {
  ...caseFields,
  tool: z.literal("connect").describe("The tool."),
  protocol: z.literal("tcp").describe("Protocol of the traffic."),
  intervalMs: finite.describe("Pause between two connections."),
  load: loadSchema.nullable().describe("iperf3's traffic at the same time. Null: latency at rest."),
});
export type ConnectCase = z.infer<typeof caseSchema>;

export const input = strictObject("connectInput", "New connections per second, and their set-up time.", {
  ...caseInput,
  tool: z.literal("connect").describe("The tool."),
  intervalMs: optionalWhole(connectOptions["interval-ms"], "milliseconds", "Pause between two connections."),
  load: optional(loadInput, "iperf3's traffic at the same time. Without it: latency at rest."),
});
type Input = z.output<typeof input>;

/** One case, which has no sweep. @throws {PlanError} */
export function expand(input: Input, where: string): ConnectCase[] {
  const load = readLoad(input.load, where);
  return [
    {
      id: caseId(input.id, [["tcp-connect"], loadPart(load)]),
      tool: "connect",
      protocol: "tcp",
      direction: "egress",
      durationSeconds: input.durationSeconds,
      omitSeconds: 0,
      intervalMs: input.intervalMs ?? DEFAULT_INTERVAL_MS,
      load,
    },
  ];
}
