/** Multiplies the rates of a plan before its cases get their ids, so that an id tells the rate that runs. */
import { parseBitRate } from "./quantities.ts";

const RATE_KEYS = ["bitrate", "minBitrate", "maxBitrate"];

/** A written case with its rates multiplied. Invalid rates stay, for the case's own check to report. */
export function scaleRates(input: unknown, factor: number): unknown {
  if (factor === 1 || typeof input !== "object" || input === null) {
    return input;
  }
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      if (RATE_KEYS.includes(key)) {
        return [key, Array.isArray(value) ? value.map((one) => scale(one, factor)) : scale(value, factor)];
      }
      return [key, key === "load" ? scaleRates(value, factor) : value];
    }),
  );
}

function scale(value: unknown, factor: number): unknown {
  const rate = parseBitRate(value);
  return rate === undefined || rate === 0 ? value : Math.round(rate * factor);
}
