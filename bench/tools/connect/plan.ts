/**
 * The plan's section for the connect probe, and the cases that it makes.
 *
 * @module
 */
import { z } from "zod";
import { caseFields } from "../../plan/case.ts";
import { caseId } from "../../plan/case-id.ts";
import { caseInput, whole } from "../../plan/fields.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

const DEFAULT_INTERVAL_MS = 10;

/** A case of connect, as plans, states and results carry it. */
export const caseSchema = z.strictObject({
  ...caseFields,
  tool: z.literal("connect"),
  protocol: z.literal("tcp"),
  /** Pause between two connections. */
  intervalMs: z.number(),
  load: loadSchema.nullable(),
});
/** A case of connect. */
export type ConnectCase = z.infer<typeof caseSchema>;

/** New connections per second, and how long one takes to come up. */
export const input = z.strictObject({
  ...caseInput,
  tool: z.literal("connect"),
  /** Pause between two connections. @default 10 */
  intervalMs: whole(1, 10_000, "milliseconds").optional(),
  load: loadInput.optional(),
});
/** The plan's connect section, checked. */
export type Input = z.output<typeof input>;

/** One case, which has no sweep. @throws {PlanError} */
export function expand(input: Input, where: string): ConnectCase[] {
  const load = readLoad(input.load, where);
  return [
    {
      id: caseId(input.id, [{ text: "tcp-connect", swept: false, unusual: true }, loadPart(load)]),
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
