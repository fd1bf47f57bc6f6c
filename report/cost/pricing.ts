/**
 * As what a measured topology is priced: cloud, region, size of its NAT machine, addresses.
 *
 * @module
 */
import type { Results, TopologyResult } from "../../bench/results/index.ts";
import type { Column } from "../comparison/comparison.ts";
import { type PricedTopology, topologyCost } from "./cost.ts";
import type { PriceBook, PricedCloud } from "./prices.ts";

/** What a reader may want priced otherwise than it was measured. */
export interface PricingOptions {
  /** Cloud whose prices a local lab's topologies get. @default "azure" */
  readonly priceLocalAs?: PricedCloud;
  /**
   * Region that prices are taken from. @default the measured one; where it lacks a price of what was measured there, or
   * is not known, eastus or us-east-1
   */
  readonly region?: string;
  /** Size of every NAT machine. @default the measured one's; where that is not known Standard_B2ats_v2, t4g.micro */
  readonly natSize?: string;
}

/** Where prices are taken from and what a NAT machine is, when nothing else is said. */
export const priceDefaults = {
  azure: { region: "eastus", natSize: "Standard_B2ats_v2" },
  aws: { region: "us-east-1", natSize: "t4g.micro" },
} as const;

export function pricedCloud({ cloud }: Pick<Results, "cloud">, localAs: PricedCloud = "azure"): PricedCloud {
  return cloud === "local" ? localAs : cloud;
}

/** Size of a topology's NAT machine as it was measured; undefined where it has none, or did not tell. */
export function measuredNatSize({ hosts }: Pick<TopologyResult, "hosts">): string | undefined {
  return hosts.find(({ role }) => role === "nat")?.size ?? undefined;
}

/** Where a topology was measured, as price lists name it: `eastus`, not `East US`. Undefined where no host tells. */
export function measuredRegion({ hosts }: Pick<TopologyResult, "hosts">): string | undefined {
  const names = hosts.map(({ region }) => region?.toLowerCase().replaceAll(" ", "") ?? "");
  // Results may come from anywhere, and this goes into questions to price services and the names of files.
  return names.find((name) => /^[a-z][a-z0-9-]{1,39}$/.test(name));
}

export interface Pricing {
  readonly columns: readonly { readonly column: Column; readonly priced: PricedTopology }[];
  /** One sentence each: what is not priced where it was measured. */
  readonly notes: readonly string[];
}

/** What each column is priced as. All that was measured in one region is priced in one, so that it compares. */
export function priceColumns(
  columns: readonly Column[],
  options: PricingOptions,
  books: Readonly<Record<PricedCloud, PriceBook>>,
): Pricing {
  const measured = columns.map((column) => ({ column, priced: asMeasured(column, options) }));
  const lacking = measured
    .map(({ priced }) => priced)
    .filter((one) => options.region === undefined && lacksPrices(one, books[one.cloud]));
  const isLacking = ({ cloud, region }: PricedTopology) =>
    lacking.some((other) => other.cloud === cloud && other.region === region);
  return {
    columns: measured.map(({ column, priced }) => ({
      column,
      priced: isLacking(priced) ? inDefaultRegion(priced) : priced,
    })),
    notes: [...new Set(lacking.map((one) => pricedElsewhere(one, books[one.cloud])))],
  };
}

function asMeasured({ topology, results }: Column, options: PricingOptions): PricedTopology {
  const cloud = pricedCloud(results, options.priceLocalAs);
  const defaults = priceDefaults[cloud];
  return {
    topology: topology.topology,
    cloud,
    region: options.region ?? measuredRegion(topology) ?? defaults.region,
    natSize: options.natSize ?? measuredNatSize(topology) ?? defaults.natSize,
    // Where nobody knows the addresses beforehand there is one all the same, but for those that pay for none.
    publicIps: Math.max(1, topology.expectedSourceIps.length),
  };
}

/** Whether the default region has a price that the topology's own has not. */
function lacksPrices(priced: PricedTopology, book: PriceBook): boolean {
  const missing = (one: PricedTopology) => topologyCost(one, { hours: 0, gbIn: 0, gbOut: 0 }, book).missing;
  const everywhere = missing(inDefaultRegion(priced));
  return missing(priced).some((meter) => !everywhere.includes(meter));
}

function inDefaultRegion(priced: PricedTopology): PricedTopology {
  return { ...priced, region: priceDefaults[priced.cloud].region };
}

function pricedElsewhere({ cloud, region }: PricedTopology, { origin }: PriceBook): string {
  const known = `Measured in ${region}, of which not all prices are known: those of ${priceDefaults[cloud].region} are used.`;
  return origin === "snapshot" ? `${known} The cloud's price service (--prices live) knows them.` : known;
}
