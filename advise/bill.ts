/**
 * What a way out costs in a month with some traffic, by the report's own prices.
 *
 * @module
 */
import {
  type Charge,
  HOURS_PER_MONTH,
  type PriceBook,
  type PricedCloud,
  topologyCost,
} from "../report/index.ts";
import type { MonthlyTraffic } from "./month.ts";

/** What is priced. */
export interface BillOf {
  readonly topology: string;
  readonly cloud: PricedCloud;
  readonly region: string;
  /** Of the NAT machine, where there is one. */
  readonly natSize: string;
  readonly addresses: number;
  readonly gateways: number;
}

export interface Bill {
  readonly charges: readonly Charge[];
  /** Null: a price is not known. */
  readonly totalUsd: number | null;
  readonly knownUsd: number;
  /** Meters without a price. */
  readonly missing: readonly string[];
}

/** The bill of a month. */
export function billOf(
  { topology, cloud, region, natSize, addresses, gateways }: BillOf,
  { gbIn, gbOut, gbOutInternet }: MonthlyTraffic,
  book: PriceBook,
): Bill {
  const priced = { topology, cloud, region, natSize, publicIps: addresses };
  const chargesAt = (hours: number, out: number) => topologyCost(priced, { hours, gbIn, gbOut: out }, book);
  const once = chargesAt(HOURS_PER_MONTH, gbOut);
  const more = chargesAt(HOURS_PER_MONTH * gateways, gbOut).charges;
  const internet = chargesAt(HOURS_PER_MONTH, gbOutInternet).charges;
  const charges = once.charges.map((charge, index) => {
    const perGateway = charge.kind === "service" || charge.kind === "disk";
    return (perGateway ? more[index] : charge.kind === "egress" ? internet[index] : charge) ?? charge;
  });
  const knownUsd = charges.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  return { charges, knownUsd, totalUsd: once.totalUsd === null ? null : knownUsd, missing: once.missing };
}
