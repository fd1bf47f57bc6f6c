/** Collects the measurements of a way out that a choice uses. */

import { absencesOf, absenceWords } from "../../bench/figures/estimate.ts";
import {
  isOfOneConnection,
  limitedBy,
  type TopologyResult,
  whyUnmeasured,
} from "../../bench/results/index.ts";
import { goalWords } from "../../bench/summary/search-summary.ts";
import type { Cell, Column, Comparison, Row } from "../comparison/comparison.ts";

/** Figures of one topology of one run. Null: not measured. */
export interface Evidence {
  /** TCP in the slower direction; with repetitions the low end of their 95 % interval. */
  readonly bitsPerSecond: number | null;
  /** Mean of repetitions that are too few for a usable interval; null: they suffice, or there are none. */
  readonly unclearBitsPerSecond: number | null;
  /** Whether client or server limited that rate, so that the way out may carry more. */
  readonly limitedByEnds: boolean;
  /** Whether each connection reached the way out's limit of one, so that more connections may carry more. */
  readonly limitedByConnections: boolean;
  /** Limit of one connection, both directions together. Null: no such limit is known. */
  readonly connectionBitsPerSecond: number | null;
  /** Rates of UDP with datagrams of the usual size, and their losses. */
  readonly udp: readonly UdpPoint[];
  /** Highest rate that a probe reached; unless it ended there, the way out may do more. */
  readonly newConnectionsPerSecond: number | null;
  /** Concurrent flows to one destination, if a probe found the maximum. */
  readonly flowsToOneDestination: number | null;
  /** The longest silence survived, if a longer one was not. */
  readonly idleSeconds: number | null;
  /** Configured seconds of silence after which it forgets a TCP connection. Null: not known. */
  readonly idleTimeoutSeconds: number | null;
  /** Median time of new connections, else of round trips. */
  readonly latencyUs: number | null;
  /** Longest outage among provoked failures that traffic recovered from. Null: none. */
  readonly outageSeconds: number | null;
  /** Failures that traffic, new or established, never recovered from. Null: none. */
  readonly neverRecovered: {
    readonly failures: number;
    readonly of: number;
    readonly seconds: number;
  } | null;
  /** Why its figures do not count; null: they do. */
  readonly failure: string | null;
}

/** A UDP rate and its loss. */
export interface UdpPoint {
  readonly bitsPerSecond: number;
  readonly lostPercent: number;
  /** The goal of the search that found this rate. Absent: the plan set the rate. */
  readonly search?: {
    /** `loss goal 0.5 %, trials of 1 s`. */
    readonly goal: string;
    readonly boundPercent: number | null;
    /** `2 of 5 found no rate`. Null: all found one. */
    readonly absent: string | null;
  };
}

/** Null: nothing was measured there. */
export function evidenceOf({ rows }: Comparison, column: Column): Evidence | null {
  const own = rows.map((row) => ({ row, cell: row.cells[column.index] as Cell }));
  if (own.every(({ cell }) => cell.status === "missing")) {
    return null;
  }
  const slower = slowerDirection(own);
  const measurements = own.flatMap(({ cell }) =>
    cell.repetitions.flatMap(({ measurement }) => (measurement === null ? [] : [measurement])),
  );
  const limits = measurements.flatMap(({ natLimits }) => (natLimits === null ? [] : [natLimits]));
  const flows = limits.flatMap(({ concurrentFlows }) =>
    concurrentFlows?.limitReached ? [concurrentFlows.opened] : [],
  );
  const silences = limits.flatMap(({ idleTimeout }) =>
    idleTimeout?.protocol === "tcp" && idleTimeout.diedSeconds !== null
      ? [idleTimeout.survivedSeconds ?? 0]
      : [],
  );
  return {
    bitsPerSecond: slower?.unclear ? null : (slower?.least ?? null),
    unclearBitsPerSecond: slower?.unclear ? slower.value : null,
    limitedByEnds: slower?.limitedByEnds ?? false,
    limitedByConnections: slower?.limitedByConnections ?? false,
    connectionBitsPerSecond: column.topology.connectionLimits?.bitsPerSecond ?? null,
    udp: own.flatMap(udpPoint),
    newConnectionsPerSecond: highest(own.flatMap(({ cell }) => cell.estimates.newConnections?.value ?? [])),
    flowsToOneDestination: lowest(flows),
    idleSeconds: lowest(silences),
    idleTimeoutSeconds: column.topology.idleTimeoutSeconds,
    latencyUs: medianLatency(own),
    outageSeconds: outageOf(own),
    neverRecovered: neverOf(own),
    failure: failureOf(column.topology, own),
  };
}

interface OwnCell {
  readonly row: Row;
  readonly cell: Cell;
}

/**
 * Capacity of both directions together: from a case that loaded both at once, which is how a peak counts. Else the slower
 * direction's fastest TCP case; null if one direction was not measured.
 */
function slowerDirection(own: readonly OwnCell[]) {
  const best = (direction: string) =>
    own
      .flatMap(({ row: { info }, cell: { estimates, limits } }) =>
        estimates.throughput &&
        info.question === "throughput" &&
        info.protocol === "tcp" &&
        (info.bothWays ? "both" : info.direction) === direction
          ? {
              least: leastOf(estimates.throughput),
              value: estimates.throughput.value,
              // An interval that includes 0 says nothing.
              unclear: (estimates.throughput.interval?.low ?? 1) <= 0,
              limitedByEnds: limitedByEnds(limits),
              limitedByConnections: limits?.some(isOfOneConnection) ?? false,
            }
          : [],
      )
      .toSorted((a, b) => b.least - a.least)[0];
  const together = best("both");
  if (together !== undefined) {
    return together;
  }
  const [out, back] = [best("egress"), best("ingress")];
  return out === undefined || back === undefined ? null : out.least <= back.least ? out : back;
}

function leastOf({ value, interval }: NonNullable<Cell["estimates"]["throughput"]>): number {
  return Math.max(0, Math.min(value, interval?.low ?? value));
}

function limitedByEnds(limits: Cell["limits"]): boolean {
  return ["client", "server"].includes(limitedBy(limits) ?? "");
}

/** A set rate and its loss, or the rate that a search found. Small datagrams measure packet rates instead. */
function udpPoint({ row: { info }, cell: { estimates, repetitions } }: OwnCell): UdpPoint[] {
  if (info.protocol !== "udp" || (info.datagramBytes !== null && info.datagramBytes < 1000)) {
    return [];
  }
  if (estimates.noDropRate) {
    const found = repetitions.find(({ measurement }) => measurement?.search)?.measurement ?? null;
    const boundPercent = found?.search?.lossBoundPercent ?? null;
    const goal = (found && goalWords("noDropRate", found)) ?? "goal not recorded";
    const absent = absenceWords("noDropRate", repetitions);
    const lostPercent = estimates.loss?.max ?? boundPercent ?? 0;
    return [
      { bitsPerSecond: estimates.noDropRate.value, lostPercent, search: { goal, boundPercent, absent } },
    ];
  }
  const asked = (info.bitsPerSecond ?? 0) * (info.streams ?? 1) * (info.pairs ?? 1);
  return asked > 0 && estimates.loss ? [{ bitsPerSecond: asked, lostPercent: estimates.loss.value }] : [];
}

function medianLatency(own: readonly OwnCell[]): number | null {
  const of = (question: string) =>
    own.find(({ row, cell }) => row.info.question === question && cell.estimates.latencyP50)?.cell.estimates
      .latencyP50?.value;
  return of("connections") ?? of("round-trips") ?? null;
}

function failureOf({ path }: TopologyResult, own: readonly OwnCell[]): string | null {
  if (path.status === "mismatch") {
    return "its traffic did not take this way out";
  }
  const ran = own.filter(({ cell }) => cell.status !== "missing" && whyUnmeasured(cell.failure) === null);
  const failed = ran.find(({ cell }) => cell.status === "failed");
  return failed !== undefined && ran.every(({ cell }) => cell.status === "failed")
    ? `each of its cases failed (${failed.cell.failure?.class ?? "unknown"})`
    : null;
}

/** Outages of unplanned failures, i.e. without a planned hand-over. */
function outageOf(own: readonly OwnCell[]): number | null {
  const milliseconds = own.flatMap(({ cell }) =>
    cell.repetitions.some(({ measurement }) => measurement?.failover?.failure === "drain")
      ? []
      : (cell.estimates.failoverOutage?.value ?? []),
  );
  const longest = highest(milliseconds);
  return longest === null ? null : longest / 1000;
}

/** The case with the most unrecovered failures; `seconds` are the case's. */
function neverOf(own: readonly OwnCell[]): Evidence["neverRecovered"] {
  const found = own.flatMap(({ cell: { repetitions } }) => {
    const { absent, of } = absencesOf("failoverOutage", repetitions);
    const seconds = repetitions.flatMap(({ measurement }) => measurement?.durationSeconds ?? []);
    return absent === 0 ? [] : [{ failures: absent, of, seconds: Math.max(0, ...seconds) }];
  });
  return found.toSorted((a, b) => b.failures / b.of - a.failures / a.of)[0] ?? null;
}

function highest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}

function lowest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}
