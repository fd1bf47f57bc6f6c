/** Sums the measurements of a case's pairs into the result of the case. */
import type { RunReport } from "../agent/protocol.ts";
import type { Case } from "../plan/plan.ts";
import type { CaseResult, Failure, HostUsage, Measurement, PairResult } from "../results/index.ts";
import { busyOf, isOneEgressTest, samplesOf, spacingOf } from "./arrived.ts";
import { sumMeasurements, type Timed } from "./sum-measurements.ts";

/** One client and its server in a case of several pairs. */
export interface PairRun {
  /** Names of the hosts. */
  readonly client: string;
  readonly server: string;
  /** Null: it did not run. */
  readonly report: RunReport | null;
}

/** One pair's outcome, its output parsed. */
export interface PairOutcome extends PairRun {
  readonly failure: Failure | null;
  readonly measurement: Measurement | null;
}

/** The parts of a case's result that follow from its pairs. */
export type PairsResult = Pick<CaseResult, "failure" | "measurement" | "pairs" | "hosts">;

/** Pairs' figures only add up if the pairs ran together: at most a tenth of the case may lie outside the others' time. */
const MAX_SKEW_SHARE = 0.1;
const MAX_SKEW_MS = 1000;
/** Skew that is always allowed: a process takes this long to start on a busy machine. */
const ALWAYS_ALLOWED_SKEW_MS = 250;

/** Milliseconds that a pair may start after the first one: a tenth of the duration, 250 at least, 1000 at most. */
export function allowedSkewMs({ durationSeconds }: Pick<Case, "durationSeconds">): number {
  return Math.min(MAX_SKEW_MS, Math.max(ALWAYS_ALLOWED_SKEW_MS, durationSeconds * 1000 * MAX_SKEW_SHARE));
}

/** Sums the pairs of a case, in their order. One failed pair fails the case; what the others measured stays. */
export function sumPairs(benchCase: Case, outcomes: readonly PairOutcome[]): PairsResult {
  const starts = skewsOf(outcomes);
  const reports = outcomes.map(({ report }) => report);
  const late = latenessOf(benchCase, reports);
  const judged = outcomes.map((outcome, index) => {
    const startMs = starts[index] ?? null;
    return {
      ...outcome,
      skewMs: startMs === null ? null : round(startMs + (late[index] ?? 0)),
      failure: outcome.failure ?? skewFailure(benchCase, startMs),
    };
  });
  const parts = judged.flatMap(({ failure, measurement, skewMs, report }) =>
    failure === null && measurement !== null && skewMs !== null
      ? [{ measurement, skewMs, arrived: arrivedSeries(benchCase, report?.hosts ?? []) }]
      : [],
  );
  return {
    failure: caseFailure(judged),
    measurement: parts.length === outcomes.length ? sumMeasurements(parts) : null,
    pairs: judged.map(pairResult),
    hosts: hostsOf(outcomes),
  };
}

/** How long after the first pair each one started; null where it did not. */
function skewsOf(outcomes: readonly PairOutcome[]): (number | null)[] {
  const starts = outcomes.map(({ report }) => report?.startedAfterMs ?? null);
  const first = Math.min(...starts.filter((start) => start !== null));
  return starts.map((start) => (start === null ? null : round(start - first)));
}

function skewFailure(benchCase: Case, skewMs: number | null): Failure | null {
  const allowed = allowedSkewMs(benchCase);
  if (skewMs === null) {
    return { class: "bad-output", message: "its agent did not report when the tool started", stderrTail: "" };
  }
  const message = `it started ${skewMs} ms after the first pair, and ${allowed} ms are allowed: the sum would add figures of different times`;
  return skewMs > allowed ? { class: "tool-error", message, stderrTail: "" } : null;
}

/** The failure that caused the others: where one pair stays away, the others fail too. */
function caseFailure(outcomes: readonly PairOutcome[]): Failure | null {
  const failed = outcomes.flatMap((outcome, index) =>
    outcome.failure === null ? [] : [{ ...outcome, failure: outcome.failure, number: index + 1 }],
  );
  const toBlame = failed.find(({ failure }) => !["host-lost", "not-run"].includes(failure.class));
  const one = toBlame ?? failed.find(({ failure }) => failure.class === "host-lost") ?? failed[0];
  if (one === undefined) {
    return null;
  }
  const where = `pair ${one.number} of ${outcomes.length} (${one.client} to ${one.server})`;
  const others = failed.length > 1 ? ` (${failed.length} pairs failed)` : "";
  return { ...one.failure, message: `${where}: ${one.failure.message}${others}` };
}

function pairResult(outcome: PairOutcome & { readonly skewMs: number | null }): PairResult {
  const { client, server, failure, measurement, report, skewMs } = outcome;
  return {
    client,
    server,
    failure,
    sourceIp: report?.sourceIp ?? null,
    bitsPerSecond: measurement?.bitsPerSecond ?? null,
    sentBitsPerSecond: measurement?.sentBitsPerSecond ?? null,
    lostPackets: measurement?.lostPackets ?? null,
    packets: measurement?.packets ?? null,
    retransmits: measurement?.retransmits ?? null,
    outages: measurement?.outages ?? null,
    startSkewMs: skewMs,
  };
}

/** Each host once, by the report of the first pair that sampled it. */
function hostsOf(outcomes: readonly PairOutcome[]): HostUsage[] {
  const hosts = outcomes.flatMap(({ report }) => report?.hosts ?? []);
  return hosts.filter((one, at) => hosts.findIndex(({ host }) => host === one.host) === at);
}

/** Tenths of a millisecond, the precision of the hosts' clocks. */
function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

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
function latenessOf(
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
  const busy = busyOf(samples.map((one) => Math.max(one.receivedBitsPerSecond, one.sentBitsPerSecond)));
  const started = Date.parse(report?.attempts.at(-1)?.startedAt ?? "");
  const sample = samples[busy?.first ?? -1];
  return busy === null || sample === undefined || spacingOf(samples) !== 1 || Number.isNaN(started)
    ? null
    : Date.parse(sample.at) - 1000 * busy.firstShare - started;
}

/**
 * Bits that the server received, timed from the start of the measured part. The first sample with traffic covers the same share
 * of the test's first second as its rate is of the usual rate. Null: not UDP egress, or the samples cannot decide.
 */
export function arrivedSeries(benchCase: Case, hosts: readonly HostUsage[]): Timed[] | null {
  const { durationSeconds, omitSeconds } = benchCase;
  const samples = samplesOf(hosts, "server");
  const rates = samples.map(({ receivedBitsPerSecond }) => receivedBitsPerSecond);
  const busy = busyOf(rates);
  if (busy === null || !isOneEgressTest(benchCase, "udp") || spacingOf(samples) !== 1) {
    return null;
  }
  const { first, firstShare: share } = busy;
  return rates.slice(first).flatMap((rate, index) => {
    const startSeconds = Math.max(0, index - 1 + share) - omitSeconds;
    const endSeconds = Math.min(durationSeconds, index + share - omitSeconds);
    const seconds = endSeconds - startSeconds;
    return startSeconds < 0 || seconds <= 0
      ? []
      : [{ startSeconds, endSeconds, bitsPerSecond: rate / seconds }];
  });
}
