import { commandLine } from "../../shell.ts";
import { IPERF3_PORT } from "../iperf3/index.ts";
import { agentProgram } from "../shared/agent-program.ts";
import { flowTitle } from "../shared/title.ts";
import type { Tool } from "../tool.ts";
import { parseSearch } from "./parse.ts";
import { caseSchema, expand, input, type SearchCase } from "./plan.ts";

/** Seconds that connecting and the exchange of results may take besides a trial's test. */
const SETUP_SECONDS = 2;

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

  parse: parseSearch,
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

function option(name: string, value: number | null): (string | number)[] {
  return value === null ? [] : [name, value];
}
