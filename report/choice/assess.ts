/**
 * Whether a way out carries what a reader needs, and why not: from what was measured, else from what its cloud publishes.
 *
 * @module
 */
import { formatBitRate, formatCount } from "../../bench/plan/quantities.ts";
import type { PricedCloud } from "../../bench/topologies/clouds.ts";
import { billOf, type Cost, HOURS_PER_MONTH, type PricedRule } from "../cost/bill.ts";
import { count } from "../text/format.ts";
import type { Choosable } from "./choose.ts";
import type { Evidence } from "./evidence.ts";
import { isNatInstance, type Limits, limits, type WayOut } from "./limits.ts";
import { demandOf, type Needs } from "./needs.ts";
import { type Need, needOf } from "./sizing.ts";

/** A way out as a report knows it, before anybody's needs. */
export interface Way {
  /** Unique within a cloud: the column's label, else the topology. */
  readonly id: string;
  /** Of the comparison; null: not among the results. */
  readonly column: number | null;
  /** Number of its colour and pattern: the column's, and numbers after the last column's. */
  readonly look: number;
  readonly topology: string;
  /** Null: a yardstick, never to be chosen. */
  readonly out: WayOut | null;
  readonly cloud: PricedCloud;
  /** Where it was measured, else where it is priced. */
  readonly region: string;
  /** Of a NAT instance. */
  readonly natSize: string | null;
  /** Public addresses that it was measured with. */
  readonly addresses: number;
  /** What it is charged for, by region. */
  readonly rules: Readonly<Record<string, readonly PricedRule[]>>;
  /** Null: not measured, or in the lab, which is no cloud's network. */
  readonly evidence: Evidence | null;
  /** Whether it was measured in the lab. */
  readonly lab: boolean;
}

/** A way out under a reader's needs. */
export interface Assessed extends Choosable {
  readonly way: Way;
  /** Null: of a yardstick. */
  readonly need: Need | null;
  readonly bill: Cost;
  /** Region whose prices the bill has. */
  readonly region: string;
  /** Why it is excluded or unproved; of what fits, what its fitting rests on. */
  readonly why: readonly string[];
}

/** @param yardstick What was measured without anything between, such as `direct`; null: nothing was. */
export function assess(way: Way, needs: Needs, yardstick: Evidence | null): Assessed {
  const demand = demandOf(needs);
  const { out, cloud, natSize, evidence } = way;
  const flows = evidence?.flowsToOneDestination ?? null;
  const known = {
    ...(natSize === null ? {} : { size: natSize }),
    // A load balancer's own ports are given by the number of machines, not found by one.
    ...(flows === null || out === "load-balancer" ? {} : { flowsPerAddress: flows }),
    ...(evidence?.connectionBitsPerSecond == null
      ? {}
      : { connectionBitsPerSecond: evidence.connectionBitsPerSecond }),
  };
  const need = out === null ? null : needOf(cloud, out, demand, known);
  const region = needs.region !== null && way.rules[needs.region] ? needs.region : way.region;
  const bill = billOf(way.rules[region] ?? [], {
    hours: HOURS_PER_MONTH,
    gbIn: needs.gbIn,
    gbOut: needs.gbOut,
    gateways: need?.gateways ?? 1,
    addresses: Math.max(way.addresses, need?.addresses ?? 1),
  });
  const limit = out === null ? undefined : limits[cloud][out];
  const found = need === null || limit === undefined ? null : judge(way, need, limit, needs, yardstick);
  return {
    id: way.id,
    status: found?.status ?? "yardstick",
    totalUsd: way.rules[region] === undefined ? null : bill.totalUsd,
    singlePoint: limit?.singlePoint ?? false,
    bitsPerSecond: evidence?.bitsPerSecond ?? null,
    latencyUs: evidence?.latencyUs ?? null,
    ...{ way, need, bill, region },
    why: found?.why ?? ["a yardstick: no way out of a private subnet"],
  };
}

function judge(
  way: Way,
  need: Need,
  limit: Limits,
  needs: Needs,
  yardstick: Evidence | null,
): Pick<Assessed, "status" | "why"> {
  const { evidence } = way;
  const rate = against({
    wanted: demandOf(needs).peakBitsPerSecond,
    found: evidence?.bitsPerSecond ?? null,
    yardstick: yardstick?.bitsPerSecond ?? null,
    limitedBy: limitedBy(evidence),
  });
  const connections = against({
    wanted: needs.newConnectionsPerSecond ?? 0,
    found: evidence?.newConnectionsPerSecond ?? null,
    yardstick: yardstick?.newConnectionsPerSecond ?? null,
    limitedBy: null,
  });
  const excluded = [
    ...(evidence?.failure ? [evidence.failure] : []),
    ...(need.tooSmall === null ? [] : [need.tooSmall]),
    ...tooLittle(evidence, needs, { rate, connections }),
    ...traits(limit, evidence, needs),
  ];
  if (excluded.length > 0) {
    return { status: "excluded", why: excluded };
  }
  const unproved = [
    ...unprovedRate(way, limit, rate),
    ...unprovedConnections(way, needs.newConnectionsPerSecond, connections),
  ];
  return unproved.length > 0
    ? { status: "unproved", why: unproved }
    : { status: "fits", why: basis(way, limit) };
}

/** Measured to carry less than is wanted. */
function tooLittle(
  evidence: Evidence | null,
  needs: Needs,
  { rate, connections }: Readonly<Record<"rate" | "connections", Found>>,
): string[] {
  const { peakBitsPerSecond } = demandOf(needs);
  const wanted = needs.newConnectionsPerSecond;
  return [
    ...(rate === "less"
      ? [`it carried ${formatBitRate(evidence?.bitsPerSecond ?? 0)} of ${formatBitRate(peakBitsPerSecond)}`]
      : []),
    ...(connections === "less" && wanted !== null
      ? [
          `it opened ${formatCount(evidence?.newConnectionsPerSecond ?? 0)} connections a second of ${formatCount(wanted)}`,
        ]
      : []),
  ];
}

/** Why there is no measured rate. */
export function unmeasured(evidence: Evidence | null): string {
  return evidence === null ? "it was not measured" : "its TCP was not measured both ways";
}

/** What the cloud runs is taken at its published limit where nothing was measured; what has neither is not known. */
function unprovedRate({ evidence, lab }: Way, { bitsPerSecond }: Limits, rate: Found): string[] {
  if (rate === "connections") {
    return [
      `its measurement had too few connections: they carried ${formatBitRate(evidence?.bitsPerSecond ?? 0)}, about all that it lets so many carry (${formatBitRate(evidence?.connectionBitsPerSecond ?? 0)} each)`,
    ];
  }
  if (rate === "ends") {
    return [
      `the machines that measured it got ${formatBitRate(evidence?.bitsPerSecond ?? 0)} through it, and have no more`,
    ];
  }
  return rate !== "unknown" || bitsPerSecond !== null
    ? []
    : [
        lab
          ? "it was measured in the lab only, which is no network"
          : `${unmeasured(evidence)}, and no limit of it is published`,
      ];
}

function unprovedConnections({ out }: Way, wanted: number | null, connections: Found): string[] {
  if (connections === "ends") {
    return ["the machines that measured it opened no more connections a second"];
  }
  return connections === "unknown" && wanted !== null && isNatInstance(out)
    ? ["new connections a second were not measured"]
    : [];
}

/**
 * What a measured figure says of what is wanted. `less`: it was measured to carry less. `ends`: so it was, and so were the
 * machines that measured it without it. `connections`: so it was, by as few connections as cannot carry more through it.
 */
type Found = "enough" | "less" | "ends" | "connections" | "unknown";

interface Against {
  readonly wanted: number;
  readonly found: number | null;
  readonly yardstick: number | null;
  /** What was the limit of it, where that was not the way out. */
  readonly limitedBy: "ends" | "connections" | null;
}

function limitedBy(evidence: Evidence | null): Against["limitedBy"] {
  if (evidence?.limitedByEnds) {
    return "ends";
  }
  return evidence?.limitedByConnections ? "connections" : null;
}

function against({ wanted, found, yardstick, limitedBy }: Against): Found {
  if (found === null) {
    return "unknown";
  }
  if (found >= wanted) {
    return "enough";
  }
  return limitedBy ?? (yardstick !== null && yardstick < wanted ? "ends" : "less");
}

function traits(
  { singlePoint, fixedAddress, idleSeconds }: Limits,
  evidence: Evidence | null,
  needs: Needs,
): string[] {
  const longest = Math.min(idleSeconds, evidence?.idleSeconds ?? idleSeconds);
  return [
    ...(needs.noSinglePoint && singlePoint ? ["it is one machine, a single point of failure"] : []),
    ...(needs.fixedAddress && !fixedAddress ? ["its address is not yours and may change"] : []),
    ...(needs.idleSeconds !== null && needs.idleSeconds > longest
      ? [
          `it forgets a connection that is silent for more than ${count(longest)} s (send keep-alives, or do without such silences)`,
        ]
      : []),
  ];
}

/** What says that it carries the traffic. */
function basis({ evidence }: Way, { bitsPerSecond }: Limits): string[] {
  return evidence?.bitsPerSecond != null
    ? [`measured: ${formatBitRate(evidence.bitsPerSecond)}`]
    : [`published: ${formatBitRate(bitsPerSecond ?? 0)}; ${unmeasured(evidence)}`];
}
