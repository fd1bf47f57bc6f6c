/**
 * Limits of a NAT: concurrent flows, new connections per second, idle time-outs, mapping and filtering. The probes are a part
 * of the host agent (`nat_limits.py`), so machines need no tool for them.
 */

import { z } from "zod";
import type { Measurement, NatLimits } from "../../results/measurement.ts";
import { commandLine, option } from "../../shell.ts";
import { checkConnected, connectOutputSchema, SINK_PORT, unreachable } from "../connect/index.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { agentProgram, count, probeOutput } from "../shared/probe.ts";
import { type ParseContext, type Parsed, type Tool, ToolFailure } from "../tool.ts";
import { caseSchema, expand, input, type NatCase, withDuration } from "./plan.ts";

export const NAT_PORT = 5203;
/** The responder's second port, which shows how a NAT maps and filters. */
const OTHER_PORT = 5204;

/** Limits of a NAT: concurrent flows, new flows per second, idle time-outs, port mapping. */
export const nat: Tool<NatCase, typeof input> = {
  name: "nat",
  input,
  caseSchema,
  expand,
  withDuration,

  executables: ["python3"],
  ports: {
    nat: { first: NAT_PORT, protocols: ["tcp", "udp"] },
    natOther: { first: OTHER_PORT, protocols: ["udp"] },
  },
  dataPorts: [],

  services({ nat: port = NAT_PORT, natOther = OTHER_PORT }) {
    const options = ["--port", String(port), "--other-port", String(natOther)];
    const command = [...agentProgram("nat_responder.py"), ...options];
    return [{ name: "NAT responder", ends: ["server"], port, command }];
  },

  command(benchCase, serverAddress) {
    const { probe } = benchCase;
    return commandLine([
      ...[...agentProgram("nat_limits.py"), probe, "--address", serverAddress],
      // The sink takes connections faster than the responder, which would read from each.
      ...["--port", probe === "connection-rate" ? SINK_PORT : NAT_PORT],
      ...options(benchCase),
    ]);
  },

  expectedSeconds({ probe, durationSeconds }) {
    switch (probe) {
      case "connection-rate":
        return durationSeconds + 4;
      case "concurrent-flows":
        return 2 * durationSeconds + 10; // opening them, then proving each once more
      case "idle-timeout":
        return durationSeconds + 15;
      case "behaviour":
        return durationSeconds;
    }
  },

  parse: parseNat,
  flows: () => 1,

  traffic: () => null,
  // They open as many flows as a NAT can hold: who shares it is left without ports.
  isHarmful: ({ probe }) => probe === "connection-rate" || probe === "concurrent-flows",
  question: "nat-limits",
  title: ({ id }) => id, // which says what is probed
};

function options({ probe, protocol: chosen, durationSeconds, maxFlows, stepSeconds, concurrency }: NatCase) {
  switch (probe) {
    case "connection-rate":
      return ["--duration", durationSeconds, ...option("--concurrency", concurrency)];
    case "concurrent-flows":
      return [
        ...["--protocol", chosen, "--duration", durationSeconds],
        ...[...option("--max-flows", maxFlows), ...option("--concurrency", concurrency)],
      ];
    case "idle-timeout":
      return [
        ...["--protocol", chosen, "--max-seconds", durationSeconds],
        ...option("--step-seconds", stepSeconds),
      ];
    case "behaviour":
      return ["--other-port", OTHER_PORT];
  }
}

const protocol = z.enum(["tcp", "udp"]);
const silences = z.array(z.int().min(1)).max(3600);
const endpoint = z.object({ address: z.ipv4(), port: z.int().min(0).max(65535) });

const natOutputSchema = z.discriminatedUnion("probe", [
  connectOutputSchema.extend({ probe: z.literal("connection-rate") }),
  z.object({
    version: z.literal(1),
    probe: z.literal("concurrent-flows"),
    protocol,
    opened: count,
    bound: count,
    limitReached: z.boolean(),
    error: z.string().max(100).nullable(),
    durationSeconds: z.number().positive(),
  }),
  z.object({
    version: z.literal(1),
    probe: z.literal("idle-timeout"),
    protocol,
    survivedSeconds: silences,
    diedSeconds: silences,
    /** Silences that no flow could be opened for. */
    notOpened: count,
    error: z.string().max(100).nullable(),
  }),
  z.object({
    version: z.literal(1),
    probe: z.literal("behaviour"),
    /** One entry per client socket: its own port, and how each of the server's two ports saw it. */
    mappings: z.array(z.object({ port: z.int(), seen: z.tuple([endpoint.nullable(), endpoint.nullable()]) })),
    otherPortHeard: z.boolean().nullable(),
  }),
]);
type NatOutput = z.infer<typeof natOutputSchema>;
type Output<P extends NatOutput["probe"]> = Extract<NatOutput, { probe: P }>;

/** @throws {ToolFailure} */
function parseNat(stdout: string, context: ParseContext<NatCase>): Parsed {
  const { probe, protocol: asked } = context.case;
  const output = probeOutput(stdout, context, {
    schema: natOutputSchema,
    program: `the NAT probe ${probe}`,
    isWhole: (one) => one.probe === probe && (!("protocol" in one) || one.protocol === asked),
  });
  return { measurement: measurementOf(output), version: null };
}

function measurementOf(output: NatOutput): Measurement {
  switch (output.probe) {
    case "connection-rate":
      return connectionRate(output);
    case "concurrent-flows":
      return concurrentFlows(output);
    case "idle-timeout":
      return idleTimeout(output);
    case "behaviour":
      return behaviour(output);
  }
}

function measured(part: Partial<NatLimits>): Measurement {
  const nothing = { connectionRate: null, concurrentFlows: null, idleTimeout: null, behaviour: null };
  return { ...nothingMeasured, natLimits: { ...nothing, ...part } };
}

function connectionRate(output: Output<"connection-rate">): Measurement {
  checkConnected(output);
  const { attempted, failed, durationSeconds, errors, latencyUs } = output;
  const connections = { attempted, failed, perSecond: (attempted - failed) / durationSeconds };
  return {
    ...measured({ connectionRate: { ...connections, errors } }),
    durationSeconds,
    connections,
    latencyUs: { kind: "connect", ...latencyUs },
  };
}

function concurrentFlows(output: Output<"concurrent-flows">): Measurement {
  const { protocol: used, opened, bound, limitReached, error, durationSeconds } = output;
  if (opened === 0) {
    throw noFlow(error);
  }
  const found = { protocol: used, opened, bound, limitReached, error };
  return { ...measured({ concurrentFlows: found }), durationSeconds };
}

/** A silence that killed a flow although a longer one did not was a lost packet. */
function idleTimeout(output: Output<"idle-timeout">): Measurement {
  const { protocol: used, survivedSeconds, diedSeconds, error } = output;
  const tried = [...survivedSeconds, ...diedSeconds];
  if (tried.length === 0) {
    throw noFlow(error);
  }
  const survived = survivedSeconds.length > 0 ? Math.max(...survivedSeconds) : null;
  const beyond = diedSeconds.filter((seconds) => seconds > (survived ?? 0));
  const died = beyond.length > 0 ? Math.min(...beyond) : null;
  const boundSeconds = Math.max(...tried);
  return measured({
    idleTimeout: { protocol: used, survivedSeconds: survived, diedSeconds: died, boundSeconds },
  });
}

function behaviour({ mappings, otherPortHeard }: Output<"behaviour">): Measurement {
  const first = mappings.filter(({ seen }) => seen[0] !== null);
  if (first.length === 0) {
    throw noFlow("ETIMEDOUT");
  }
  const both = first.flatMap(({ seen: [a, b] }) => (a === null || b === null ? [] : [{ a, b }]));
  const same = both.every(({ a, b }) => a.address === b.address && a.port === b.port);
  return measured({
    behaviour: {
      mapping: both.length === 0 ? null : dependence(!same),
      filtering: otherPortHeard === null ? null : dependence(!otherPortHeard),
      portPreserved: first.every(({ port, seen }) => seen[0]?.port === port),
    },
  });
}

function dependence(onPort: boolean) {
  return onPort ? "address-and-port-dependent" : "endpoint-independent-or-address-dependent";
}

function noFlow(error: string | null): ToolFailure {
  const noRoute = error !== null && unreachable.includes(error);
  return new ToolFailure(
    noRoute ? "no-route" : "tool-error",
    `no flow to the server's NAT responder came up: ${error ?? "no reason given"}`,
  );
}
