import { z } from "zod";
import { measurementSchema, searchSchema } from "../../results/measurement.ts";
import { commandLine, option } from "../../shell.ts";
import { IPERF3_PORT } from "../iperf3/index.ts";
import { sentPackets } from "../iperf3/loss.ts";
import { iperf3OutputSchema } from "../iperf3/output.ts";
import { parseIperf3 } from "../iperf3/parse.ts";
import type { Iperf3Case } from "../iperf3/plan.ts";
import { failureFromText } from "../shared/failure.ts";
import { nothingMeasured } from "../shared/measurement.ts";
import { agentProgram, probeOutput } from "../shared/probe.ts";
import { flowTitle } from "../shared/title.ts";
import { type ParseContext, type Tool, ToolFailure } from "../tool.ts";
import { caseSchema, expand, input, type SearchCase } from "./plan.ts";

/** Seconds for connecting and exchanging results, in addition to a trial's test. */
const SETUP_SECONDS = 2;

/** A search's goal in titles: a rate within a loss bound means nothing without the bound and the trials' length. */
function goalTitle(benchCase: SearchCase): string {
  const { goal, lossPercent, pdrLossPercent, durationSeconds, moreGoals } = benchCase;
  if (goal === "peak" || lossPercent === null) {
    return "peak search";
  }
  const bounds = [lossPercent, ...(pdrLossPercent === null ? [] : [pdrLossPercent])];
  const own = `${bounds.map(lossTitle).join(" and ")} in trials of ${durationSeconds} s`;
  const more = (moreGoals ?? []).map(
    (one) => `, ${lossTitle(one.lossPercent)} in trials of ${one.durationSeconds} s`,
  );
  return `search for ${own}${more.join("")}`;
}

function lossTitle(percent: number): string {
  return percent === 0 ? "no loss" : `${percent} % of loss`;
}

function longestTrial({ durationSeconds, moreGoals }: SearchCase): number {
  return Math.max(durationSeconds, ...(moreGoals ?? []).map((one) => one.durationSeconds));
}

/** The highest rate within a loss bound, or the best number of streams, found by trials of iperf3. */
export const search: Tool<SearchCase, typeof input> = {
  name: "search",
  input,
  caseSchema,
  expand,

  ports: {},
  services: () => [], // iperf3's own
  executables: ["python3", "iperf3"],

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
      ...option("--more-goals", goalsText(benchCase.moreGoals)),
    ]);
  },

  expectedSeconds: (benchCase) =>
    benchCase.maxTrials * (benchCase.omitSeconds + longestTrial(benchCase) + SETUP_SECONDS),

  // Without retryOn: the search itself asks a busy server again.
  parse: parseSearch,
  flows: ({ streams }, measurement) => streams ?? measurement?.search?.found ?? null,
  passesNatAsUdp: ({ protocol }) => protocol === "udp",
  hasTrials: true,

  traffic: ({ maxBitsPerSecond, direction }) => ({ askedBitsPerSecond: maxBitsPerSecond ?? 0, direction }),
  busySeconds: (benchCase) => benchCase.maxTrials * (longestTrial(benchCase) + benchCase.omitSeconds),

  question: "throughput",
  title: (benchCase) => `${flowTitle(benchCase)}, ${goalTitle(benchCase)}`,
};

/** `loss:trial:sum:exceed` for each goal, the format that the agent reads. */
function goalsText(goals: SearchCase["moreGoals"]): string | null {
  const text = goals?.map((one) =>
    [one.lossPercent, one.durationSeconds, one.durationSumSeconds, one.exceedPercent].join(":"),
  );
  return text?.join(",") ?? null;
}

/** Output of `search.py`: one JSON document. */
export const searchOutputSchema = searchSchema.extend({
  version: z.literal(1),
  /** The best trial's document, reduced; null: no trial passed. */
  iperf3: z.record(z.string(), z.unknown()).nullable(),
  /** The best trial's packet rates, by its hosts' kernels. Absent: no trial passed. */
  packetRates: measurementSchema.shape.packetRates,
});
export type SearchOutput = z.infer<typeof searchOutputSchema>;

/** A search's result, with the best trial's figures. @throws {ToolFailure} */
function parseSearch(stdout: string, context: ParseContext<SearchCase>): ReturnType<Tool["parse"]> {
  const { version: _, iperf3, packetRates, ...found } = readOutput(stdout, context);
  checkMeasured(found.trials);
  if (iperf3 === null) {
    return { measurement: { ...nothingMeasured, search: found }, version: null };
  }
  const streams = context.case.streams ?? found.found ?? 1;
  const best = parseIperf3(JSON.stringify(iperf3), {
    ...context,
    case: trialCase(context.case, streams),
    // The hosts' own counters cover all trials.
    ...{ lostBetweenHosts: lossOf(iperf3, found.trials), arrivedDatagrams: null, testDatagrams: null },
  });
  const counted = packetRates === undefined ? {} : { packetRates };
  return { ...best, measurement: { ...best.measurement, search: found, ...counted } };
}

/** The search's own count for the document's trial. */
function lossOf(
  document: NonNullable<SearchOutput["iperf3"]>,
  trials: SearchOutput["trials"],
): number | null {
  const sent = sentPackets(iperf3OutputSchema.safeParse(document).data ?? {});
  return trials.findLast(({ passed, packets }) => passed && packets === sent)?.lostPackets ?? null;
}

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
