/**
 * Measures a NAT instance's failure: how long nothing passes, for new and for established flows, and how many held flows
 * survive. The probe is a part of the host agent (`probes/failover.py`); the active NAT instance's own agent provokes the
 * failure on its request.
 */

import { z } from "zod";
import { caseId, caseOf, inputOf } from "../../plan/case.ts";
import { duration, oneOf, optional, optionalWhole, type ProgramOption, sweep } from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { failoverSchema, failureKinds } from "../../results/failover.ts";
import { commandLine } from "../../shell.ts";
import { SINK_PORT } from "../connect/index.ts";
import { NAT_PORT } from "../nat/index.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { agentProgram, probeOutput } from "../shared/probe.ts";
import { type ParseContext, type Parsed, type Tool, ToolFailure } from "../tool.ts";

const DEFAULT_SECONDS = 20;
export const failoverOptions = {
  flows: { default: 1000, min: 1, max: 20_000 },
  "down-seconds": { default: 5, min: 1, max: 600 },
  "interval-ms": { default: 10, min: 1, max: 1000 },
} as const satisfies Record<string, ProgramOption>;

const caseSchema = caseOf("failover", ["tcp"], {
  failure: z.enum(failureKinds).describe("What happens to the active NAT instance."),
  flows: z.int().describe("TCP connections that are held open, and as many UDP flows."),
  downSeconds: z.int().describe("How long the NAT instance stays down, if that can be chosen."),
  intervalMs: z
    .int()
    .describe("Interval of the steady stream's datagrams; new connections are tried half as often."),
});
export type FailoverCase = z.infer<typeof caseSchema>;

const input = inputOf("failover", "Outages of NAT instances that are made to fail.", {
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
function expand(input: Input, where: string): FailoverCase[] {
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
