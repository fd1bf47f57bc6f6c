import { z } from "zod";
import type { BaseCase } from "../../plan/case.ts";
import { iperf3 } from "../iperf3/index.ts";
import type { Iperf3Case } from "../iperf3/plan.ts";
import { probeOutput } from "../shared/probe-output.ts";
import { type ParseContext, type Tool, ToolFailure } from "../tool.ts";

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
export function parseBoth<C extends BaseCase>(
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
