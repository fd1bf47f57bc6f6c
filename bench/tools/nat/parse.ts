/** Reads what `nat_limits.py` prints. */
import { z } from "zod";
import type { Measurement, NatLimits } from "../../results/measurement.ts";
import { checkConnected, connectOutputSchema, unreachable } from "../connect/index.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { count, probeOutput } from "../shared/probe.ts";
import { type ParseContext, type Parsed, ToolFailure } from "../tool.ts";
import type { NatCase } from "./plan.ts";

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
export function parseNat(stdout: string, context: ParseContext<NatCase>): Parsed {
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
