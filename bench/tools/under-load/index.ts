import { z } from "zod";
import type { BaseCase } from "../../plan/case.ts";
import { commandLine } from "../../shell.ts";
import { iperf3 } from "../iperf3/index.ts";
import type { Iperf3Case } from "../iperf3/plan.ts";
import { agentProgram, probeOutput } from "../shared/probe.ts";
import { rateTitle } from "../shared/title.ts";
import { type ParseContext, type Tool, ToolFailure } from "../tool.ts";
import type { Load } from "./plan.ts";

/** Seconds that the load runs before the probe: TCP has left slow start by then. */
const LEAD_SECONDS = 2;
/** Seconds that the load continues after the probe's expected end. */
const TAIL_SECONDS = 2;

/** The tool of a latency case with a load underneath: the measurement also has the load's throughput. */
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
    retryOn: iperf3.retryOn ?? [],
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
    passesNatAsUdp: (benchCase) => load.protocol === "udp" && (probe.passesNatAsUdp?.(benchCase) ?? false),
    traffic: () => ({
      askedBitsPerSecond: (load.bitsPerSecond ?? 0) * load.streams,
      direction: load.direction,
    }),
    withRate: (benchCase, rate) => ({
      ...benchCase,
      load: { ...load, bitsPerSecond: Math.floor(rate / load.streams) },
    }),
  };
}

/** `8 streams of TCP egress`. */
function loadTitle({ protocol, direction, streams, bitsPerSecond }: Load): string {
  const count = streams === 1 ? "" : `${streams} streams of `;
  const pace = bitsPerSecond === null ? "" : ` at ${rateTitle(bitsPerSecond)}`;
  return `${count}${protocol.toUpperCase()} ${direction}${pace}`;
}

const endedSchema = z.object({ stdout: z.string(), stderr: z.string(), exitCode: z.int() });
/** Output of `under_load.py`. The load's stdout is reduced. */
const outputSchema = z.object({
  version: z.literal(1),
  probe: endedSchema,
  load: endedSchema,
  /** Whether the load ran as long as the probe. */
  covered: z.boolean(),
});

/** The probe's latency beside the load's throughput. @throws {ToolFailure} */
function parseBoth<C extends BaseCase>(
  probe: Tool<C>,
  loadCase: Iperf3Case,
  stdout: string,
  context: ParseContext<C>,
): ReturnType<Tool["parse"]> {
  const output = probeOutput(stdout, context, { schema: outputSchema, program: "the probe under load" });
  const { lostBetweenHosts } = context;
  const { exitCode: loadExitCode, stderr: loadStderr } = output.load;
  const ended = { timedOut: false, exitCode: loadExitCode, stderr: loadStderr, lostBetweenHosts };
  const loaded = loadMeasurement(output.load.stdout, { case: loadCase, ...ended });
  if (!output.covered) {
    throw new ToolFailure("tool-error", "the load ended before the latency was measured");
  }
  const { exitCode, stderr } = output.probe;
  const { measurement, version } = probe.parse(output.probe.stdout, { ...context, exitCode, stderr });
  return { version, measurement: { ...loaded, ...figuresOf(measurement) } };
}

/** The probe's own figures. Outages are the probe's: a load's sender may see none. */
function figuresOf(probed: ReturnType<Tool["parse"]>["measurement"]) {
  const { latencyUs, connections, lossByDirection, outages, requests } = probed;
  const { packets, lostPackets, lostPercent } = probed;
  return {
    ...{ latencyUs, connections, lossByDirection, outages, ...(requests && { requests }) },
    ...(packets !== null && lostPackets !== null && { probeLoss: { packets, lostPackets, lostPercent } }),
  };
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
