/** sockperf ping-pong: round-trip times of messages over one connection. Read: 3.5 to 3.10; run: 3.7. */

import { z } from "zod";
import { plainText } from "../../plain-text.ts";
import { caseId, caseOf, inputOf, product } from "../../plan/case.ts";
import { measuredSeconds, optional, protocol, sweep, whole } from "../../plan/fields.ts";
import type { Latency, Measurement } from "../../results/measurement.ts";
import { commandLine } from "../../shell.ts";
import { checkEnded, excerpt, failureFromText, lastLine } from "../shared/failure.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { type ParseContext, type Tool, ToolFailure } from "../tool.ts";
import { loadInput, loadPart, loadSchema, readLoad } from "../under-load/plan.ts";

const DEFAULT_MESSAGE_BYTES = 64;

const caseSchema = caseOf("sockperf", ["tcp", "udp"], {
  messageBytes: z.int().describe("Payload of a message."),
  load: loadSchema.nullable().describe("iperf3's traffic at the same time. Null: latency at rest."),
});
export type SockperfCase = z.infer<typeof caseSchema>;

const input = inputOf("sockperf", "Latency by sockperf.", {
  durationSeconds: measuredSeconds,
  protocol: optional(sweep(protocol), "Protocol of the traffic.", "`tcp`"),
  messageBytes: optional(
    sweep(whole(14, 65_506, "bytes")),
    "Payload of a message, within sockperf 3.7's limits.",
    64,
  ),
  load: optional(loadInput, "iperf3's traffic at the same time.", "none: latency at rest"),
});
type Input = z.output<typeof input>;

/** A sweep over protocol and message length. @throws {PlanError} */
function expand(input: Input, where: string): SockperfCase[] {
  const load = readLoad(input.load, where);
  return product({
    protocol: input.protocol?.values ?? ["tcp" as const],
    messageBytes: input.messageBytes?.values ?? [DEFAULT_MESSAGE_BYTES],
  }).map((values) => ({
    id: caseId(input.id, [
      [`${values.protocol}-ping-pong`, input.protocol?.swept],
      [`${values.messageBytes}B`, input.messageBytes?.swept, values.messageBytes !== DEFAULT_MESSAGE_BYTES],
      loadPart(load),
    ]),
    tool: "sockperf",
    direction: "egress",
    ...values,
    durationSeconds: input.durationSeconds,
    omitSeconds: 0, // sockperf leaves out its own first 400 ms
    load,
  }));
}

const SOCKPERF_PORT = 5202;

/** Round trips a second of a fast network, over which it sends as soon as it is answered. */
const QUICK_ROUND_TRIPS = 20_000;
const SMALL_MESSAGE_BYTES = 64;

export const sockperf: Tool<SockperfCase, typeof input> = {
  name: "sockperf",
  input,
  caseSchema,
  expand,

  executables: ["sockperf"],
  packages: ["sockperf"],
  isPreinstalled: true,
  versionCommand: ["sockperf", "--version"],
  ports: { sockperf: { first: SOCKPERF_PORT, protocols: ["tcp", "udp"] } },

  services({ sockperf: port = SOCKPERF_PORT }) {
    const command = ["sockperf", "server", "-p", String(port)];
    return [
      // Else it could not listen while a former client's connection lingers.
      { name: "sockperf TCP", ends: ["server"], port, command: [...command, "--tcp", "--uc-reuseaddr"] },
      { name: "sockperf UDP", ends: ["server"], port, command },
    ];
  },

  // A datagram that was cut on its way stays in the server's buffer, and it answers none of the next ones.
  needsNewServices: true,

  command({ protocol, durationSeconds, messageBytes }, serverAddress) {
    return commandLine([
      ...["sockperf", "ping-pong", ...(protocol === "tcp" ? ["--tcp"] : [])],
      ...["-i", serverAddress, "-p", SOCKPERF_PORT, "-t", durationSeconds, "-m", messageBytes],
      "--full-rtt", // sockperf's default is half of it
    ]);
  },

  expectedSeconds: ({ durationSeconds }) => durationSeconds + 1,

  parse(stdout, context) {
    checkEnded(context);
    const text = plainText(stdout);
    const latencyUs = readLatency(text);
    if (latencyUs === undefined) {
      throw failureOf(text, context);
    }
    checkWhole(text, context.case);
    const version = /== version #([^\s-]+)/.exec(text)?.[1] ?? null;
    return { measurement: { ...nothingMeasured, ...readCounts(text), latencyUs }, version };
  },
  flows: () => 1,
  passesNatAsUdp: ({ protocol }) => protocol === "udp",

  traffic: () => null,
  probeBitsPerSecond: ({ messageBytes }) =>
    messageBytes > SMALL_MESSAGE_BYTES ? 8 * messageBytes * QUICK_ROUND_TRIPS : 0,
  question: "round-trips",
  title: ({ protocol }) => `${protocol.toUpperCase()} round trips`,
};

/** Seconds of warm-up and of a run's end, which sockperf leaves out of its figures. */
const LEFT_OUT_SECONDS = 0.6;
/** Least share of the duration that must be measured. */
const MIN_MEASURED_SHARE = 0.9;

const stopped = ({ protocol }: SockperfCase) =>
  protocol === "udp"
    ? "its UDP ping-pong stops at the first lost or cut datagram: measure with irtt"
    : "its connection stopped";

/**
 * Checks that the whole time was measured, and one round trip at a time. A lost datagram ends UDP ping-pong: sockperf waits for its
 * answer until the time is over, and reports the part before as a complete measurement without loss. A reply that comes twice has
 * it send one message more each time, and all later ones wait for each other. @throws {ToolFailure}
 */
function checkWhole(text: string, benchCase: SockperfCase): void {
  const doubled = number(/# duplicated messages = (\d+)/.exec(text));
  if (doubled) {
    const why = "behind these its UDP ping-pong measures a queue of its own: measure with irtt";
    throw new ToolFailure("tool-error", `${doubled} replies came twice; ${why}`);
  }
  const seconds = readCounts(text).durationSeconds ?? null;
  const { durationSeconds } = benchCase;
  if (seconds !== null && seconds + LEFT_OUT_SECONDS < MIN_MEASURED_SHARE * durationSeconds) {
    const problem = `sockperf measured ${seconds} of ${durationSeconds} s`;
    const failureClass = benchCase.protocol === "tcp" ? "control-lost" : "tool-error";
    throw new ToolFailure(failureClass, `${problem}; ${stopped(benchCase)}`);
  }
}

/** Undefined if the text has no result. */
function readLatency(text: string): Latency | undefined {
  const average = /====> avg-(?:lat|latency|rtt)=\s*([\d.]+) \(std-dev=([\d.]+)/.exec(text);
  if (average === null) {
    return undefined;
  }
  // Versions that print avg-rtt mean the full round trip, whatever their summary says.
  if (!/Summary: Round trip is|====> avg-rtt=/.test(text)) {
    throw new ToolFailure(
      "bad-output",
      "sockperf reported half of the round trip; expected --full-rtt output",
    );
  }
  return {
    kind: "round-trip",
    samples: number(/Total (\d+) observations/.exec(text)),
    mean: number(average),
    stddev: number([average[0], average[2] ?? ""]),
    min: observation(text, "<MIN> observation"),
    max: observation(text, "<MAX> observation"),
    p50: percentile(text, 50),
    p90: percentile(text, 90),
    p99: percentile(text, 99),
    p999: percentile(text, 99.9),
  };
}

function readCounts(text: string): Partial<Measurement> {
  const run = /\[Valid Duration\] RunTime=([\d.]+) sec; SentMessages=(\d+)/.exec(text);
  return {
    durationSeconds: number(run),
    packets: number(run === null ? null : [run[0], run[2] ?? ""]),
    lostPackets: number(/# dropped messages = (\d+)/.exec(text)),
    outOfOrderPackets: number(/# out-of-order messages = (\d+)/.exec(text)),
  };
}

/** Printed with two or three decimals; high percentiles are left out if there are few observations. */
function percentile(text: string, percent: number): number | null {
  const all = [...text.matchAll(/---> percentile ([\d.]+) =\s*([\d.]+)/g)];
  const found = all.find((match) => Number(match[1]) === percent);
  return number(found === undefined ? null : [found[0], found[2] ?? ""]);
}

function observation(text: string, name: string): number | null {
  return number(new RegExp(`---> ${name} =\\s*([\\d.]+)`).exec(text));
}

/** The first group of a match; null without a match or a number. */
function number(match: readonly string[] | null): number | null {
  const value = Number(match?.[1] || Number.NaN);
  return Number.isFinite(value) ? value : null;
}

/** sockperf writes errors to stdout, and exits with 0 after some. */
function failureOf(text: string, { case: asked, stderr, exitCode }: ParseContext<SockperfCase>): ToolFailure {
  const nothing = /No (?:messages were received|valid observations found).*/.exec(text)?.[0];
  if (nothing !== undefined) {
    return new ToolFailure("nothing-received", `${nothing}; ${stopped(asked)}`);
  }
  const said = /ERROR: (.+)/.exec(text)?.[1] ?? lastLine(stderr);
  if (said !== "") {
    return failureFromText(said);
  }
  const message = `sockperf ended with status ${exitCode} and without a result; its output: ${excerpt(text)}`;
  return new ToolFailure("bad-output", message);
}
