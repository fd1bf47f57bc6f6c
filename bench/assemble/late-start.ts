/** Delay from a tool's start to a pair's first data: a connection's first SYN may be lost. */
import type { RunReport } from "../../agent/protocol.ts";
import type { Case } from "../plan/plan.ts";
import { median } from "../statistics/sample.ts";
import { busyAmong, samplesOf, spacingOf } from "./arrived.ts";

/** A lost SYN is sent again after a second (RFC 6298); a shorter delay comes from a busy machine. */
const LEAST_LATE_MS = 800;
/** Longest delay that a connection's retries explain; a longer one means that a clock was set. */
const MOST_LATE_MS = 30_000;
/** Samples' time stamps are whole seconds, so on average half a second early. */
const STAMP_LATE_MS = 500;

/**
 * Milliseconds from the tool's start to each pair's first data, minus the shortest such delay of all pairs. A tool whose first SYN
 * was lost runs a second longer, and its figures cover a later second. Where the path was dead at the end, a tool waits for the
 * last answers instead: the client's samples then show when data began. Usual differences between tools count as 0.
 */
export function latenessOf(
  { durationSeconds, omitSeconds }: Pick<Case, "durationSeconds" | "omitSeconds">,
  reports: readonly (RunReport | null)[],
): number[] {
  const beside = reports.map((report) => {
    const { startedAt, finishedAt } = report?.attempts.at(-1) ?? {};
    const ran = Date.parse(finishedAt ?? "") - Date.parse(startedAt ?? "");
    const more = ran - 1000 * (durationSeconds + omitSeconds);
    return more >= 0 && more <= MOST_LATE_MS ? more : null;
  });
  const least = Math.min(...beside.filter((one) => one !== null));
  return beside.map((one, index) => {
    const late = one === null ? 0 : one - least;
    const began = firstDataMs(reports[index] ?? null);
    const isAtEnd = began !== null && began + STAMP_LATE_MS <= late / 2;
    return late < LEAST_LATE_MS || isAtEnd ? 0 : late;
  });
}

/** Milliseconds from the tool's start to the first sample with the test's traffic, up to a second too early; null: unknown. */
function firstDataMs(report: RunReport | null): number | null {
  const samples = samplesOf(report?.hosts ?? [], "client");
  const rates = samples.map((one) => Math.max(one.receivedBitsPerSecond, one.sentBitsPerSecond));
  const isBusy = busyAmong(rates);
  const [first, started] = [rates.findIndex(isBusy), Date.parse(report?.attempts.at(-1)?.startedAt ?? "")];
  const [sample, rate] = [samples[first], rates[first]];
  if (spacingOf(samples) !== 1 || sample === undefined || rate === undefined || Number.isNaN(started)) {
    return null;
  }
  return Date.parse(sample.at) - 1000 * Math.min(1, rate / median(rates.filter(isBusy))) - started;
}
