/** Reads what `probes/failover.py` prints. */
import { z } from "zod";
import { failoverSchema } from "../../results/failover.ts";
import { checkEnded, excerpt, lastLine } from "../shared/failure.ts";
import { parseJsonObject } from "../shared/json-text.ts";
import { nothingMeasured } from "../shared/measurement.ts";
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
  checkEnded(context);
  const output = outputSchema.safeParse(parseJsonObject(stdout)).data;
  if (output === undefined || output.kind !== context.case.failure) {
    throw noResult(stdout, context);
  }
  if ("nothingToFail" in output) {
    throw new ToolFailure("nothing-to-fail", output.nothingToFail);
  }
  const { version: _, kind, durationSeconds, ...found } = output;
  const measurement = { ...nothingMeasured, durationSeconds, failover: { failure: kind, ...found } };
  return { measurement, version: null };
}

function noResult(stdout: string, { stderr, exitCode }: ParseContext): ToolFailure {
  const said = /agent\.py probe: (.+)/.exec(stderr)?.[1];
  if (said !== undefined) {
    return new ToolFailure("tool-error", said);
  }
  const reason = lastLine(stderr) || `its output: ${excerpt(stdout)}`;
  return new ToolFailure(
    "bad-output",
    `the failover probe ended with status ${exitCode} and without a result: ${reason}`,
  );
}
