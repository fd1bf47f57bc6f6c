import { z } from "zod";
import { measurementSchema, searchSchema } from "../../results/measurement.ts";
import { parseIperf3 } from "../iperf3/parse.ts";
import type { Iperf3Case } from "../iperf3/plan.ts";
import { failureFromText } from "../shared/failure.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { probeOutput } from "../shared/probe.ts";
import { type ParseContext, type Tool, ToolFailure } from "../tool.ts";
import type { SearchCase } from "./plan.ts";

/** Output of `search.py`: one JSON document. */
export const searchOutputSchema = searchSchema.extend({
  version: z.literal(1),
  /** The best trial's document, reduced; null: no trial passed. */
  iperf3: z.record(z.string(), z.unknown()).nullable(),
  /** The best trial's packet rates, by its hosts' kernels. Absent: no trial passed. */
  packetRates: measurementSchema.shape.packetRates,
});
/** Output of the agent's search: its trials, and the best one. */
export type SearchOutput = z.infer<typeof searchOutputSchema>;

/** A search's result, with the best trial's figures. @throws {ToolFailure} */
export function parseSearch(stdout: string, context: ParseContext<SearchCase>): ReturnType<Tool["parse"]> {
  const { version: _, iperf3, packetRates, ...found } = readOutput(stdout, context);
  checkMeasured(found.trials);
  if (iperf3 === null) {
    return { measurement: { ...nothingMeasured, search: found }, version: null };
  }
  const streams = context.case.streams ?? found.found ?? 1;
  const best = parseIperf3(JSON.stringify(iperf3), {
    ...context,
    case: trialCase(context.case, streams),
    lostBetweenHosts: lossOf(iperf3, found.trials),
  });
  const counted = packetRates === undefined ? {} : { packetRates };
  return { ...best, measurement: { ...best.measurement, search: found, ...counted } };
}

/** The search's own counts for the document's trial: the hosts' own counters cover all trials. */
function lossOf(
  document: NonNullable<SearchOutput["iperf3"]>,
  trials: SearchOutput["trials"],
): number | null {
  const sent = sentSchema.safeParse(document).data?.end.sum_sent.packets;
  return trials.findLast(({ passed, packets }) => passed && packets === sent)?.lostPackets ?? null;
}

const sentSchema = z.object({ end: z.object({ sum_sent: z.object({ packets: z.number() }) }) });

function trialCase(benchCase: SearchCase, streams: number): Iperf3Case {
  const { id, direction, protocol, datagramBytes, durationSeconds, omitSeconds } = benchCase;
  const common = { id, direction, protocol, datagramBytes, durationSeconds, omitSeconds };
  return { ...common, tool: "iperf3", streams, bitsPerSecond: null, congestion: null, pairs: null };
}

function readOutput(stdout: string, context: ParseContext<SearchCase>): SearchOutput {
  const output = probeOutput(stdout, context, { schema: searchOutputSchema, program: "the search" });
  const { goal, found, iperf3 } = output;
  const [expected] = context.case.goal.split("-");
  const wrong =
    goal !== expected
      ? `is for ${goal}; expected ${expected}`
      : (found === null) !== (iperf3 === null)
        ? `has ${found === null ? "no" : "a"} figure; expected ${found === null ? "no" : "an"} iperf3 document with it`
        : undefined;
  if (wrong !== undefined) {
    throw new ToolFailure("bad-output", `the search's document ${wrong}`);
  }
  return output;
}

/** A search that lost too much at every rate is a result; one without any figure is a failure. */
function checkMeasured(trials: SearchOutput["trials"]): void {
  if (trials.some(({ problem }) => problem === null)) {
    return;
  }
  const reason = trials.at(-1)?.problem ?? "none was run";
  const { failureClass, message } = failureFromText(reason);
  throw new ToolFailure(failureClass, `no trial has figures: ${message}`);
}
