/** Decides how a measured topology is priced: cloud, region, size of its NAT machine, addresses. */
import { groupBy } from "../../bench/group-by.ts";
import { defaultNatSize } from "../../bench/machines/index.ts";
import type { TopologyResult } from "../../bench/results/index.ts";
import { said } from "../../bench/said.ts";
import { isPriced, type Topology, topologyNamed } from "../../bench/topologies/index.ts";
import type { Column } from "../comparison/comparison.ts";
import { borrowedText } from "./bill.ts";
import { type PricedTopology, topologyCost } from "./cost.ts";
import type { PriceBook, PricedCloud } from "./prices.ts";

/** A reader's overrides of the measured region and usage. */
export interface PricingOptions {
  /** Region of the prices. @default the measured one; if it is not known or lacks a price, eastus or us-east-1 */
  readonly region?: string;
  /** Size of every NAT machine. @default the measured one; if not known Standard_B2ats_v2, t4g.micro */
  readonly natSize?: string;
}

/** Default region and NAT machine. */
export const priceDefaults = {
  azure: { region: "eastus", natSize: defaultNatSize.azure },
  aws: { region: "us-east-1", natSize: defaultNatSize.aws },
} as const;

/** Measured region in price lists' notation: `eastus`, not `East US`. Undefined if no host reports it. */
export function measuredRegion({ hosts }: Pick<TopologyResult, "hosts">): string | undefined {
  const names = hosts.map(({ region }) => region?.toLowerCase().replaceAll(" ", "") ?? "");
  // Results may come from anybody, and this goes into requests to price services and into file names.
  return names.find((name) => /^[a-z][a-z0-9-]{1,39}$/.test(name));
}

/** Meters of a service's kind, where it is not the usual one, which has the plain meters. */
export function kindMeters(
  { kinds }: Pick<Topology, "kinds">,
  kind: unknown,
): Readonly<Record<string, string>> {
  return kinds === undefined || kind == null || kind === kinds.usual
    ? {}
    : Object.fromEntries(kinds.meters.map((meter) => [meter, String(kind)]));
}

/** The price basis of each column. */
export interface Pricing {
  readonly columns: readonly { readonly column: Column; readonly priced: PricedTopology }[];
  /** One sentence for each topology that is not priced in its measured region. */
  readonly notes: readonly string[];
}

/** The price basis of each column of a cloud; lab and existing hosts have none. Prices that a region lacks are the default region's. */
export function priceColumns(
  columns: readonly Column[],
  options: PricingOptions,
  books: Readonly<Record<PricedCloud, PriceBook>>,
): Pricing {
  const priced = columns.flatMap((column) => {
    const { cloud } = column.results;
    return isPriced(cloud) ? [{ column, priced: asMeasured(column, cloud, options) }] : [];
  });
  const regions = groupBy(priced, ({ priced: { region } }) => region);
  const notes = [...regions].map(([region, own]) => {
    const charges = own.flatMap(({ priced: one }) => topologyCost(one, NOTHING, books[one.cloud]).charges);
    const [book] = own.map(({ priced: { cloud } }) => books[cloud]);
    return borrowedText(charges, region, book?.origin);
  });
  return { columns: priced, notes: said(...notes) };
}

const NOTHING = { hours: 0, gbIn: 0, gbOut: 0 };

function asMeasured({ topology }: Column, cloud: PricedCloud, options: PricingOptions): PricedTopology {
  const defaults = priceDefaults[cloud];
  const nat = topology.hosts.find(({ role }) => role === "nat");
  return {
    topology: topology.topology,
    cloud,
    region: options.region ?? measuredRegion(topology) ?? defaults.region,
    standIn: defaults.region,
    natSize: options.natSize ?? nat?.size ?? defaults.natSize,
    kinds: kindMeters(topologyNamed(topology.topology) ?? {}, topology.kind),
    // Topologies with addresses unknown in advance still have one, except those that pay for none.
    publicIps: Math.max(1, topology.expectedSourceIps.length),
  };
}
