/**
 * What a person writes for a search, and the cases that it makes.
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
 * iperf3 again and again: for the highest UDP rate that loses no more than a bound (`ndr`, `pdr`), or the number
 * of TCP streams that carry most (`peak`). What the other goal has no use for is null.
 */
export const caseSchema = z.strictObject({
  ...caseFields,
  tool: z.literal("search"),
  goal: z.enum(["ndr", "pdr", "peak"]),
  protocol: z.enum(["tcp", "udp"]),
  /** UDP payload; null: iperf3's choice, which fits the path's MTU. */
  datagramBytes: z.int().nullable(),
  streams: z.int().nullable(),
  /** Offered, all streams together. */
  minBitsPerSecond: z.number().nullable(),
  maxBitsPerSecond: z.number().nullable(),
  /** Share of its datagrams that a trial may lose and pass. */
  lossPercent: z.number().nullable(),
  /** `ndr`, `pdr`: how far the figure may be below a rate that failed; `peak`: what counts as noise. */
  precisionPercent: z.number(),
  /** Trials that repeat the figure. */
  confirmations: z.int(),
  maxTrials: z.int(),
  maxStreams: z.int().nullable(),
});
export type SearchCase = z.infer<typeof caseSchema>;

export const input = z.strictObject({
  /** `durationSeconds` is that of each trial. */
  ...caseInput,
  tool: z.literal("search"),
  /** `ndr`, `pdr`: the highest UDP rate without loss, with little loss; `peak`: the best number of TCP streams. */
  goal: oneOf("ndr", "pdr", "peak"),
  /** @default "egress" */
  direction: sweep(direction).optional(),
  /** Of `ndr`, `pdr`: UDP payload. @default iperf3's choice, which fits the path's MTU */
  datagramBytes: sweep(datagramBytes).optional(),
  /** Of `ndr`, `pdr`. @default 1 */
  streams: streams.optional(),
  /** Of `ndr`, `pdr`: all streams together. @default a thousandth of `maxBitrate` */
  minBitrate: offeredRate.optional(),
  /** Required for `ndr`, `pdr`: all streams together; the first trial's rate. */
  maxBitrate: offeredRate.optional(),
  /** Of `ndr`, `pdr`. @default 0 for `ndr`, 0.5 for `pdr` */
  lossPercent: percent(0, 50).optional(),
  /** `ndr`, `pdr`: how close to a rate that failed; `peak`: what counts as noise. @default 1 */
  precisionPercent: percent(0.1, 50).optional(),
  /** Trials that repeat the figure. @default 1 */
  confirmations: whole(0, 10, "trials").optional(),
  /** @default 24 */
  maxTrials: whole(1, 60, "trials").optional(),
  /** Of `peak`. @default 128, iperf3's own limit */
  maxStreams: streams.optional(),
  /** Warm-up before each trial's `durationSeconds`. @default 0 */
  omitSeconds: omitSeconds.optional(),
});
export type Input = z.output<typeof input>;

/** Highest rate of a search by its lowest: three decades, which halving in proportion crosses in ten trials. */
const DEFAULT_RATE_RANGE = 1000;
const DEFAULT_LOSS_PERCENT = { ndr: 0, pdr: 0.5 } as const;

/** A sweep over direction and datagram length. @throws {PlanError} */
export function expand(input: Input, where: string): SearchCase[] {
  checkSearch(input, where);
  const { goal, direction, datagramBytes, durationSeconds, maxBitrate, maxStreams = 128 } = input;
  const protocol = goal === "peak" ? "tcp" : "udp";
  const maxBitsPerSecond = maxBitrate ?? null;
  const least = maxBitsPerSecond && Math.ceil(maxBitsPerSecond / DEFAULT_RATE_RANGE);
  const minBitsPerSecond = input.minBitrate ?? least;
  const streams = goal === "peak" ? null : (input.streams ?? 1);
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
    streams,
    minBitsPerSecond,
    maxBitsPerSecond,
    lossPercent: goal === "peak" ? null : (input.lossPercent ?? DEFAULT_LOSS_PERCENT[goal]),
    precisionPercent: input.precisionPercent ?? 1,
    confirmations: input.confirmations ?? 1,
    maxTrials: input.maxTrials ?? 24,
    maxStreams: goal === "peak" ? maxStreams : null,
    durationSeconds,
    omitSeconds: input.omitSeconds ?? 0,
  }));
}

/** Refuses keys that the goal has no use for: nobody should believe that they did something. */
function checkSearch(input: Input, where: string): void {
  const { goal, minBitrate, maxBitrate } = input;
  const rateKeys = ["datagramBytes", "streams", "minBitrate", "maxBitrate", "lossPercent"] as const;
  const unsuitable = (goal === "peak" ? rateKeys : (["maxStreams"] as const)).find(
    (key) => input[key] !== undefined,
  );
  if (unsuitable !== undefined) {
    const why =
      goal === "peak"
        ? "searches for a number of TCP streams, which go at their own pace; expected with goal ndr or pdr only"
        : "searches for a rate; expected with goal peak only";
    throw new PlanError(`${where}: ${unsuitable}: got a value, but goal ${goal} ${why}`);
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
