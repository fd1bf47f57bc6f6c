/**
 * Time of a case in which nothing got through.
 *
 * @module
 */
import type { Measurement, Outage } from "../results/measurement.ts";

/** Seconds of silence that count as an outage: shorter ones are a retransmission's time-out. */
const LEAST_SECONDS = 1;

/** The measurement with the outages that its series shows, where its tool tells of none itself. */
export function withOutages(measurement: Measurement): Measurement {
  return measurement.outages !== null || measurement.series.length === 0
    ? measurement
    : { ...measurement, outages: outagesOf(measurement.series) };
}

/** Intervals in which nothing arrived, those that follow each other as one. */
export function outagesOf(series: Measurement["series"]): Outage[] {
  const found: { startSeconds: number; endSeconds: number }[] = [];
  for (const { startSeconds, endSeconds, bitsPerSecond } of series) {
    const last = found.at(-1);
    if (bitsPerSecond !== 0) {
      continue;
    }
    if (last !== undefined && startSeconds - last.endSeconds < LEAST_SECONDS / 2) {
      last.endSeconds = endSeconds;
    } else {
      found.push({ startSeconds, endSeconds });
    }
  }
  return found
    .map(({ startSeconds, endSeconds }) => ({ startSeconds, seconds: round(endSeconds - startSeconds) }))
    .filter(({ seconds }) => seconds >= LEAST_SECONDS);
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}
