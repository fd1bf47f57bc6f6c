/**
 * The plan's section for the failover probe, and the cases that it makes.
 *
 * @module
 */
import { z } from "zod";
import { caseFields } from "../../plan/case.ts";
import { caseId } from "../../plan/case-id.ts";
import { duration, id, oneOf, sweep, whole } from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { failureKinds } from "../../results/failover.ts";

const DEFAULT_SECONDS = 20;
const DEFAULT_FLOWS = 1000;
const DEFAULT_DOWN_SECONDS = 5;
const DEFAULT_INTERVAL_MS = 10;

/** A case of failover, as plans, states and results carry it. */
export const caseSchema = z.strictObject({
  ...caseFields,
  tool: z.literal("failover"),
  protocol: z.literal("tcp"),
  failure: z.enum(failureKinds),
  /** TCP connections that are held, and as many UDP flows. */
  flows: z.int(),
  /** How long the NAT instance stays down, where that can be chosen. */
  downSeconds: z.int(),
  /** Between two datagrams of the steady stream; connections come at half that rate. */
  intervalMs: z.int(),
});
/** A case of failover. */
export type FailoverCase = z.infer<typeof caseSchema>;

/** Outages of NAT instances that are made to fail, and the flows that survive them. */
export const input = z.strictObject({
  id: id.optional(),
  tool: z.literal("failover"),
  /** The failure of the active NAT instance. */
  failure: sweep(oneOf(...failureKinds)),
  /** How long is looked on after it. @default 20 */
  durationSeconds: duration.optional(),
  /** TCP connections, and as many UDP flows. @default 1000 */
  flows: whole(1, 20_000, "flows").optional(),
  /** How long the NAT instance stays down, where that can be chosen: always of `blackhole`. @default 5 */
  downSeconds: whole(1, 600, "seconds").optional(),
  /** Interval of the steady stream, which is the figures' resolution. @default 10 */
  intervalMs: whole(1, 1000, "milliseconds").optional(),
});
/** The plan's failover section, checked. */
export type Input = z.output<typeof input>;

/** A case a failure. @throws {PlanError} where nobody would see the end of it. */
export function expand(input: Input, where: string): FailoverCase[] {
  const { durationSeconds = DEFAULT_SECONDS, downSeconds = DEFAULT_DOWN_SECONDS } = input;
  if (durationSeconds <= downSeconds) {
    throw new PlanError(
      `${where}: durationSeconds: got ${durationSeconds}; expected more than downSeconds, ${downSeconds}, to see the NAT instance come back`,
    );
  }
  return input.failure.values.map((failure) => ({
    id: caseId(input.id, [{ text: `failover-${failure}`, swept: input.failure.swept, unusual: true }]),
    tool: "failover",
    protocol: "tcp",
    direction: "egress",
    durationSeconds,
    omitSeconds: 0,
    failure,
    flows: input.flows ?? DEFAULT_FLOWS,
    downSeconds,
    intervalMs: input.intervalMs ?? DEFAULT_INTERVAL_MS,
  }));
}
