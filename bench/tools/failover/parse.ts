/** Reads what `probes/failover.py` prints. */
import { z } from "zod";
import { failoverSchema } from "../../results/failover.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { probeOutput } from "../shared/probe-output.ts";
import { type ParseContext, type Parsed, ToolFailure } from "../tool.ts";
import type { FailoverCase } from "./plan.ts";

const head = { version: z.literal(1), kind: failoverSchema.shape.failure };
const outputSchema = z.union([
  z.object({ ...head, nothingToFail: z.string().min(1).max(300) }),
  z.object({
    ...head,
    ...failoverSchema.omit({ failure: true }).shape,
    durationSeconds: z.number().positive(),
  }),
]);

/** @throws {ToolFailure} `nothing-to-fail` where the path has no NAT instance that can fail in this way. */
export function parseFailover(stdout: string, context: ParseContext<FailoverCase>): Parsed {
  const output = probeOutput(stdout, context, {
    schema: outputSchema,
    program: "the failover probe",
    isWhole: ({ kind }) => kind === context.case.failure,
    failureOf: (said) => new ToolFailure("tool-error", said),
  });
  if ("nothingToFail" in output) {
    throw new ToolFailure("nothing-to-fail", output.nothingToFail);
  }
  const { version: _, kind, durationSeconds, ...found } = output;
  const measurement = { ...nothingMeasured, durationSeconds, failover: { failure: kind, ...found } };
  return { measurement, version: null };
}
