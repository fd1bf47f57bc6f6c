/**
 * The TCP-connect prober: a new connection a probe, which is what creates a NAT's state. It is a part of the
 * host agent, so that no machine needs a tool for it.
 *
 * @module
 */
import { z } from "zod";
import { AGENT_DIRECTORY } from "../../agent/protocol.ts";
import type { ConnectCase } from "../plan/plan.ts";
import { ports } from "../plan/ports.ts";
import { commandLine } from "../shell.ts";
import { checkEnded, excerpt, lastLine } from "./failure.ts";
import { parseJsonObject } from "./json-text.ts";
import { nothingMeasured } from "./measurement.ts";
import { type ParseContext, type Tool, ToolFailure } from "./tool.ts";

const count = z.int().min(0);
const microseconds = z.number().min(0).nullable();

/** What `agent.py connect` prints: one JSON document. Times are those of the connections that were made. */
export const connectOutputSchema = z.object({
  version: z.literal(1),
  attempted: count,
  failed: count,
  durationSeconds: z.number().positive(),
  /** How often a connection failed with an errno's name, e.g. `ETIMEDOUT`. */
  errors: z.record(z.string(), count),
  latencyUs: z.object({
    samples: count,
    mean: microseconds,
    min: microseconds,
    max: microseconds,
    stddev: microseconds,
    p50: microseconds,
    p90: microseconds,
    p99: microseconds,
    p999: microseconds,
  }),
});
export type ConnectOutput = z.infer<typeof connectOutputSchema>;

/** Names of errors that say that nothing gets there. */
export const unreachable = ["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"];

export const connect: Tool<ConnectCase> = {
  name: "connect",
  executables: ["python3"],
  reducer: "none",
  retryOn: [],

  command({ durationSeconds, intervalMs }, serverAddress) {
    return commandLine([
      ...["python3", `${AGENT_DIRECTORY}/agent.py`, "connect", "--address", serverAddress],
      ...["--port", ports.connect, "--duration", durationSeconds, "--interval-ms", intervalMs],
    ]);
  },

  expectedSeconds({ durationSeconds }) {
    return durationSeconds + 1;
  },

  parse(stdout, context) {
    checkEnded(context);
    const output = readOutput(stdout, context);
    checkConnected(output);
    const { attempted, failed, durationSeconds, latencyUs } = output;
    const connections = { attempted, failed, perSecond: (attempted - failed) / durationSeconds };
    return {
      measurement: {
        ...nothingMeasured,
        durationSeconds,
        connections,
        latencyUs: { kind: "connect", ...latencyUs },
      },
      version: null,
    };
  },
};

function readOutput(stdout: string, { stderr, exitCode }: ParseContext): ConnectOutput {
  const checked = connectOutputSchema.safeParse(parseJsonObject(stdout));
  if (checked.success) {
    return checked.data;
  }
  const reason = lastLine(stderr) || `its output: ${excerpt(stdout)}`;
  throw new ToolFailure(
    "bad-output",
    `the connect probe ended with status ${exitCode} and without a result: ${reason}`,
  );
}

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
