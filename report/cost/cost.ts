/**
 * Computes a topology's costs: fixed charges per hour or month, data charges per GB and direction, addresses,
 * disks and internet egress. Prices come from a {@link PriceBook}; a charge without a price stays null and the
 * total says "at least".
 */
import { type ChargeRule, topologyNamed } from "../../bench/topologies/index.ts";
import { billOf, type Cost, type PricedRule, type Usage } from "./bill.ts";
import { type PriceBook, type PricedCloud, type PricedPlace, priceAt } from "./prices.ts";

export interface PricedTopology extends PricedPlace {
  readonly topology: string;
  readonly cloud: PricedCloud;
  /** Size of the NAT machine, for topologies that have one. */
  readonly natSize: string;
  /** Public addresses, for topologies that have any. @default 1, or one at each end */
  readonly publicIps?: number;
  /** Billed gateways: one per zone of a regional NAT gateway. @default 1 */
  readonly gateways?: number;
  /** Addresses beyond the topology's usual ones, as for active-active gateways. @default 0 */
  readonly moreAddresses?: number;
  /** Destination of sent data: at the internet's price, or that of traffic within a region. @default "internet" */
  readonly sentTo?: "internet" | "region";
  /** The service's tier, by meter: `{"firewall-hour": "Premium"}`. @default the usual one */
  readonly kinds?: Readonly<Record<string, string>>;
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
  const rules = pricedRules(topology, book);
  if (rules === null) {
    return { charges: [], knownCost: 0, totalCost: null, missing: [`topology ${topology.topology}`] };
  }
  return billOf(rules, {
    addresses: topology.publicIps ?? 1,
    gateways: topology.gateways ?? 1,
    ...usage,
  });
}

/** A topology's charges with its region's prices. Null: the topology is not known here. */
export function pricedRules(
  topology: PricedTopology,
  book: PriceBook,
  charges: readonly ChargeRule[] | undefined = topologyNamed(topology.topology)?.charges,
): PricedRule[] | null {
  const here = charges?.filter(({ clouds }) => clouds?.includes(topology.cloud) ?? true);
  return here?.map((rule) => pricedRule(rule, topology, book)) ?? null;
}

function pricedRule(rule: ChargeRule, topology: PricedTopology, book: PriceBook): PricedRule {
  const { publicIps = 1, moreAddresses = 0 } = topology;
  const within = rule.kind === "egress" && topology.sentTo === "region";
  const meter = meterOf(within ? { ...rule, meter: "in-region-gb" } : rule, topology);
  const { price, pricedIn } = priceAt(book, meter, topology);
  const counted = rule.count === "addresses" ? publicIps : rule.count;
  return {
    kind: rule.kind,
    meter,
    // Within a region both directions are charged.
    per: within ? "gb" : rule.per,
    count: rule.kind === "address" && moreAddresses > 0 ? counted + moreAddresses : rule.count,
    tiers: price?.tiers ?? null,
    pricedIn,
    source: price?.source ?? null,
    checked: price?.checked ?? null,
  };
}

/** Name of the price: a machine's includes its size, a service's its kind unless that is the usual one. */
function meterOf({ meter }: ChargeRule, { natSize, kinds }: PricedTopology): string {
  const kind = meter === "vm-hour" ? natSize : kinds?.[meter];
  return kind === undefined ? meter : `${meter}:${kind}`;
}
