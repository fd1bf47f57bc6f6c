import { commandLine, option } from "../../shell.ts";
import { IPERF3_PORT } from "../iperf3/index.ts";
import { agentProgram } from "../shared/probe.ts";
import { flowTitle } from "../shared/title.ts";
import type { Tool } from "../tool.ts";
import { parseSearch } from "./parse.ts";
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
