/**
 * The TCP-connect prober: every probe is a new connection, which creates state in a NAT. It is a part of the host agent, so
 * machines need no tool for it.
 */
import { z } from "zod";
import { caseId, caseOf, inputOf } from "../../plan/case.ts";
import { measuredSeconds, optional, optionalWhole, type ProgramOption } from "../../plan/fields.ts";
import { outageSchema } from "../../results/measurement.ts";
import { finite } from "../../schema.ts";
import { commandLine } from "../../shell.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { agentLatencySchema, agentProgram, count, probeOutput } from "../shared/probe.ts";
import { type Tool, ToolFailure } from "../tool.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

export const connectOptions = {
  "interval-ms": { default: 10, min: 1, max: 10_000 },
} as const satisfies Record<string, ProgramOption>;
const { default: DEFAULT_INTERVAL_MS } = connectOptions["interval-ms"];

const caseSchema = caseOf("connect", ["tcp"], {
  intervalMs: finite.describe("Pause between two connections."),
  load: loadSchema.nullable().describe("iperf3's traffic at the same time. Null: latency at rest."),
});
export type ConnectCase = z.infer<typeof caseSchema>;

const input = inputOf("connect", "New connections per second, and their set-up time.", {
  durationSeconds: measuredSeconds,
  intervalMs: optionalWhole(connectOptions["interval-ms"], "milliseconds", "Pause between two connections."),
  load: optional(loadInput, "iperf3's traffic at the same time. Without it: latency at rest."),
});
type Input = z.output<typeof input>;

/** One case, which has no sweep. @throws {PlanError} */
function expand(input: Input, where: string): ConnectCase[] {
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

/** Port of the sink, which accepts and closes connections. */
export const SINK_PORT = 5199;

/** Shortest outage that the probe lists. */
const LEAST_OUTAGE_MS = 100;

/** Most outages that the probe lists. */
export const MAX_OUTAGES = 20;

/** Output of `agent.py connect`: one JSON document. Times are over successful connections. */
export const connectOutputSchema = z.object({
  version: z.literal(1),
  attempted: count,
  failed: count,
  durationSeconds: z.number().positive(),
  /** Connections that were due and not begun because `openLimit` were open. */
  notSent: count.optional(),
  /** The limit of open connections. Absent: it was not reached. */
  openLimit: count.optional(),
  /** Longest delay with which the probe itself began a connection. */
  lateMs: z.number().min(0).optional(),
  /** Failed connections by errno name, e.g. `ETIMEDOUT`. */
  errors: z.record(z.string(), count),
  /** Periods in which no SYN was answered at once. */
  outages: z.array(outageSchema).max(MAX_OUTAGES).default([]),
  latencyUs: agentLatencySchema,
});
export type ConnectOutput = z.infer<typeof connectOutputSchema>;

/** Error names that mean the destination is unreachable. */
export const unreachable = ["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"];

/** New connections per second, and their set-up time. */
export const connect: Tool<ConnectCase, typeof input> = {
  name: "connect",
  input,
  caseSchema,
  expand,

  executables: ["python3"],
  ports: { connect: { first: SINK_PORT, protocols: ["tcp"] } },

  services({ connect: port = SINK_PORT }) {
    const command = [...agentProgram("agent.py"), "sink", "--port", String(port)];
    return [{ name: "connect sink", ends: ["server"], port, command }];
  },

  command({ durationSeconds, intervalMs }, serverAddress) {
    return commandLine([
      ...[...agentProgram("agent.py"), "connect", "--address", serverAddress],
      ...["--port", SINK_PORT, "--duration", durationSeconds, "--interval-ms", intervalMs],
    ]);
  },

  expectedSeconds: ({ durationSeconds }) => durationSeconds + 1,

  parse(stdout, context) {
    const output = probeOutput(stdout, context, {
      schema: connectOutputSchema,
      program: "the connect probe",
    });
    checkConnected(output);
    const { attempted, failed, notSent = 0, openLimit, lateMs, durationSeconds, latencyUs, outages } = output;
    const connections = {
      ...{ attempted, failed, perSecond: (attempted - failed) / durationSeconds },
      ...(notSent > 0 && { notSent }),
      ...(openLimit !== undefined && { openLimit }),
      ...(lateMs !== undefined && { lateMs }),
    };
    return {
      measurement: {
        ...nothingMeasured,
        durationSeconds,
        // A probe that stood still for so long may have missed one; the length of one that it saw is as exact as `lateMs`.
        outages: outages.length === 0 && (lateMs ?? 0) > LEAST_OUTAGE_MS ? null : outages,
        connections,
        latencyUs: { kind: "connect", ...latencyUs },
      },
      version: null,
    };
  },
  flows: () => 1,

  traffic: () => null,
  question: "connections",
  title: () => "New TCP connections",
};

/** @throws {ToolFailure} where no connection succeeded. */
export function checkConnected({
  attempted,
  failed,
  errors,
}: Pick<ConnectOutput, "attempted" | "failed" | "errors">): void {
  if (failed < attempted) {
    return;
  }
  const names = Object.entries(errors).map(([name, times]) => `${times} times ${name}`);
  const noRoute = Object.keys(errors).some((name) => unreachable.includes(name));
  const message = `none of ${attempted} connections succeeded${names.length > 0 ? `: ${names.join(", ")}` : ""}`;
  throw new ToolFailure(noRoute ? "no-route" : "tool-error", message);
}
