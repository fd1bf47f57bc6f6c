/** Assesses whether a way out meets the needs, and why not: by measurements, else by its cloud's published limits. */
import { formatBitRate, formatCount } from "../../bench/plan/quantities.ts";
import { said } from "../../bench/said.ts";
import { isNatInstance, limitsOf, type WayOut, type WayOutLimits } from "../../bench/topologies/limits.ts";
import { billOf, type Cost, HOURS_PER_MONTH, type PricedRule } from "../cost/bill.ts";
import { count } from "../text/format.ts";
import {
  type Capacity,
  capacityOf,
  capacityWords,
  isEnough,
  limitedBy,
  machineOf,
  marginOf,
  shortWords,
} from "./capacity.ts";
import type { Demand, Sizing } from "./demand.ts";
import type { Evidence } from "./evidence.ts";
import { billedTraffic, demandOf, type Needs } from "./needs.ts";
import { sizingOf } from "./sizing.ts";
import { type Priced, regionFor } from "./twins.ts";
import type { Way } from "./way.ts";

export type { Way };

/** A way out assessed for given needs. */
export interface Assessed extends Priced {
  /** Unique among the choices. */
  readonly id: string;
  /** `fits`: its margin is enough for its grade of evidence. `test`: it is not. `excluded`: a fact is against it. */
  readonly status: "fits" | "test" | "excluded" | "yardstick";
  /** Per month. Null: a price is not known. */
  readonly totalCost: number | null;
  readonly singlePoint: boolean;
  /** Measured capacity. Null: not measured. */
  readonly bitsPerSecond: number | null;
  readonly latencyUs: number | null;
  readonly bill: Cost;
  /** What it carries, and what that rests on. Null: a yardstick. */
  readonly capacity: Capacity | null;
  /** How many times the need that is, in the part that is nearest to its bound. */
  readonly margin: number;
  /** Reasons for exclusion or doubt; for a fitting way its evidence. */
  readonly why: readonly string[];
}

/** @param yardstick Measurement without anything in between, such as `direct`; null: none. */
export function assess(way: Way, needs: Needs, yardstick: Evidence | null): Assessed {
  const { out, cloud, evidence } = way;
  const region = regionFor(way, needs);
  const need = out === null ? null : needFor(way, out, needs, region);
  const { bill, totalCost } = billFor({ way, need, region }, needs);
  const limit = out === null ? undefined : limitsOf(cloud, out, way.kind);
  const found = need === null || limit === undefined ? null : judge(way, need, limit, needs, yardstick);
  return {
    id: way.id,
    status: found?.status ?? "yardstick",
    totalCost,
    singlePoint: limit?.singlePoint ?? false,
    bitsPerSecond: evidence?.bitsPerSecond ?? null,
    latencyUs: evidence?.latencyUs ?? null,
    ...{ way, need, bill, region },
    capacity: found?.capacity ?? null,
    margin: found?.margin ?? 0,
    why: found?.why ?? ["not a way out of a private subnet"],
  };
}

function billFor({ way, need, region }: Priced, needs: Needs) {
  const rules = rulesFor(way, region, need?.size ?? null, needs);
  const bill = billOf(rules ?? [], {
    hours: HOURS_PER_MONTH,
    ...billedTraffic(needs),
    gateways: need?.gateways ?? 1,
    addresses: Math.max(way.addresses, need?.addresses ?? 1),
  });
  return { bill, totalCost: rules === null ? null : bill.totalCost };
}

/** The share of the rates that one of a way out's machines carries: the busiest zone's, if each zone has its own. */
export function shareOfOne(
  { cloud, out, kind }: Pick<Way, "cloud" | "out" | "kind">,
  { zones, seen }: Needs,
): number {
  const isZonal = out !== null && isNatInstance(out) && limitsOf(cloud, out, kind)?.zonal === true;
  return isZonal && zones > 1 ? (seen?.zoneShare ?? 1) : 1;
}

/** The load of one of a way out's machines. Connections stay all of them. */
export function demandOn(way: Pick<Way, "cloud" | "out" | "kind">, needs: Needs): Demand {
  const [all, share] = [demandOf(needs), shareOfOne(way, needs)];
  const part = <T extends number | null | undefined>(rate: T) => (rate == null ? rate : rate * share) as T;
  return {
    ...all,
    peakBitsPerSecond: part(all.peakBitsPerSecond),
    peakOneWayBitsPerSecond: part(all.peakOneWayBitsPerSecond),
    busyBitsPerSecond: part(all.busyBitsPerSecond),
    packetsPerSecond: part(all.packetsPerSecond ?? null),
  };
}

function needFor(way: Way, out: WayOut, needs: Needs, region: string) {
  const { cloud, kind, machine, machines, evidence } = way;
  const flows = evidence?.flowsToOneDestination ?? null;
  return sizingOf(cloud, out, demandOn(way, needs), {
    ...{ kind, machines, region },
    ...(machine === null ? {} : { machine }),
    // Allotted ports depend on the number of machines, so one probe does not find them.
    ...(flows === null || limitsOf(cloud, out, kind)?.ports === "allotted" ? {} : { flowsPerAddress: flows }),
    ...(evidence?.bitsPerSecond == null ? {} : { measuredBitsPerSecond: evidence.bitsPerSecond }),
    ...(evidence?.connectionBitsPerSecond == null
      ? {}
      : { connectionBitsPerSecond: evidence.connectionBitsPerSecond }),
  });
}

/** The charge per GB between zones, for clouds that have it. */
export const CROSSING = "cross-az-gb";

/** A way out's charges in a region, with the chosen machine. Null: no price is known. */
export function rulesFor(
  way: Way,
  region: string,
  size: string | null,
  { seen }: Needs,
): readonly PricedRule[] | null {
  // Each end of a crossing is charged.
  const crossing = 2 * (seen?.crossingShare ?? 0);
  const rules =
    way.rules[region]?.flatMap((rule) =>
      rule.meter !== CROSSING ? [rule] : crossing === 0 ? [] : [{ ...rule, count: crossing }],
    ) ?? null;
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
          tiers: price === null ? null : [{ from: 0, price: price.anHour }],
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
): Pick<Assessed, "status" | "why" | "capacity" | "margin"> {
  const { evidence } = way;
  const demand = demandOn(way, needs);
  const capacity = capacityOf(way, need);
  const { times: margin } = marginOf(capacity, demand);
  const against = [
    ...(evidence?.failure ? [evidence.failure] : []),
    ...(need.tooSmall === null ? [] : [need.tooSmall]),
    ...measuredLess(evidence, capacity, demand, yardstick),
    ...traits(way, limit, need, needs),
  ];
  return against.length > 0
    ? { status: "excluded", why: against, capacity, margin }
    : isEnough(capacity, demand)
      ? { status: "fits", why: [capacityWords(capacity), ...unclear(evidence)], capacity, margin }
      : { status: "test", why: [shortWords(capacity, demand), ...unclear(evidence)], capacity, margin };
}

/** A measurement that found less than the need, unless the measuring machines or connections were the limit. */
function measuredLess(
  evidence: Evidence | null,
  { grade, bitsPerSecond }: Capacity,
  { peakBitsPerSecond: peak, newConnectionsPerSecond: wanted }: Demand,
  yardstick: Evidence | null,
): string[] {
  const opened = evidence?.newConnectionsPerSecond ?? null;
  const byEnds = (found: number | null | undefined, need: number) => found != null && found < need;
  return said(
    grade === "measured" &&
      bitsPerSecond < peak &&
      limitedBy(evidence) === null &&
      !byEnds(yardstick?.bitsPerSecond, peak) &&
      `it carried ${formatBitRate(bitsPerSecond)} of ${formatBitRate(peak)}`,
    opened !== null &&
      wanted != null &&
      opened < wanted &&
      !byEnds(yardstick?.newConnectionsPerSecond, wanted) &&
      `it opened ${formatCount(opened)} connections a second of ${formatCount(wanted)}`,
  );
}

function unclear(evidence: Evidence | null): string[] {
  const mean = evidence?.unclearBitsPerSecond ?? null;
  return mean === null ? [] : [`its repetitions are too few to tell (${formatBitRate(mean)} in the mean)`];
}

function traits(
  way: Way,
  { singlePoint, fixedAddress, idleSeconds }: WayOutLimits,
  need: Sizing,
  needs: Needs,
): string[] {
  const { out, evidence } = way;
  const tracked = machineOf(way, need)?.trackedTcpSeconds;
  // A gateway can be configured as needed; a machine keeps its measured setting.
  const found = evidence?.idleTimeoutSeconds ?? idleSeconds;
  const set = isNatInstance(out) ? found : Math.max(found, idleSeconds);
  const longest = Math.min(set, tracked ?? set, evidence?.idleSeconds ?? set);
  return said(
    needs.noSinglePoint && singlePoint && "it is one machine, a single point of failure",
    needs.fixedAddress && !fixedAddress && "its address is not yours and may change",
    needs.idleSeconds !== null &&
      needs.idleSeconds > longest &&
      `it forgets a connection that is silent for more than ${count(longest)} s (send keep-alives, or do without such silences)`,
  );
}
