/**
 * Measures a NAT instance's failure: how long nothing passes, for new and for established flows, and how many held flows
 * survive. The probe is a part of the host agent (`probes/failover.py`); the active NAT instance's own agent provokes the
 * failure on its request.
 */

import { z } from "zod";
import { failoverSchema } from "../../results/failover.ts";
import { commandLine } from "../../shell.ts";
import { SINK_PORT } from "../connect/index.ts";
import { NAT_PORT } from "../nat/index.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { agentProgram, probeOutput } from "../shared/probe.ts";
import { type ParseContext, type Parsed, type Tool, ToolFailure } from "../tool.ts";
import { caseSchema, expand, type FailoverCase, input } from "./plan.ts";

/** Seconds for opening the flows, a lead before the failure, and replies in flight at the end. */
const AROUND_SECONDS = 15;
/** Longest wait for a NAT instance that failed in the case before. */
export const READY_SECONDS = 120;

/** Outages of NAT instances that are made to fail, and the flows that survive them. */
export const failover: Tool<FailoverCase, typeof input> = {
  name: "failover",
  input,
  caseSchema,
  expand,

  executables: ["python3"],
  // The probe uses the NAT probes' responder and the connect prober's sink on the server.
  ports: {},
  services: () => [],
  provokes: ({ failure }) => failure,

  command({ failure, durationSeconds, flows, downSeconds, intervalMs }, serverAddress) {
    return commandLine([
      ...[...agentProgram("agent.py"), "probe", "failover", "--address", serverAddress],
      ...["--port", NAT_PORT, "--sink-port", SINK_PORT, "--kind", failure, "--duration", durationSeconds],
      ...["--flows", flows, "--down-seconds", downSeconds, "--interval-ms", intervalMs],
    ]);
  },

  expectedSeconds: ({ durationSeconds }) => durationSeconds + AROUND_SECONDS + READY_SECONDS,
  busySeconds: ({ durationSeconds }) => durationSeconds + AROUND_SECONDS,

  parse: parseFailover,
  flows: ({ flows }) => 2 * flows,

  traffic: () => null,
  isHarmful: () => true,
  question: "failover",
  title: ({ failure }) => `NAT instance fails: ${failure}`,
};

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
function parseFailover(stdout: string, context: ParseContext<FailoverCase>): Parsed {
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
