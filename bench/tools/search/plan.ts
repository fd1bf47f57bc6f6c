/** The plan's section for a search, and the cases that it makes. */
import { z } from "zod";
import { caseFields } from "../../plan/case.ts";
import { caseId, product } from "../../plan/case-id.ts";
import {
  caseInput,
  datagramBytes,
  direction,
  duration,
  OFFERED_RATE_ALLOWED,
  offeredRate,
  omitSeconds,
  oneOf,
  optional,
  percent,
  streams,
  sweep,
  whole,
} from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { bitRateText } from "../../plan/quantities.ts";
import { finite, orNull, strictObject, wholeOrNull } from "../../schema.ts";

const goalSchema = strictObject("searchGoalCase", "A further goal of a search case.", {
  lossPercent: finite.describe("Share of its datagrams that a trial may lose and still pass."),
  durationSeconds: z.int().describe("Seconds of a trial."),
  durationSumSeconds: z.int().describe("Seconds of all trials at a rate."),
  exceedPercent: finite.describe("Share of that time in which trials may lose more."),
});

export const caseSchema = strictObject("searchCase", "A case of search.", {
  ...caseFields,
  tool: z.literal("search").describe("The tool."),
  goal: z.enum(["ndr", "pdr", "ndr-pdr", "peak"]).describe("What is searched for; see the plan's `goal`."),
  protocol: z.enum(["tcp", "udp"]).describe("Protocol of the traffic."),
  datagramBytes: wholeOrNull.describe("UDP payload; null: iperf3's choice, which fits the path's MTU."),
  streams: wholeOrNull.describe("Parallel streams, in a search for a rate."),
  minBitsPerSecond: orNull.describe("The lowest rate offered, all streams together."),
  maxBitsPerSecond: orNull.describe("The first trial's rate, all streams together."),
  lossPercent: orNull.describe("Share of its datagrams that a trial may lose and still pass."),
  pdrLossPercent: orNull.describe("The same for the second figure of `ndr-pdr`."),
  durationSumSeconds: wholeOrNull.describe("How long a rate is tried before it counts."),
  exceedPercent: orNull.describe("Share of `durationSumSeconds` in which trials may lose more."),
  moreGoals: z.array(goalSchema).nullable().describe("Further goals of the same search. Null: none."),
  precisionPercent: finite.describe(
    "In a search for a rate: how far the figure may be below a rate that is too high; `peak`: what counts as noise.",
  ),
  confirmations: wholeOrNull.describe("Trials of `peak` that repeat the figure."),
  maxTrials: z.int().describe("Most trials of the search."),
  maxStreams: wholeOrNull.describe("Most streams that `peak` tries."),
});
/** A case of search. */
export type SearchCase = z.infer<typeof caseSchema>;

const goalInput = strictObject("searchGoal", "A further goal of a search.", {
  lossPercent: percent(0, 50).describe("Share of its datagrams that a trial may lose and still pass."),
  durationSeconds: duration.describe("How long each trial lasts."),
  durationSumSeconds: optional(
    whole(1, 3600, "seconds"),
    "How long a rate is tried before it counts.",
    "21, or a trial's duration where that is longer",
  ),
  exceedPercent: optional(percent(0, 90), "Share of that time in which more than the bound may be lost.", 50),
});

export const input = strictObject(
  "searchInput",
  "The highest rate with no more loss than a bound, or the number of streams that carries most, by trials of " +
    "iperf3.",
  {
    /** `durationSeconds` applies to each trial. */
    ...caseInput,
    tool: z.literal("search").describe("The tool."),
    goal: oneOf("ndr", "pdr", "ndr-pdr", "peak").describe(
      "`ndr`, `pdr`: the highest UDP rate without loss, with little loss; `ndr-pdr`: both, in less time than one " +
        "after the other; `peak`: the best number of TCP streams.",
    ),
    direction: optional(sweep(direction), "Direction of the data.", "`egress`"),
    datagramBytes: optional(
      sweep(datagramBytes),
      "UDP payload, in a search for a rate.",
      "iperf3's choice, which fits the path's MTU",
    ),
    streams: optional(streams, "Parallel streams, in a search for a rate.", 1),
    minBitrate: optional(
      offeredRate,
      "The lowest rate offered, all streams together.",
      "a thousandth of `maxBitrate`",
    ),
    maxBitrate: optional(
      offeredRate,
      "The first trial's rate, all streams together; required in a search for a rate.",
    ),
    lossPercent: optional(
      percent(0, 50),
      "Loss bound, in a search for a rate; the first bound of `ndr-pdr`.",
      "0, for `pdr` 0.5",
    ),
    pdrLossPercent: optional(percent(0, 50), "Second loss bound of `ndr-pdr`.", 0.5),
    durationSumSeconds: optional(
      whole(1, 3600, "seconds"),
      "How long a rate is tried before it counts.",
      "21, or a trial's duration where that is longer",
    ),
    exceedPercent: optional(
      percent(0, 90),
      "Share of that time in which more than the bound may be lost.",
      50,
    ),
    moreGoals: optional(
      z
        .array(goalInput, { error: "a list of goals" })
        .min(1, { error: "one goal at least" })
        .max(4, { error: "4 goals at most" }),
      "Further goals of the same search for a rate, with their own loss bounds and durations.",
    ),
    precisionPercent: optional(
      percent(0.1, 50),
      "In a search for a rate: how close to a rate that is too high the search ends; `peak`: which differences count as noise.",
      1,
    ),
    confirmations: optional(
      whole(0, 10, "trials"),
      "Trials that repeat the figure; for rates they lengthen the default of `durationSumSeconds`.",
      "1, of rates 0",
    ),
    maxTrials: optional(
      whole(1, 120, "trials"),
      "Most trials of the search.",
      "24; for rates 4 more for each trial that `durationSumSeconds` takes, 120 at most",
    ),
    maxStreams: optional(streams, "Most streams that `peak` tries.", "128, iperf3's own limit"),
    omitSeconds: optional(omitSeconds, "Warm-up before each trial's `durationSeconds`.", 0),
  },
);
/** The plan's search section, checked. */
export type Input = z.output<typeof input>;

/** Factor from a search's lowest to its highest rate: three decades, which geometric bisection crosses in ten trials. */
const DEFAULT_RATE_RANGE = 1000;
const DEFAULT_LOSS_PERCENT = { ndr: 0, pdr: 0.5, "ndr-pdr": 0 } as const;
const DEFAULT_PDR_LOSS_PERCENT = 0.5;
/** The value of the working group's draft and of FD.io CSIT. */
const DEFAULT_DURATION_SUM_SECONDS = 21;
const DEFAULT_EXCEED_PERCENT = 50;
const DEFAULT_TRIALS = 24;
const MOST_TRIALS = 120;

/** A sweep over direction and datagram length. @throws {PlanError} */
export function expand(input: Input, where: string): SearchCase[] {
  checkSearch(input, where);
  const { goal, direction, datagramBytes, durationSeconds } = input;
  const bounds = goal === "peak" ? boundsOfPeak(input) : boundsOfRate(input, goal);
  const protocol = goal === "peak" ? "tcp" : "udp";
  const { streams } = bounds;
  return product({
    direction: direction?.values ?? ["egress" as const],
    datagramBytes: datagramBytes?.values ?? [null],
  }).map((values) => ({
    id: caseId(input.id, [
      { text: protocol, swept: false, unusual: true },
      { text: values.direction, swept: direction?.swept, unusual: true },
      {
        text: `${values.datagramBytes}B`,
        swept: datagramBytes?.swept,
        unusual: values.datagramBytes !== null,
      },
      { text: `p${streams}`, swept: false, unusual: (streams ?? 1) > 1 },
      { text: goal, swept: false, unusual: true },
    ]),
    tool: "search",
    goal,
    protocol,
    ...values,
    ...bounds,
    precisionPercent: input.precisionPercent ?? 1,
    durationSeconds,
    omitSeconds: input.omitSeconds ?? 0,
  }));
}

function boundsOfPeak({ confirmations = 1, maxTrials = DEFAULT_TRIALS, maxStreams = 128 }: Input) {
  const ofRates = { streams: null, minBitsPerSecond: null, maxBitsPerSecond: null, lossPercent: null };
  const sums = { pdrLossPercent: null, durationSumSeconds: null, exceedPercent: null, moreGoals: null };
  return { ...ofRates, ...sums, confirmations, maxTrials, maxStreams };
}

function boundsOfRate(input: Input, goal: Exclude<Input["goal"], "peak">) {
  const { durationSeconds, confirmations = 0, maxBitrate = null } = input;
  const least = maxBitrate && Math.ceil(maxBitrate / DEFAULT_RATE_RANGE);
  const durationSumSeconds =
    input.durationSumSeconds ?? Math.max(DEFAULT_DURATION_SUM_SECONDS, (1 + confirmations) * durationSeconds);
  const moreGoals = input.moreGoals?.map((one) => ({
    ...one,
    durationSumSeconds: one.durationSumSeconds ?? Math.max(DEFAULT_DURATION_SUM_SECONDS, one.durationSeconds),
    exceedPercent: one.exceedPercent ?? DEFAULT_EXCEED_PERCENT,
  }));
  const rounds = [{ durationSumSeconds, durationSeconds }, ...(moreGoals ?? [])].map((one) =>
    Math.ceil(one.durationSumSeconds / one.durationSeconds),
  );
  const maxTrials = DEFAULT_TRIALS + 4 * rounds.reduce((sum, one) => sum + one, 0);
  return {
    streams: input.streams ?? 1,
    minBitsPerSecond: input.minBitrate ?? least,
    maxBitsPerSecond: maxBitrate,
    lossPercent: input.lossPercent ?? DEFAULT_LOSS_PERCENT[goal],
    pdrLossPercent: goal === "ndr-pdr" ? (input.pdrLossPercent ?? DEFAULT_PDR_LOSS_PERCENT) : null,
    durationSumSeconds,
    exceedPercent: input.exceedPercent ?? DEFAULT_EXCEED_PERCENT,
    moreGoals: moreGoals ?? null,
    confirmations: null,
    maxTrials: input.maxTrials ?? Math.min(maxTrials, MOST_TRIALS),
    maxStreams: null,
  };
}

const rateKeys = [
  "datagramBytes",
  "streams",
  "minBitrate",
  "maxBitrate",
  "lossPercent",
  "durationSumSeconds",
  "exceedPercent",
  "moreGoals",
] as const;
const unsuitableKeys = {
  ndr: ["maxStreams", "pdrLossPercent"],
  pdr: ["maxStreams", "pdrLossPercent"],
  "ndr-pdr": ["maxStreams"],
  peak: [...rateKeys, "pdrLossPercent"],
} as const satisfies Record<Input["goal"], readonly (keyof Input)[]>;

/** Refuses keys that the goal does not use, so that nobody relies on them. */
function checkSearch(input: Input, where: string): void {
  const { goal, minBitrate, maxBitrate } = input;
  const unsuitable = unsuitableKeys[goal].find((key) => input[key] !== undefined);
  if (unsuitable !== undefined) {
    throw new PlanError(`${where}: ${unsuitable}: got a value, but goal ${goal} ${whyNot(goal, unsuitable)}`);
  }
  if (goal !== "peak" && maxBitrate === undefined) {
    throw new PlanError(`${where}: maxBitrate: got nothing; goal ${goal} needs ${OFFERED_RATE_ALLOWED}`);
  }
  if (minBitrate !== undefined && maxBitrate !== undefined && minBitrate >= maxBitrate) {
    throw new PlanError(
      `${where}: minBitrate: got ${bitRateText(minBitrate)}; expected less than maxBitrate, ${bitRateText(maxBitrate)}`,
    );
  }
}

function whyNot(goal: Input["goal"], key: keyof Input): string {
  if (goal === "peak") {
    return "searches for a number of TCP streams, which go at their own pace; expected with a goal of rates only";
  }
  return key === "pdrLossPercent"
    ? "has one loss bound, lossPercent; expected with goal ndr-pdr only"
    : "searches for a rate; expected with goal peak only";
}
