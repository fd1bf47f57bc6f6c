/**
 * What a topology costs: fixed charges by the hour or month, data charges by the GB and direction, addresses,
 * disks and internet egress. Prices come from a {@link PriceBook}; a charge without a price stays null and the
 * total says "at least".
 *
 * @module
 */
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
}

export type ChargeKind = "service" | "data" | "address" | "disk" | "egress";

/** One line of the bill. */
export interface Charge {
  readonly kind: ChargeKind;
  readonly meter: string;
  readonly units: number;
  /** null: no price known. */
  readonly usd: number | null;
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

interface Use {
  readonly kind: ChargeKind;
  readonly meter: string;
  readonly units: (usage: Usage) => number;
}

const hourly = (kind: ChargeKind, meter: string, count = 1): Use => ({
  kind,
  meter,
  units: ({ hours }) => hours * count,
});
const bothWays = (meter: string, sides = 1): Use => ({
  kind: "data",
  meter,
  units: ({ gbIn, gbOut }) => (gbIn + gbOut) * sides,
});
const egress: Use = { kind: "egress", meter: "egress-gb", units: ({ gbOut }) => gbOut };
const disk: Use = { kind: "disk", meter: "disk-month", units: ({ hours }) => hours / HOURS_PER_MONTH };

/** Meters that each topology uses. Client and server are the reader's own and left out. */
function uses({ topology, natSize, publicIps = 1 }: PricedTopology): readonly Use[] | null {
  const address = hourly("address", "public-ip-hour", publicIps);
  switch (topology) {
    case "direct":
      return [address, egress];
    case "default-snat":
      return [egress];
    case "nat-gateway":
      return [hourly("service", "nat-gateway-hour"), bothWays("nat-gateway-gb"), address, egress];
    case "nat-instance":
    case "fck-nat":
      return [hourly("service", `vm-hour:${natSize}`), disk, address, egress];
    case "load-balancer":
      return [hourly("service", "load-balancer-hour"), bothWays("load-balancer-gb"), address, egress];
    case "firewall":
      return [hourly("service", "firewall-hour"), bothWays("firewall-gb"), address, egress];
    case "vpn-gateway":
      return [hourly("service", "vpn-gateway-hour", 2), hourly("address", "public-ip-hour", 2)];
    case "expressroute":
      return [hourly("service", "expressroute-gateway-hour", 2)];
    case "intra-vnet":
    case "intra-vpc":
      return [];
    case "vnet-peering":
      return [bothWays("peering-gb", 2)];
    case "vpc-peering":
      return [bothWays("cross-az-gb", 2)];
    default:
      return null;
  }
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
  const used = uses(topology);
  if (used === null) {
    return { charges: [], knownUsd: 0, totalUsd: null, missing: [`topology ${topology.topology}`] };
  }
  const charges = used.map((use) => charge(use, usage, topology.region, book));
  const knownUsd = charges.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  const missing = charges.filter(({ usd }) => usd === null).map(({ meter }) => meter);
  return { charges, knownUsd, totalUsd: missing.length === 0 ? knownUsd : null, missing };
}

function charge({ kind, meter, units }: Use, usage: Usage, region: string, book: PriceBook): Charge {
  const amount = units(usage);
  const price = findPrice(book, meter, region);
  return {
    kind,
    meter,
    units: amount,
    usd: price === null ? null : tieredCost(price.tiers, amount),
    source: price?.source ?? null,
    checked: price?.checked ?? null,
  };
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
