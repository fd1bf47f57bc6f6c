/**
 * Searches: iperf3 again and again, for a rate or a number of streams. The host agent's `search.py` decides what
 * to try next, so that a search is one command and its trials follow each other at once.
 *
 * @module
 */
import { z } from "zod";
import { searchSchema } from "../../results/measurement.ts";
import { commandLine } from "../../shell.ts";
import { IPERF3_PORT } from "../iperf3/index.ts";
import { parseIperf3 } from "../iperf3/parse.ts";
import type { Iperf3Case } from "../iperf3/plan.ts";
import { agentProgram } from "../shared/agent-program.ts";
import { checkEnded, excerpt, failureFromText, lastLine } from "../shared/failure.ts";
import { parseJsonObject } from "../shared/json-text.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { flowTitle } from "../shared/title.ts";
import { type ParseContext, type Tool, ToolFailure } from "../tool.ts";
import { caseSchema, expand, input, type SearchCase } from "./plan.ts";

/** Seconds that connecting and the exchange of results may take besides a trial's test. */
const SETUP_SECONDS = 2;

/** What `search.py` prints: one JSON document. */
export const searchOutputSchema = searchSchema.extend({
  version: z.literal(1),
  /** The best trial's document, reduced; null: no trial passed. */
  iperf3: z.record(z.string(), z.unknown()).nullable(),
});
/** What the agent's search prints: its trials, and its best. */
export type SearchOutput = z.infer<typeof searchOutputSchema>;

/** In titles. */
const goals = {
  ndr: "no-drop search",
  pdr: "bounded-loss search",
  "ndr-pdr": "no-drop and bounded-loss search",
  peak: "peak search",
} as const;

/** The highest rate with no more loss than a bound, or the number of streams that carries most, by trials of iperf3. */
export const search: Tool<SearchCase, typeof input> = {
  name: "search",
  input,
  caseSchema,
  expand,

  ports: {},
  services: () => [], // iperf3's own
  executables: ["python3", "iperf3"],
  reducer: "none",
  retryOn: [], // it asks a busy server again itself

  command(benchCase, serverAddress) {
    const { goal, direction, durationSeconds, omitSeconds } = benchCase;
    return commandLine([
      ...[...agentProgram("search.py"), "--goal", goal],
      ...["--address", serverAddress, "--port", IPERF3_PORT],
      ...["--direction", direction, "--duration", durationSeconds, "--omit", omitSeconds],
      ...["--seconds", search.expectedSeconds(benchCase), "--max-trials", benchCase.maxTrials],
      ...["--precision-percent", benchCase.precisionPercent],
      ...option("--confirmations", benchCase.confirmations),
      ...option("--min-rate", benchCase.minBitsPerSecond),
      ...option("--max-rate", benchCase.maxBitsPerSecond),
      ...option("--streams", benchCase.streams),
      ...option("--bytes", benchCase.datagramBytes),
      ...option("--loss-percent", benchCase.lossPercent),
      ...option("--pdr-loss-percent", benchCase.pdrLossPercent),
      ...option("--duration-sum", benchCase.durationSumSeconds),
      ...option("--exceed-percent", benchCase.exceedPercent),
      ...option("--max-streams", benchCase.maxStreams),
    ]);
  },

  expectedSeconds({ durationSeconds, omitSeconds, maxTrials }) {
    return maxTrials * (omitSeconds + durationSeconds + SETUP_SECONDS);
  },

  parse(stdout, context) {
    checkEnded(context);
    const { version: _, iperf3, ...found } = readOutput(stdout, context);
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
    return { ...best, measurement: { ...best.measurement, search: found } };
  },
  flows: ({ streams }, measurement) => streams ?? measurement?.search?.found ?? null,
  passesNatAsUdp: ({ protocol }) => protocol === "udp",

  traffic({ maxBitsPerSecond, direction }) {
    return { askedBitsPerSecond: maxBitsPerSecond ?? 0, direction };
  },
  busySeconds({ maxTrials, durationSeconds, omitSeconds }) {
    return maxTrials * (durationSeconds + omitSeconds);
  },

  question: "throughput",
  title: (benchCase) => `${flowTitle(benchCase)}, ${goals[benchCase.goal]}`,
};

/** What the search counted for the trial that the document is of: the hosts' own counters are those of all trials. */
function lossOf(
  document: NonNullable<SearchOutput["iperf3"]>,
  trials: SearchOutput["trials"],
): number | null {
  const sent = sentSchema.safeParse(document).data?.end.sum_sent.packets;
  return trials.findLast(({ passed, packets }) => passed && packets === sent)?.lostPackets ?? null;
}

const sentSchema = z.object({ end: z.object({ sum_sent: z.object({ packets: z.number() }) }) });

function option(name: string, value: number | null): (string | number)[] {
  return value === null ? [] : [name, value];
}

/** The best trial as if it had been a case. */
function trialCase(benchCase: SearchCase, streams: number): Iperf3Case {
  const { id, direction, protocol, datagramBytes, durationSeconds, omitSeconds } = benchCase;
  const common = { id, direction, protocol, datagramBytes, durationSeconds, omitSeconds };
  return { ...common, tool: "iperf3", streams, bitsPerSecond: null, congestion: null, pairs: null };
}

function readOutput(stdout: string, context: ParseContext<SearchCase>): SearchOutput {
  const { stderr, exitCode } = context;
  const checked = searchOutputSchema.safeParse(parseJsonObject(stdout));
  if (!checked.success) {
    const reason = lastLine(stderr) || `its output: ${excerpt(stdout)}`;
    const message = `the search ended with status ${exitCode} and without a result: ${reason}`;
    throw new ToolFailure("bad-output", message);
  }
  const { goal, found, iperf3 } = checked.data;
  const [expected] = context.case.goal.split("-");
  const wrong =
    goal !== expected
      ? `is for ${goal}; expected ${expected}`
      : (found === null) !== (iperf3 === null)
        ? `has ${found === null ? "found nothing" : "a figure"}; expected ${found === null ? "no" : "its"} iperf3 document`
        : undefined;
  if (wrong !== undefined) {
    throw new ToolFailure("bad-output", `the search's document ${wrong}`);
  }
  return checked.data;
}

/** A search that lost too much everywhere is a result; one without any figure is a failure. */
function checkMeasured(trials: SearchOutput["trials"]): void {
  if (trials.some(({ problem }) => problem === null)) {
    return;
  }
  const reason = trials.at(-1)?.problem ?? "none was run";
  const { failureClass, message } = failureFromText(reason);
  throw new ToolFailure(failureClass, `none of ${trials.length} trials has figures: ${message}`);
}
