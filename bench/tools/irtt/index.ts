/**
 * irtt: UDP round trips on a schedule. Datagrams are sent whether earlier ones came back or not, so an outage shows at its full
 * length, and each direction's loss is separate. Run: 0.9.0.
 *
 * The host agent's `probes/irtt.py` runs it and reduces its JSON, which has a kilobyte for each round trip.
 */
import { z } from "zod";
import { caseId, caseOf, inputOf, product } from "../../plan/case.ts";
import {
  measuredSeconds,
  optional,
  optionalWhole,
  type ProgramOption,
  sweep,
  whole,
} from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { commandLine } from "../../shell.ts";
import { failureFromText } from "../shared/failure.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { agentLatencySchema, agentProgram, count, probeOutput } from "../shared/probe.ts";
import type { TemplatePart } from "../shared/template.ts";
import { type Tool, ToolFailure } from "../tool.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

/** The options of the probe that runs irtt, by name. The default of bytes fits irtt's own fields, including two timestamps. */
export const irttOptions = {
  "interval-ms": { default: 10, min: 1, max: 10_000 },
  bytes: { default: 64, min: 64, max: 1400 },
} as const satisfies Record<string, ProgramOption>;
const { default: DEFAULT_INTERVAL_MS } = irttOptions["interval-ms"];
const { default: DEFAULT_DATAGRAM_BYTES } = irttOptions.bytes;
/** irtt keeps a test in memory and writes a kilobyte per round trip: the host agent allows a file of 64 MB. */
const MAX_ROUND_TRIPS = 50_000;

const caseSchema = caseOf("irtt", ["udp"], {
  intervalMs: z.int().describe("Interval between two datagrams, answered or not."),
  datagramBytes: z.int().describe("UDP payload."),
  load: loadSchema.nullable().describe("iperf3's traffic at the same time. Null: latency at rest."),
});
export type IrttCase = z.infer<typeof caseSchema>;

const input = inputOf("irtt", "Round trips of UDP packets sent at a steady pace, by irtt.", {
  durationSeconds: measuredSeconds,
  intervalMs: optionalWhole(irttOptions["interval-ms"], "milliseconds", "Interval between two datagrams."),
  datagramBytes: optional(
    sweep(whole(irttOptions.bytes.min, irttOptions.bytes.max, "bytes")),
    "UDP payload; it fits into one packet on any path.",
    DEFAULT_DATAGRAM_BYTES,
  ),
  load: optional(loadInput, "iperf3's traffic at the same time.", "none: latency at rest"),
});
type Input = z.output<typeof input>;

/** A sweep over datagram length. @throws {PlanError} */
function expand(input: Input, where: string): IrttCase[] {
  const { durationSeconds, intervalMs = DEFAULT_INTERVAL_MS, datagramBytes } = input;
  const least = Math.ceil((durationSeconds * 1000) / MAX_ROUND_TRIPS);
  if (intervalMs < least) {
    throw new PlanError(
      `${where}: intervalMs: got ${intervalMs}; expected ${least} or more for ${durationSeconds} s, since irtt keeps ${MAX_ROUND_TRIPS} round trips at most`,
    );
  }
  const load = readLoad(input.load, where);
  return product({ datagramBytes: datagramBytes?.values ?? [DEFAULT_DATAGRAM_BYTES] }).map((values) => ({
    id: caseId(input.id, [
      ["udp-round-trips"],
      [`${values.datagramBytes}B`, datagramBytes?.swept, values.datagramBytes !== DEFAULT_DATAGRAM_BYTES],
      loadPart(load),
    ]),
    tool: "irtt",
    protocol: "udp",
    direction: "egress",
    durationSeconds,
    omitSeconds: 0,
    intervalMs,
    ...values,
    load,
  }));
}

const command: readonly TemplatePart[] = [
  { words: ["irtt", "client", "-4", "-Q", "-o", "-", "--clock=monotonic"] },
  { words: ["-i", "{interval-ms}ms", "-d", "{duration}s", "-l", "{bytes}"] },
  { words: ["--timeouts=1s,2s,4s", "--wait=3x1s", "{address}:{port}"] },
];

/** How the agent runs irtt's client and reads what it prints. */
export const irttClient = {
  program: "irtt",
  command,
  figures: {
    toolVersion: "version.irtt",
    sent: "stats.packets_sent",
    // Each reply carries the server's count.
    arrived: "stats.server_packets_received",
    duplicates: "stats.duplicates",
    nanoseconds: "stats.duration",
    trips: "round_trips",
  },
  /** Keys of one round trip: `mark` identifies the object, and `lost` has the value `came` if the reply arrived. */
  trip: { mark: "seqno", lost: "lost", came: "false", nanoseconds: "delay.rtt" },
} as const;

/** Pattern of a server's log line for a new test: protocol (none: UDP), address and port. The agent's sink prints the same. */
export const NEW_PEER = "\\[(?:(tcp) )?([0-9a-f.:]{2,45}):(\\d{1,5})\\] \\[NewConn\\]";

const IRTT_PORT = 5200;
/** Seconds for connecting and for waiting for the last replies. */
const SETUP_SECONDS = 5;
/** Least share of the schedule that must be sent; below it the client was too busy for a measurement. */
const MIN_KEPT_SHARE = 0.5;

/** Largest share of impossible round trips; up to it the others count. */
const MAX_IMPLAUSIBLE_SHARE = 0.01;

const irttOutputSchema = z.object({
  version: z.literal(1),
  toolVersion: z.string().max(40).nullable(),
  /** Datagrams in the schedule. */
  planned: count,
  sent: count,
  /** Arrived datagrams by the server's count; null: it reported none. */
  arrived: count.nullable(),
  /** Datagrams up to the last answered one, which the server's count covers. */
  judged: count,
  /** Replies that came once more; nothing: an output that does not tell. */
  duplicates: count.optional(),
  received: count,
  durationSeconds: z.number().positive(),
  latencyUs: agentLatencySchema,
});
type IrttOutput = z.infer<typeof irttOutputSchema>;

/** Round trips of UDP packets sent at a steady pace, by irtt. */
export const irtt: Tool<IrttCase, typeof input> = {
  name: "irtt",
  input,
  caseSchema,
  expand,

  executables: ["python3", "irtt"],
  packages: ["irtt"],
  versionCommand: ["irtt", "version"],
  ports: { irtt: { first: IRTT_PORT, protocols: ["udp"] } },

  services({ irtt: port = IRTT_PORT }) {
    // Without -i 0 the server drops a busy client's late, bunched datagrams: 10 ms is its default.
    const command = ["irtt", "server", "-b", `0.0.0.0:${port}`, "-i", "0"];
    return [{ name: "irtt", ends: ["server"], port, command }];
  },

  command({ durationSeconds, intervalMs, datagramBytes }, serverAddress) {
    return commandLine([
      ...[...agentProgram("agent.py"), "probe", "irtt", "--address", serverAddress, "--port", IRTT_PORT],
      ...["--duration", durationSeconds, "--interval-ms", intervalMs, "--bytes", datagramBytes],
    ]);
  },

  expectedSeconds: ({ durationSeconds }) => durationSeconds + SETUP_SECONDS,

  parse(stdout, context) {
    const output = probeOutput(stdout, context, {
      schema: irttOutputSchema,
      program: "irtt",
      isWhole: (one) => one.sent > 0 && one.received <= one.sent,
      failureOf: (said) =>
        /no reply|refused/.test(said) ? new ToolFailure("no-route", said) : failureFromText(said),
    });
    const { planned, sent, received, durationSeconds, latencyUs, toolVersion } = output;
    const implausible = received - latencyUs.samples;
    if (received === 0) {
      throw new ToolFailure("no-route", `none of ${sent} datagrams came back`);
    }
    if (implausible > MAX_IMPLAUSIBLE_SHARE * received) {
      throw new ToolFailure(
        "bad-output",
        `${implausible} of ${received} round trips are below 0 or longer than the test: did a clock step during it?`,
      );
    }
    if (sent < MIN_KEPT_SHARE * planned) {
      throw new ToolFailure(
        "tool-error",
        `the client sent ${sent} of the ${planned} datagrams that were due`,
      );
    }
    const measurement = {
      ...nothingMeasured,
      // irtt waits for late answers, and counts that.
      durationSeconds: Math.min(durationSeconds, context.case.durationSeconds),
      packets: sent,
      lostPackets: sent - received,
      lostPercent: (100 * (sent - received)) / sent,
      lossByDirection: lossByDirection(output),
      latencyUs: { kind: "round-trip" as const, ...latencyUs },
    };
    return { measurement, version: toolVersion };
  },
  flows: () => 1,
  passesNatAsUdp: () => true,

  traffic: () => null,
  probeBitsPerSecond: ({ datagramBytes, intervalMs }) => (8000 * datagramBytes) / intervalMs,
  question: "round-trips",
  title: () => "UDP round trips on a schedule",
};

/** Null where the server's count may hold a datagram twice: nothing tells on which way a repeated reply was doubled. */
function lossByDirection({ sent, judged, duplicates, arrived, received }: IrttOutput) {
  if (duplicates !== 0 || arrived === null || arrived > judged || arrived < received) {
    return null;
  }
  const loss = (packets: number, came: number) => {
    const lostPackets = packets - came;
    return { packets, lostPackets, lostPercent: packets === 0 ? null : (100 * lostPackets) / packets };
  };
  return { egress: loss(judged, arrived), ingress: loss(arrived, received), unknownPackets: sent - judged };
}
