/**
 * The plan's section for a search, and the cases that it makes.
 *
 * @module
 */
import { z } from "zod";
import { caseFields } from "../../plan/case.ts";
import { caseId, product } from "../../plan/case-id.ts";
import {
  caseInput,
  datagramBytes,
  direction,
  OFFERED_RATE_ALLOWED,
  offeredRate,
  omitSeconds,
  oneOf,
  percent,
  streams,
  sweep,
  whole,
} from "../../plan/fields.ts";
import { PlanError } from "../../plan/plan-error.ts";
import { bitRateText } from "../../plan/quantities.ts";

/**
 * iperf3 again and again: for the highest UDP rate that loses no more than a bound (`ndr`, `pdr`, or both in one pass),
 * or the number of TCP streams that carry most (`peak`). What the other goal has no use for is null.
 */
export const caseSchema = z.strictObject({
  ...caseFields,
  tool: z.literal("search"),
  goal: z.enum(["ndr", "pdr", "ndr-pdr", "peak"]),
  protocol: z.enum(["tcp", "udp"]),
  /** UDP payload; null: iperf3's choice, which fits the path's MTU. */
  datagramBytes: z.int().nullable(),
  streams: z.int().nullable(),
  /** Offered, all streams together. */
  minBitsPerSecond: z.number().nullable(),
  maxBitsPerSecond: z.number().nullable(),
  /** Share of its datagrams that a trial may lose and be good. */
  lossPercent: z.number().nullable(),
  /** Of `ndr-pdr`: the same for the second figure. */
  pdrLossPercent: z.number().nullable(),
  /** Of a rate: for how long it is tried, and what share of that may lose more. */
  durationSumSeconds: z.int().nullable(),
  exceedPercent: z.number().nullable(),
  /** Rates: how far the figure may be below a rate that is too high; `peak`: what counts as noise. */
  precisionPercent: z.number(),
  /** Of `peak`: trials that repeat the figure. */
  confirmations: z.int().nullable(),
  maxTrials: z.int(),
  maxStreams: z.int().nullable(),
});
/** A case of search. */
export type SearchCase = z.infer<typeof caseSchema>;

/** The highest rate with no more loss than a bound, or the number of streams that carries most, by trials of iperf3. */
export const input = z.strictObject({
  /** `durationSeconds` is that of each trial. */
  ...caseInput,
  tool: z.literal("search"),
  /**
   * `ndr`, `pdr`: the highest UDP rate without loss, with little loss; `ndr-pdr`: both, in less time than one after the
   * other; `peak`: the best number of TCP streams.
   */
  goal: oneOf("ndr", "pdr", "ndr-pdr", "peak"),
  /** @default "egress" */
  direction: sweep(direction).optional(),
  /** Of rates: UDP payload. @default iperf3's choice, which fits the path's MTU */
  datagramBytes: sweep(datagramBytes).optional(),
  /** Of rates. @default 1 */
  streams: streams.optional(),
  /** Of rates: all streams together. @default a thousandth of `maxBitrate` */
  minBitrate: offeredRate.optional(),
  /** Required for rates: all streams together; the first trial's rate. */
  maxBitrate: offeredRate.optional(),
  /** Of rates; of `ndr-pdr` the first's. @default 0, for `pdr` 0.5 */
  lossPercent: percent(0, 50).optional(),
  /** Of `ndr-pdr`. @default 0.5 */
  pdrLossPercent: percent(0, 50).optional(),
  /**
   * Of rates: for how long one is tried before it counts. @default 21, or a trial's duration where that is longer
   */
  durationSumSeconds: whole(1, 3600, "seconds").optional(),
  /** Of rates: the share of that time in which more may be lost. @default 50 */
  exceedPercent: percent(0, 90).optional(),
  /** Rates: how close to a rate that is too high; `peak`: what counts as noise. @default 1 */
  precisionPercent: percent(0.1, 50).optional(),
  /** Trials that repeat the figure; of rates they lengthen the default of `durationSumSeconds`. @default 1, of rates 0 */
  confirmations: whole(0, 10, "trials").optional(),
  /** @default 24; for rates 4 more for each trial that `durationSumSeconds` takes, 120 at most */
  maxTrials: whole(1, 120, "trials").optional(),
  /** Of `peak`. @default 128, iperf3's own limit */
  maxStreams: streams.optional(),
  /** Warm-up before each trial's `durationSeconds`. @default 0 */
  omitSeconds: omitSeconds.optional(),
});
/** The plan's search section, checked. */
export type Input = z.output<typeof input>;

/** Highest rate of a search by its lowest: three decades, which halving in proportion crosses in ten trials. */
const DEFAULT_RATE_RANGE = 1000;
const DEFAULT_LOSS_PERCENT = { ndr: 0, pdr: 0.5, "ndr-pdr": 0 } as const;
const DEFAULT_PDR_LOSS_PERCENT = 0.5;
/** As the working group's draft and FD.io CSIT have it. */
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
  const sums = { pdrLossPercent: null, durationSumSeconds: null, exceedPercent: null };
  return { ...ofRates, ...sums, confirmations, maxTrials, maxStreams };
}

function boundsOfRate(input: Input, goal: Exclude<Input["goal"], "peak">) {
  const { durationSeconds, confirmations = 0, maxBitrate = null } = input;
  const least = maxBitrate && Math.ceil(maxBitrate / DEFAULT_RATE_RANGE);
  const durationSumSeconds =
    input.durationSumSeconds ?? Math.max(DEFAULT_DURATION_SUM_SECONDS, (1 + confirmations) * durationSeconds);
  const maxTrials = DEFAULT_TRIALS + 4 * Math.ceil(durationSumSeconds / durationSeconds);
  return {
    streams: input.streams ?? 1,
    minBitsPerSecond: input.minBitrate ?? least,
    maxBitsPerSecond: maxBitrate,
    lossPercent: input.lossPercent ?? DEFAULT_LOSS_PERCENT[goal],
    pdrLossPercent: goal === "ndr-pdr" ? (input.pdrLossPercent ?? DEFAULT_PDR_LOSS_PERCENT) : null,
    durationSumSeconds,
    exceedPercent: input.exceedPercent ?? DEFAULT_EXCEED_PERCENT,
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
] as const;
const unsuitableKeys = {
  ndr: ["maxStreams", "pdrLossPercent"],
  pdr: ["maxStreams", "pdrLossPercent"],
  "ndr-pdr": ["maxStreams"],
  peak: [...rateKeys, "pdrLossPercent"],
} as const satisfies Record<Input["goal"], readonly (keyof Input)[]>;

/** Refuses keys that the goal has no use for: nobody should believe that they did something. */
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
