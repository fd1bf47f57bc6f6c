/**
 * What a topology costs: fixed charges by the hour or month, data charges by the GB and direction, addresses,
 * disks and internet egress. Prices come from a {@link PriceBook}; a charge without a price stays null and the
 * total says "at least".
 *
 * @module
 */
import { type ChargeKind, type ChargeRule, topologyNamed } from "../../bench/topologies/index.ts";
import { findPrice, type PriceBook, type PricedCloud, tieredCost } from "./prices.ts";

/** Hours of a month, as both clouds' calculators take it. */
export const HOURS_PER_MONTH = 730;

/** What a topology is used for in a month. GB are 10^9 bytes. */
export interface Usage {
  readonly hours: number;
  /** Received from the internet. */
  readonly gbIn: number;
  /** Sent to the internet. */
  readonly gbOut: number;
}

/** What is priced. */
export interface PricedTopology {
  readonly topology: string;
  readonly cloud: PricedCloud;
  readonly region: string;
  /** Size of the NAT machine, for topologies that have one. */
  readonly natSize: string;
  /** Public addresses, for topologies that have any. @default 1, or one at each end */
  readonly publicIps?: number;
  /** Addresses beyond those that every such topology has, as of active-active gateways. @default 0 */
  readonly moreAddresses?: number;
  /** Region whose price stands in for one that `region` lacks. @default none: the price is not known */
  readonly standIn?: string;
  /** Where what is sent ends: the internet's price, or that of traffic within a region. @default "internet" */
  readonly sentTo?: "internet" | "region";
  /** Which of a service's kinds it is, by meter: `{"firewall-hour": "Premium"}`. @default the usual one */
  readonly kinds?: Readonly<Record<string, string>>;
}

/** One line of the bill. */
export interface Charge {
  readonly kind: ChargeKind;
  readonly meter: string;
  readonly units: number;
  /** null: no price known. */
  readonly usd: number | null;
  /** Region whose price it is, where that is not the topology's own. */
  readonly pricedIn: string | null;
  readonly source: string | null;
  /** What the price was compared with; `null`: nothing, or no price. */
  readonly checked: string | null;
}

export interface Cost {
  readonly charges: readonly Charge[];
  /** Sum of the known charges. */
  readonly knownUsd: number;
  /** null when a charge has no price, or the topology is not known here. */
  readonly totalUsd: number | null;
  /** Meters without a price. */
  readonly missing: readonly string[];
}

/** How many units of a charge a usage makes. */
function unitsOf({ kind, per, count }: ChargeRule, usage: Usage, topology: PricedTopology): number {
  const { publicIps = 1, moreAddresses = 0 } = topology;
  const each = {
    hour: usage.hours,
    month: usage.hours / HOURS_PER_MONTH,
    gb: usage.gbIn + usage.gbOut,
    "gb-sent": usage.gbOut,
  }[per];
  return each * ((count === "addresses" ? publicIps : count) + (kind === "address" ? moreAddresses : 0));
}

/**
 * The bill of one topology.
 *
 * @throws {RangeError} when the usage holds a negative or non-finite figure.
 */
export function topologyCost(topology: PricedTopology, usage: Usage, book: PriceBook): Cost {
  for (const [name, value] of Object.entries(usage)) {
    if (!(Number.isFinite(value) && value >= 0)) {
      throw new RangeError(`${name} must be a number of at least 0; got ${value}`);
    }
  }
  const known = topologyNamed(topology.topology);
  if (known === undefined) {
    return { charges: [], knownUsd: 0, totalUsd: null, missing: [`topology ${topology.topology}`] };
  }
  const charges = known.charges.map((rule) => charge(rule, topology, usage, book));
  const knownUsd = charges.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  const missing = charges.filter(({ usd }) => usd === null).map(({ meter }) => meter);
  return { charges, knownUsd, totalUsd: missing.length === 0 ? knownUsd : null, missing };
}

function charge(rule: ChargeRule, topology: PricedTopology, usage: Usage, book: PriceBook): Charge {
  const { region, standIn } = topology;
  const within = rule.kind === "egress" && topology.sentTo === "region";
  const meter = meterOf(within ? { ...rule, meter: "in-region-gb" } : rule, topology);
  // Within a region both directions are charged.
  const units = unitsOf(within ? { ...rule, per: "gb" } : rule, usage, topology);
  const own = findPrice(book, meter, region);
  const price = own ?? (standIn === undefined ? null : findPrice(book, meter, standIn));
  return {
    kind: rule.kind,
    meter,
    units,
    usd: price === null ? null : tieredCost(price.tiers, units),
    pricedIn: own === null && price !== null ? (standIn ?? null) : null,
    source: price?.source ?? null,
    checked: price?.checked ?? null,
  };
}

/** Name of the price: a machine's by its size, a service's by its kind where that is not the usual one. */
function meterOf({ meter }: ChargeRule, { natSize, kinds }: PricedTopology): string {
  const kind = meter === "vm-hour" ? natSize : kinds?.[meter];
  return kind === undefined ? meter : `${meter}:${kind}`;
}

/** Sum of the charges of some kinds; null when one of them has no price. */
export function sumOf(cost: Cost, kinds: readonly ChargeKind[]): number | null {
  const chosen = cost.charges.filter(({ kind }) => kinds.includes(kind));
  return chosen.some(({ usd }) => usd === null) ? null : chosen.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
}

/**
 * Traffic at which two topologies cost the same, in GB a month, at a fixed mix of directions.
 *
 * @param outShare Part of the traffic that leaves, 0 to 1.
 * @returns null when one of the two is cheaper at any traffic up to 1 PB, or a price is missing.
 */
export function breakEvenGb(
  a: PricedTopology,
  b: PricedTopology,
  hours: number,
  outShare: number,
  books: Readonly<Record<PricedCloud, PriceBook>>,
): number | null {
  const costOf = (topology: PricedTopology, gb: number) =>
    topologyCost(topology, { hours, gbIn: gb * (1 - outShare), gbOut: gb * outShare }, books[topology.cloud])
      .totalUsd;
  const difference = (gb: number) => {
    const [first, second] = [costOf(a, gb), costOf(b, gb)];
    return first === null || second === null ? null : first - second;
  };
  let low = 0;
  let high = 1e6;
  const atLow = difference(low);
  const atHigh = difference(high);
  if (atLow === null || atHigh === null || atLow * atHigh >= 0) {
    return null;
  }
  // 60 halvings of 1 PB leave less than a byte.
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if ((difference(middle) ?? 0) * atLow > 0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}
