/** The plan's section for the failover probe, and the cases that it makes. */
import { z } from "zod";
import { caseFields, caseId } from "../../plan/case.ts";
import {
  duration,
  id,
  oneOf,
  optional,
  optionalWhole,
  type ProgramOption,
  sweep,
} from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { failureKinds } from "../../results/failover.ts";
import { strictObject } from "../../schema.ts";

const DEFAULT_SECONDS = 20;
/** The failover probe's options, by name. */
export const failoverOptions = {
  flows: { default: 1000, min: 1, max: 20_000 },
  "down-seconds": { default: 5, min: 1, max: 600 },
  "interval-ms": { default: 10, min: 1, max: 1000 },
} as const satisfies Record<string, ProgramOption>;

export const caseSchema = strictObject("failoverCase", "A case of failover.", {
  ...caseFields,
  tool: z.literal("failover").describe("The tool."),
  protocol: z.literal("tcp").describe("Protocol of the traffic."),
  failure: z.enum(failureKinds).describe("What happens to the active NAT instance."),
  flows: z.int().describe("TCP connections that are held open, and as many UDP flows."),
  downSeconds: z.int().describe("How long the NAT instance stays down, if that can be chosen."),
  intervalMs: z
    .int()
    .describe("Interval of the steady stream's datagrams; new connections are tried half as often."),
});
export type FailoverCase = z.infer<typeof caseSchema>;

export const input = strictObject("failoverInput", "Outages of NAT instances that are made to fail.", {
  id: optional(id, "Replaces the derived id; swept values are still appended."),
  tool: z.literal("failover").describe("The tool."),
  failure: sweep(oneOf(...failureKinds)).describe("What happens to the active NAT instance."),
  durationSeconds: optional(duration, "How long to observe after the failure.", DEFAULT_SECONDS),
  flows: optionalWhole(failoverOptions.flows, "flows", "TCP connections, and as many UDP flows."),
  downSeconds: optionalWhole(
    failoverOptions["down-seconds"],
    "seconds",
    "How long the NAT instance stays down, if that can be chosen; for `blackhole` it always can.",
  ),
  intervalMs: optionalWhole(
    failoverOptions["interval-ms"],
    "milliseconds",
    "Interval of the steady stream, which bounds the figures' resolution.",
  ),
});
type Input = z.output<typeof input>;

/** One case per failure. @throws {PlanError} where the case would end before the failure does. */
export function expand(input: Input, where: string): FailoverCase[] {
  const { durationSeconds = DEFAULT_SECONDS, downSeconds = failoverOptions["down-seconds"].default } = input;
  if (durationSeconds <= downSeconds) {
    throw new PlanError(
      `${where}: durationSeconds: got ${durationSeconds}; expected more than downSeconds, ${downSeconds}, to see the NAT instance come back`,
    );
  }
  return input.failure.values.map((failure) => ({
    id: caseId(input.id, [[`failover-${failure}`, input.failure.swept]]),
    tool: "failover",
    protocol: "tcp",
    direction: "egress",
    durationSeconds,
    omitSeconds: 0,
    failure,
    flows: input.flows ?? failoverOptions.flows.default,
    downSeconds,
    intervalMs: input.intervalMs ?? failoverOptions["interval-ms"].default,
  }));
}
