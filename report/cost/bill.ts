/** Computes a month's bill. It needs no price list, so the page can compute it again. */
import type { ChargeKind, ChargeRule } from "../../bench/topologies/topology.ts";

/** Hours per month, as in both clouds' calculators. */
export const HOURS_PER_MONTH = 730;

/** A topology's usage in a month. GB are 10^9 bytes. */
export interface Usage {
  readonly hours: number;
  /** Received from the internet. */
  readonly gbIn: number;
  /** Sent to the internet. */
  readonly gbOut: number;
  /** The part of `gbOut` charged as internet egress. @default gbOut */
  readonly gbOutInternet?: number;
  /** Number of gateways, machines or deployments; each pays for service and disk. @default 1 */
  readonly gateways?: number;
  /** Public addresses, of all gateways together. @default 1 */
  readonly addresses?: number;
}

export interface PricedRule extends ChargeRule {
  /** Price per unit from this many monthly units on, ascending, the first from 0. Null: no price known. */
  readonly tiers: readonly { readonly from: number; readonly price: number }[] | null;
  /** Region of the price, if it is not the topology's own. */
  readonly pricedIn: string | null;
  readonly source: string | null;
  /** The second source of the price; `null`: none, or no price. */
  readonly checked: string | null;
}

export interface Charge extends Omit<PricedRule, "tiers" | "per" | "count"> {
  readonly units: number;
  /** Null: no price known. */
  readonly cost: number | null;
}

/** A topology's monthly bill, in its price list's currency, with the missing charges. */
export interface Cost {
  readonly charges: readonly Charge[];
  /** Sum of the known charges. */
  readonly knownCost: number;
  /** In whole cents, so that what is shown adds up. Null if a charge has no price, or the topology is not known here. */
  readonly totalCost: number | null;
  /** Meters without a price. */
  readonly missing: readonly string[];
}

/**
 * A sentence on charges at another region's prices. Null: there are none.
 *
 * @param origin Of the price list: of a snapshot, where to get the prices follows
 */
export function borrowedText(charges: readonly Charge[], region: string, origin?: string): string | null {
  const borrowed = charges.filter(({ pricedIn }) => pricedIn !== null);
  const meters = [...new Set(borrowed.map(({ meter }) => meter))].sort();
  const where = origin === "snapshot" ? " The cloud's price service (--prices live) knows them." : "";
  return borrowed[0] === undefined
    ? null
    : `In ${region} these prices are not known and those of ${borrowed[0].pricedIn} are used: ${meters.join(", ")}.${where}`;
}

export function billOf(rules: readonly PricedRule[], usage: Usage): Cost {
  const charges = rules.map(({ tiers, per, count, ...rule }): Charge => {
    const units = unitsOf({ ...rule, per, count }, usage);
    return { ...rule, units, cost: tiers === null ? null : tieredCost(tiers, units) };
  });
  const missing = charges.filter(({ cost }) => cost === null).map(({ meter }) => meter);
  const knownCost = charges.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const totalCost = missing.length === 0 ? Math.round(100 * knownCost) / 100 : null;
  return { charges, knownCost, totalCost, missing };
}

function unitsOf({ kind, per, count }: ChargeRule, usage: Usage): number {
  const { gateways = 1, addresses = 1, gbOutInternet = usage.gbOut } = usage;
  const each = {
    hour: usage.hours,
    month: usage.hours / HOURS_PER_MONTH,
    gb: usage.gbIn + usage.gbOut,
    "gb-sent": kind === "egress" ? gbOutInternet : usage.gbOut,
  }[per];
  // A fixed number of addresses is each gateway's, as a pair's are.
  const times = ["service", "disk", "address"].includes(kind) ? gateways : 1;
  return each * (count === "addresses" ? addresses : count * times);
}

/**
 * Cost of a quantity under tiers, each of which applies to the units between its start and the next one's.
 *
 * @param units Units per month, not negative.
 */
export function tieredCost(tiers: NonNullable<PricedRule["tiers"]>, units: number): number {
  return tiers.reduce((sum, tier, index) => {
    const end = Math.min(units, tiers[index + 1]?.from ?? Number.POSITIVE_INFINITY);
    return sum + Math.max(0, end - tier.from) * tier.price;
  }, 0);
}

/** Maximum traffic considered: 1 PB per month, in GB. */
export const MOST_GB = 1e6;

/** A way's prices, and its usage at some GB per month. */
export interface Tariff {
  /** Null: not known. */
  readonly rules: readonly PricedRule[] | null;
  /** Each quantity grows in proportion to the GB. */
  readonly usageAt: (gb: number) => Usage;
}

/** Exact cost of some GB per month. Null: a price is not known. */
export function costOf({ rules, usageAt }: Tariff, gb: number): number | null {
  const bill = rules === null ? null : billOf(rules, usageAt(gb));
  return bill?.totalCost == null ? null : bill.knownCost;
}

/**
 * The least traffic at which two ways cost the same, in GB per month. Between the borders of tiers both costs are straight lines.
 *
 * @returns null if one of them is cheaper at any traffic up to 1 PB, or a price is missing.
 */
export function sameCostGb(a: Tariff, b: Tariff): number | null {
  const borders = [...bordersOf(a), ...bordersOf(b)].filter((gb) => gb > 0 && gb < MOST_GB);
  let [from, before] = [0, 0];
  for (const gb of [0, ...borders.sort((one, other) => one - other), MOST_GB]) {
    const [first, second] = [costOf(a, gb), costOf(b, gb)];
    if (first === null || second === null) {
      return null;
    }
    const difference = first - second;
    if (before !== 0 && before * difference <= 0) {
      return from + ((gb - from) * before) / (before - difference);
    }
    [from, before] = [gb, difference];
  }
  return null;
}

/** GB per month at which a tier of a charge begins. */
function bordersOf({ rules, usageAt }: Tariff): number[] {
  return (rules ?? []).flatMap((rule) => {
    const each = unitsOf(rule, usageAt(1)) - unitsOf(rule, usageAt(0));
    return each === 0 ? [] : (rule.tiers ?? []).map(({ from }) => from / each);
  });
}

/** Bisects for the boundary between 0, where a condition holds, and `most`, where it does not. */
export function boundary(holds: (value: number) => boolean, most: number): number {
  // Down to a megabyte, in GB.
  return bisected(holds, [0, most], 1e-3, (middle) => middle)[1];
}

/** The last whole number for which a condition holds, from `first`, where it does, to `most`, where it does not. */
export function lastThatHolds(holds: (value: number) => boolean, first: number, most: number): number {
  return bisected(holds, [first, most], 1, Math.floor)[0];
}

/** The ends between which a condition ceases to hold, at most `width` apart. */
function bisected(
  holds: (value: number) => boolean,
  [first, last]: readonly [number, number],
  width: number,
  round: (middle: number) => number,
): [low: number, high: number] {
  let [low, high] = [first, last];
  while (high - low > width) {
    const middle = round((low + high) / 2);
    // Far from 0, neighbouring floating-point numbers are further apart.
    if (middle <= low || middle >= high) {
      break;
    }
    [low, high] = holds(middle) ? [middle, high] : [low, middle];
  }
  return [low, high];
}

/** Sum of the charges of some kinds; null if one has no price. */
export function sumOf(cost: Cost, kinds: readonly ChargeKind[]): number | null {
  const chosen = cost.charges.filter(({ kind }) => kinds.includes(kind));
  return chosen.some(({ cost }) => cost === null)
    ? null
    : chosen.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}
