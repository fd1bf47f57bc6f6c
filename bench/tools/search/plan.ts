/** The plan's section for a search, and the cases that it makes. */
import { z } from "zod";
import { caseId, caseOf, inputOf, product } from "../../plan/case.ts";
import {
  datagramBytes,
  direction,
  duration,
  MOST_STREAMS,
  measuredSeconds,
  OFFERED_RATE_ALLOWED,
  offeredRate,
  omitSeconds,
  oneOf,
  optional,
  optionalWhole,
  type ProgramOption,
  percent,
  streams,
  sweep,
  whole,
} from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { bitRateText } from "../../plan/quantities.ts";
import { finite, orNull, strictObject, wholeOrNull } from "../../schema.ts";

/** The search's options, by name. `duration-sum`: the value of the working group's draft and of FD.io CSIT. */
export const searchOptions = {
  "max-trials": { default: 24, min: 1, max: 120 },
  "precision-percent": { default: 1, min: 0.1, max: 50 },
  confirmations: { default: 1, min: 0, max: 10 },
  streams: { default: 1, min: 1, max: MOST_STREAMS },
  "loss-percent": { default: 0, min: 0, max: 50 },
  "pdr-loss-percent": { default: 0.5, min: 0, max: 50 },
  "duration-sum": { default: 21, min: 1, max: 3600 },
  "exceed-percent": { default: 50, min: 0, max: 90 },
  "max-streams": { default: MOST_STREAMS, min: 1, max: MOST_STREAMS },
} as const satisfies Record<string, ProgramOption>;

export const searchGoals = ["ndr", "pdr", "ndr-pdr", "peak"] as const;

const within = ({ min, max }: ProgramOption) => percent(min, max);
const lossPercent = within(searchOptions["loss-percent"]);
const { default: pdrLoss } = searchOptions["pdr-loss-percent"];
const { default: sumSeconds, min: leastSum, max: mostSum } = searchOptions["duration-sum"];
const durationSumSeconds = optional(
  whole(leastSum, mostSum, "seconds"),
  "How long a rate is tried before it counts.",
  `${sumSeconds}, or a trial's duration where that is longer`,
);
const { default: exceed } = searchOptions["exceed-percent"];
const exceedPercent = optional(
  within(searchOptions["exceed-percent"]),
  "Share of that time in which more than the bound may be lost.",
  exceed,
);
const { default: trials, min: leastTrials, max: mostTrials } = searchOptions["max-trials"];
const { min: leastConfirmations, max: mostConfirmations } = searchOptions.confirmations;
/** Trials that each trial of `durationSumSeconds` adds to the default of `maxTrials`. */
const TRIALS_A_ROUND = 4;
/** Loss bound of each search for a rate. */
const lossOf = { ndr: searchOptions["loss-percent"].default, pdr: pdrLoss, "ndr-pdr": 0 } as const;

const goalSchema = strictObject("searchGoalCase", "A further goal of a search case.", {
  lossPercent: finite.describe("Share of its datagrams that a trial may lose and still pass."),
  durationSeconds: z.int().describe("Seconds of a trial."),
  durationSumSeconds: z.int().describe("Seconds of all trials at a rate."),
  exceedPercent: finite.describe("Share of that time in which trials may lose more."),
});

export const caseSchema = caseOf("search", ["tcp", "udp"], {
  goal: z.enum(searchGoals).describe("What is searched for; see the plan's `goal`."),
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
export type SearchCase = z.infer<typeof caseSchema>;

const goalInput = strictObject("searchGoal", "A further goal of a search.", {
  lossPercent: lossPercent.describe("Share of its datagrams that a trial may lose and still pass."),
  durationSeconds: duration.describe("How long each trial lasts."),
  durationSumSeconds,
  exceedPercent,
});

export const input = inputOf(
  "search",
  "The highest rate with no more loss than a bound, or the number of streams that carries most, by trials of " +
    "iperf3.",
  {
    /** `durationSeconds` applies to each trial. */
    durationSeconds: measuredSeconds,
    goal: oneOf(...searchGoals).describe(
      "`ndr`, `pdr`: the highest UDP rate without loss, with little loss; `ndr-pdr`: both, in less time than one " +
        "after the other; `peak`: the best number of TCP streams.",
    ),
    direction: optional(sweep(direction), "Direction of the data.", "`egress`"),
    datagramBytes: optional(
      sweep(datagramBytes),
      "UDP payload, in a search for a rate.",
      "iperf3's choice, which fits the path's MTU",
    ),
    streams: optionalWhole(searchOptions.streams, "streams", "Parallel streams, in a search for a rate."),
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
      lossPercent,
      "Loss bound, in a search for a rate; the first bound of `ndr-pdr`.",
      `${lossOf.ndr}, for \`pdr\` ${lossOf.pdr}`,
    ),
    pdrLossPercent: optional(
      within(searchOptions["pdr-loss-percent"]),
      "Second loss bound of `ndr-pdr`.",
      pdrLoss,
    ),
    durationSumSeconds,
    exceedPercent,
    moreGoals: optional(
      z
        .array(goalInput, { error: "a list of goals" })
        .min(1, { error: "one goal at least" })
        .max(4, { error: "4 goals at most" }),
      "Further goals of the same search for a rate, with their own loss bounds and durations.",
    ),
    precisionPercent: optional(
      within(searchOptions["precision-percent"]),
      "In a search for a rate: how close to a rate that is too high the search ends; `peak`: which differences count as noise.",
      searchOptions["precision-percent"].default,
    ),
    confirmations: optional(
      whole(leastConfirmations, mostConfirmations, "trials"),
      "Trials that repeat the figure; for rates they lengthen the default of `durationSumSeconds`.",
      `${searchOptions.confirmations.default}, of rates 0`,
    ),
    maxTrials: optional(
      whole(leastTrials, mostTrials, "trials"),
      "Most trials of the search.",
      `${trials}; for rates ${TRIALS_A_ROUND} more for each trial that \`durationSumSeconds\` takes, ${mostTrials} at most`,
    ),
    maxStreams: optional(streams, "Most streams that `peak` tries.", `${MOST_STREAMS}, iperf3's own limit`),
    omitSeconds: optional(omitSeconds, "Warm-up before each trial's `durationSeconds`.", 0),
  },
);
type Input = z.output<typeof input>;

/** Factor from a search's lowest to its highest rate: three decades, which geometric bisection crosses in ten trials. */
const DEFAULT_RATE_RANGE = 1000;

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
      [protocol],
      [values.direction, direction?.swept],
      [`${values.datagramBytes}B`, datagramBytes?.swept, values.datagramBytes !== null],
      [`p${streams}`, false, (streams ?? 1) > 1],
      [goal],
    ]),
    tool: "search",
    goal,
    protocol,
    ...values,
    ...bounds,
    precisionPercent: input.precisionPercent ?? searchOptions["precision-percent"].default,
    durationSeconds,
    omitSeconds: input.omitSeconds ?? 0,
  }));
}

function boundsOfPeak({
  confirmations = searchOptions.confirmations.default,
  maxTrials = trials,
  maxStreams = MOST_STREAMS,
}: Input) {
  const ofRates = { streams: null, minBitsPerSecond: null, maxBitsPerSecond: null, lossPercent: null };
  const sums = { pdrLossPercent: null, durationSumSeconds: null, exceedPercent: null, moreGoals: null };
  return { ...ofRates, ...sums, confirmations, maxTrials, maxStreams };
}

function boundsOfRate(input: Input, goal: Exclude<Input["goal"], "peak">) {
  const { durationSeconds, confirmations = 0, maxBitrate = null } = input;
  const least = maxBitrate && Math.ceil(maxBitrate / DEFAULT_RATE_RANGE);
  const durationSumSeconds =
    input.durationSumSeconds ?? Math.max(sumSeconds, (1 + confirmations) * durationSeconds);
  const moreGoals = input.moreGoals?.map((one) => ({
    ...one,
    durationSumSeconds: one.durationSumSeconds ?? Math.max(sumSeconds, one.durationSeconds),
    exceedPercent: one.exceedPercent ?? exceed,
  }));
  const rounds = [{ durationSumSeconds, durationSeconds }, ...(moreGoals ?? [])].map((one) =>
    Math.ceil(one.durationSumSeconds / one.durationSeconds),
  );
  const maxTrials = trials + TRIALS_A_ROUND * rounds.reduce((sum, one) => sum + one, 0);
  return {
    streams: input.streams ?? searchOptions.streams.default,
    minBitsPerSecond: input.minBitrate ?? least,
    maxBitsPerSecond: maxBitrate,
    lossPercent: input.lossPercent ?? lossOf[goal],
    pdrLossPercent: goal === "ndr-pdr" ? (input.pdrLossPercent ?? pdrLoss) : null,
    durationSumSeconds,
    exceedPercent: input.exceedPercent ?? exceed,
    moreGoals: moreGoals ?? null,
    confirmations: null,
    maxTrials: input.maxTrials ?? Math.min(maxTrials, mostTrials),
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
