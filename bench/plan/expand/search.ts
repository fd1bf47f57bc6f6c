/**
 * Cases that search.
 *
 * @module
 */
import { PlanError, type SearchCase } from "../plan.ts";
import { type CaseInputs, OFFERED_RATE_ALLOWED } from "../plan-input.ts";
import { bitRateText } from "../quantities.ts";
import { caseId, product } from "./case-id.ts";

/** Highest rate of a search by its lowest: three decades, which halving in proportion crosses in ten trials. */
const DEFAULT_RATE_RANGE = 1000;
const DEFAULT_LOSS_PERCENT = { ndr: 0, pdr: 0.5 } as const;

/** A sweep over direction and datagram length. @throws {PlanError} */
export function expandSearch(input: CaseInputs["search"], where: string): SearchCase[] {
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
function checkSearch(input: CaseInputs["search"], where: string): void {
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
