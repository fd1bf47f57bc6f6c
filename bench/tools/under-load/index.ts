/**
 * Latency under load: a latency tool while iperf3 runs. Not a tool of its own but a way to run one.
 *
 * @module
 */
import { z } from "zod";
import type { BaseCase } from "../../plan/case.ts";
import { commandLine } from "../../shell.ts";
import { iperf3 } from "../iperf3/index.ts";
import type { Iperf3Case } from "../iperf3/plan.ts";
import { agentProgram } from "../shared/agent-program.ts";
import { checkEnded, excerpt, lastLine } from "../shared/failure.ts";
import { parseJsonObject } from "../shared/json-text.ts";
import { rateTitle } from "../shared/title.ts";
import { type ParseContext, type Tool, ToolFailure } from "../tool.ts";
import type { Load } from "./plan.ts";

/** How long the load runs alone before the probe: TCP has left slow start by then. */
const LEAD_SECONDS = 2;
/** How long it goes on after the probe's expected end. */
const TAIL_SECONDS = 2;

const endedSchema = z.object({ stdout: z.string(), stderr: z.string(), exitCode: z.int() });
/** What `under_load.py` prints. The load's stdout is reduced. */
const outputSchema = z.object({
  version: z.literal(1),
  probe: endedSchema,
  load: endedSchema,
  /** The load ran as long as the probe did. */
  covered: z.boolean(),
});

/** The tool of a latency case with its load underneath: the measurement has the load's throughput as well. */
export function underLoad<C extends BaseCase>(probe: Tool<C>, load: Load): Tool<C> {
  const loadOf = (benchCase: C): Iperf3Case => ({
    id: benchCase.id,
    tool: "iperf3",
    ...load,
    datagramBytes: null,
    congestion: null,
    pairs: null,
    omitSeconds: 0,
    durationSeconds: Math.ceil(LEAD_SECONDS + probe.expectedSeconds(benchCase) + TAIL_SECONDS),
  });
  return {
    ...probe,
    executables: [...new Set([...probe.executables, ...iperf3.executables, "python3"])],
    reducer: "none",
    retryOn: iperf3.retryOn,
    command(benchCase, serverAddress) {
      return commandLine([
        ...[...agentProgram("under_load.py"), "--lead", LEAD_SECONDS],
        ...["--load", iperf3.command(loadOf(benchCase), serverAddress)],
        ...["--probe", probe.command(benchCase, serverAddress)],
      ]);
    },
    expectedSeconds: (benchCase) => iperf3.expectedSeconds(loadOf(benchCase)),
    parse: (stdout, context) => parseBoth(probe, loadOf(context.case), stdout, context),
    title: (benchCase) => `${probe.title(benchCase)}, under ${loadTitle(load)}`,
    passesNatAsUdp: (benchCase) => load.protocol === "udp" && probe.passesNatAsUdp(benchCase),
    traffic: () => ({
      askedBitsPerSecond: (load.bitsPerSecond ?? 0) * load.streams,
      direction: load.direction,
    }),
  };
}

/** The probe's latency beside the load's throughput. @throws {ToolFailure} */
function parseBoth<C extends BaseCase>(
  probe: Tool<C>,
  loadCase: Iperf3Case,
  stdout: string,
  context: ParseContext<C>,
): ReturnType<Tool["parse"]> {
  checkEnded(context);
  const output = readOutput(stdout, context);
  const { lostBetweenHosts } = context;
  const { exitCode: loadExitCode, stderr: loadStderr } = output.load;
  const ended = { timedOut: false, exitCode: loadExitCode, stderr: loadStderr, lostBetweenHosts };
  const loaded = loadMeasurement(output.load.stdout, { case: loadCase, ...ended });
  if (!output.covered) {
    throw new ToolFailure("tool-error", "the load ended before the latency was measured");
  }
  const { exitCode, stderr } = output.probe;
  const { measurement, version } = probe.parse(output.probe.stdout, { ...context, exitCode, stderr });
  return { version, measurement: { ...loaded, ...latencyOf(measurement) } };
}

/** `8 streams of TCP egress`. */
function loadTitle({ protocol, direction, streams, bitsPerSecond }: Load): string {
  const count = streams === 1 ? "" : `${streams} streams of `;
  const pace = bitsPerSecond === null ? "" : ` at ${rateTitle(bitsPerSecond)}`;
  return `${count}${protocol.toUpperCase()} ${direction}${pace}`;
}

function latencyOf({ latencyUs, connections, lossByDirection }: ReturnType<Tool["parse"]>["measurement"]) {
  return { latencyUs, connections, lossByDirection };
}

function loadMeasurement(stdout: string, context: ParseContext<Iperf3Case>) {
  try {
    return iperf3.parse(stdout, context).measurement;
  } catch (error) {
    throw error instanceof ToolFailure
      ? new ToolFailure(error.failureClass, `the load: ${error.message}`)
      : error;
  }
}

function readOutput(stdout: string, { stderr, exitCode }: ParseContext): z.infer<typeof outputSchema> {
  const checked = outputSchema.safeParse(parseJsonObject(stdout));
  if (checked.success) {
    return checked.data;
  }
  const reason = lastLine(stderr) || `its output: ${excerpt(stdout)}`;
  throw new ToolFailure(
    "bad-output",
    `the probe under load ended with status ${exitCode} and without a result: ${reason}`,
  );
}
