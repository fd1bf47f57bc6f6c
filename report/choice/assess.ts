/**
 * Whether a way out carries what a reader needs, and why not: from what was measured, else from what its cloud publishes.
 *
 * @module
 */
import { formatBitRate, formatCount, formatPercent } from "../../bench/plan/quantities.ts";
import type { PricedCloud } from "../../bench/topologies/clouds.ts";
import { isNatInstance, limitsOf, type WayOut, type WayOutLimits } from "../../bench/topologies/limits.ts";
import { billOf, type Cost, HOURS_PER_MONTH, type PricedRule } from "../cost/bill.ts";
import { count } from "../text/format.ts";
import type { Choosable } from "./choose.ts";
import type { Evidence } from "./evidence.ts";
import { against, type Found, limitedBy } from "./found.ts";
import { billedTraffic, demandOf, type Needs } from "./needs.ts";
import { type NatMachine, type Sizing, sizingOf } from "./sizing.ts";

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
  /** SKU or tier, where there are several. Null: the usual one. */
  readonly kind: string | null;
  /** The NAT instance's machine, as it was measured or asked for. Null: there is none, or it is sized by the needs. */
  readonly machine: NatMachine | null;
  /** What a NAT instance is sized from, where nothing says its machine. */
  readonly machines: readonly NatMachine[];
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
  readonly need: Sizing | null;
  readonly bill: Cost;
  /** Region whose prices the bill has. */
  readonly region: string;
  /** Why it is excluded or unproved; of what fits, what its fitting rests on. */
  readonly why: readonly string[];
}

/** @param yardstick What was measured without anything between, such as `direct`; null: nothing was. */
export function assess(way: Way, needs: Needs, yardstick: Evidence | null): Assessed {
  const { out, cloud, evidence } = way;
  const region = regionOf(way, needs);
  const need = out === null ? null : needFor(way, out, needs, region);
  const rules = rulesFor(way, region, need?.size ?? null);
  const bill = billOf(rules ?? [], {
    hours: HOURS_PER_MONTH,
    ...billedTraffic(needs),
    gateways: need?.gateways ?? 1,
    addresses: Math.max(way.addresses, need?.addresses ?? 1),
  });
  const limit = out === null ? undefined : limitsOf(cloud, out, way.kind);
  const found = need === null || limit === undefined ? null : judge(way, need, limit, needs, yardstick);
  return {
    id: way.id,
    status: found?.status ?? "yardstick",
    totalUsd: rules === null ? null : bill.totalUsd,
    singlePoint: limit?.singlePoint ?? false,
    bitsPerSecond: evidence?.bitsPerSecond ?? null,
    latencyUs: evidence?.latencyUs ?? null,
    ...{ way, need, bill, region },
    why: found?.why ?? ["a yardstick: no way out of a private subnet"],
  };
}

/** Whose prices a way out gets. */
function regionOf(way: Way, { region }: Needs): string {
  return region !== null && way.rules[region] ? region : way.region;
}

function needFor(
  { cloud, kind, machine, machines, evidence }: Way,
  out: WayOut,
  needs: Needs,
  region: string,
) {
  const flows = evidence?.flowsToOneDestination ?? null;
  return sizingOf(cloud, out, demandOf(needs), {
    ...{ kind, machines, region },
    ...(machine === null ? {} : { machine }),
    // A load balancer's own ports are given by the number of machines, not found by one.
    ...(flows === null || out === "load-balancer" ? {} : { flowsPerAddress: flows }),
    ...(evidence?.bitsPerSecond == null ? {} : { measuredBitsPerSecond: evidence.bitsPerSecond }),
    ...(evidence?.connectionBitsPerSecond == null
      ? {}
      : { connectionBitsPerSecond: evidence.connectionBitsPerSecond }),
  });
}

/** What a way out is charged for in a region, with the machine that was sized. Null: no price is known. */
export function rulesFor(way: Way, region: string, size: string | null): readonly PricedRule[] | null {
  const rules = way.rules[region] ?? null;
  const machine = way.machines.find((one) => one.size === size);
  if (rules === null || machine === undefined) {
    return rules;
  }
  const price = machine.prices[region] ?? null;
  return rules.map((rule) =>
    rule.meter.startsWith("vm-hour")
      ? {
          ...rule,
          meter: `vm-hour:${machine.size}`,
          tiers: price === null ? null : [{ from: 0, usd: price.usd }],
          pricedIn: price?.pricedIn ?? null,
        }
      : rule,
  );
}

function judge(
  way: Way,
  need: Sizing,
  limit: WayOutLimits,
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
    ...traits(way, limit, need, needs),
  ];
  if (excluded.length > 0) {
    return { status: "excluded", why: excluded };
  }
  const unproved = [
    ...unprovedRate(way, limit, rate),
    ...unprovedMonth(way, rate, needs),
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
  if (evidence === null) {
    return "it was not measured";
  }
  return evidence.unclearBitsPerSecond === null
    ? "its TCP was not measured both ways"
    : `its repetitions are too few to tell (${formatBitRate(evidence.unclearBitsPerSecond)} in the mean)`;
}

/** What the cloud runs is taken at its published limit where nothing was measured; what has neither is not known. */
function unprovedRate({ evidence, lab }: Way, { bitsPerSecond }: WayOutLimits, rate: Found): string[] {
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

/**
 * Why a measured rate says nothing of a month: what the machine holds is not known, or its CPUs are its own for a part of the
 * time only.
 */
function unprovedMonth({ out, machine, evidence }: Way, rate: Found, needs: Needs): string[] {
  const found = evidence?.bitsPerSecond ?? null;
  if (!isNatInstance(out) || machine === null || rate !== "enough" || found === null) {
    return [];
  }
  const { busyBitsPerSecond } = demandOf(needs);
  if (machine.sustainedBitsPerSecond === null) {
    return [`what a ${machine.size} carries all month is not known, as its measurement took minutes`];
  }
  const held = found * machine.cpuShare;
  return busyBitsPerSecond <= held
    ? []
    : [
        `a ${machine.size} may use ${formatPercent(100 * machine.cpuShare)} of its CPUs all month, and carried ${formatBitRate(found)} with all of them for minutes: that it holds ${formatBitRate(busyBitsPerSecond)} is not known`,
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

function traits(
  { machine, machines, evidence }: Way,
  { singlePoint, fixedAddress, idleSeconds }: WayOutLimits,
  { size }: Sizing,
  needs: Needs,
): string[] {
  const tracked = (machine ?? machines.find((one) => one.size === size))?.trackedTcpSeconds;
  const longest = Math.min(idleSeconds, tracked ?? idleSeconds, evidence?.idleSeconds ?? idleSeconds);
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
function basis({ evidence }: Way, { bitsPerSecond }: WayOutLimits): string[] {
  return evidence?.bitsPerSecond != null
    ? [`measured: ${formatBitRate(evidence.bitsPerSecond)}`]
    : [`published: ${formatBitRate(bitsPerSecond ?? 0)}; ${unmeasured(evidence)}`];
}
