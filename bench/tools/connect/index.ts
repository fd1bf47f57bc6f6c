/**
 * The TCP-connect prober: a new connection a probe, which is what creates a NAT's state. It is a part of the
 * host agent, so that no machine needs a tool for it.
 */
import { z } from "zod";
import { outageSchema } from "../../results/measurement.ts";
import { commandLine } from "../../shell.ts";
import { agentLatencySchema, count } from "../shared/agent-latency.ts";
import { agentProgram } from "../shared/agent-program.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { probeOutput } from "../shared/probe-output.ts";
import { type Tool, ToolFailure } from "../tool.ts";
import { type ConnectCase, caseSchema, expand, input } from "./plan.ts";

/** The sink's, which accepts and closes. */
export const SINK_PORT = 5199;

/** Most outages that the probe lists. */
const MAX_OUTAGES = 20;

/** Output of `agent.py connect`: one JSON document. Times are those of the connections that were made. */
export const connectOutputSchema = z.object({
  version: z.literal(1),
  attempted: count,
  failed: count,
  durationSeconds: z.number().positive(),
  /** Connections that were due and not begun, since `openLimit` were open. Absent: an agent of before it was counted. */
  notSent: count.optional(),
  /** The most connections that may be open at once. Absent: it was not reached. */
  openLimit: count.optional(),
  /** How late the probe itself began a connection at most. Absent: an agent of before it was counted. */
  lateMs: z.number().min(0).optional(),
  /** How often a connection failed with an errno's name, e.g. `ETIMEDOUT`. */
  errors: z.record(z.string(), count),
  /** Times in which no SYN was answered at once. */
  outages: z.array(outageSchema).max(MAX_OUTAGES).default([]),
  latencyUs: agentLatencySchema,
});
/** Output of the agent's probe of new connections. */
export type ConnectOutput = z.infer<typeof connectOutputSchema>;

/** Names of errors that say that nothing gets there. */
export const unreachable = ["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"];

/** New connections per second, and how long one takes to come up. */
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
        outages,
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
