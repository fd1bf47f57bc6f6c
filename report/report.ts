/**
 * Everything a report says, worked out once; HTML, Markdown and CSV only lay it out.
 *
 * @module
 */
import { type Topology, topologyNamed } from "../bench/topologies/index.ts";
import type { BreakEven, CostLine } from "./charts/cost.ts";
import type { PublishedLimit } from "./charts/streams.ts";
import { type Column, type Comparison, compare } from "./comparison/comparison.ts";
import { type Cost, HOURS_PER_MONTH } from "./cost/bill.ts";
import { breakEvenGb, type PricedTopology, topologyCost } from "./cost/cost.ts";
import { type PriceBook, type PricedCloud, priceSnapshots } from "./cost/prices.ts";
import { type PricingOptions, priceColumns, pricedCloud } from "./cost/pricing.ts";
import { type Input, type ReadInputs, withoutDuplicates } from "./inputs.ts";
import { type PublishedFigure, publishedFigures } from "./published/published.ts";

export interface ReportOptions extends PricingOptions {
  /** Received from the internet in a month, in GB. @default 1000 */
  readonly gbIn?: number;
  /** Sent to the internet in a month, in GB. @default 200 */
  readonly gbOut?: number;
  /** @default the snapshot that ships with this package */
  readonly prices?: Readonly<Record<PricedCloud, PriceBook>>;
  /** What should be said about the prices, e.g. that the live ones could not be reached. */
  readonly priceProblems?: readonly string[];
  /** Drawn across the streams curve: the limit that the cloud publishes for the machines. */
  readonly limit?: PublishedLimit;
  /** When the report is made, as ISO 8601. */
  readonly madeAt: string;
}

export interface Report {
  readonly comparison: Comparison;
  /** One sentence each: what could not be read or compared. */
  readonly problems: readonly string[];
  /** One a column. */
  readonly costs: readonly PricedColumn[];
  readonly breakEvens: readonly BreakEven[];
  readonly costLines: readonly CostLine[];
  readonly usage: { readonly gbIn: number; readonly gbOut: number };
  readonly priceNotes: readonly string[];
  readonly published: readonly PublishedFigure[];
  readonly limit: PublishedLimit | null;
  readonly madeAt: string;
}

export interface PricedColumn {
  readonly column: Column;
  readonly priced: PricedTopology;
  readonly cost: Cost;
}

/** Works out a report of some inputs, of which none need be usable. */
export function makeReport(read: ReadInputs, options: ReportOptions): Report {
  const unique = withoutDuplicates(read.inputs);
  const comparison = compare(unique.inputs);
  const usage = { gbIn: options.gbIn ?? 1000, gbOut: options.gbOut ?? 200 };
  const prices = options.prices ?? priceSnapshots;
  const pricing = priceColumns(comparison.columns, options, prices);
  const costs = pricing.columns.map(({ column, priced }): PricedColumn => {
    const cost = topologyCost(priced, { hours: HOURS_PER_MONTH, ...usage }, prices[priced.cloud]);
    return { column, priced, cost };
  });
  const total = usage.gbIn + usage.gbOut;
  const outShare = total === 0 ? 0 : usage.gbOut / total;
  return {
    comparison,
    problems: [...read.problems, ...unique.problems, ...comparison.problems],
    costs,
    costLines: costs.map(({ column, priced }) => ({
      column,
      at: (gb) => {
        const traffic = { gbIn: gb * (1 - outShare), gbOut: gb * outShare };
        return topologyCost(priced, { hours: HOURS_PER_MONTH, ...traffic }, prices[priced.cloud]).totalUsd;
      },
    })),
    breakEvens: breakEvensOf(costs, outShare, prices),
    usage,
    priceNotes: [...pricing.notes, ...priceNotes(costs, prices, unique.inputs, options)],
    published: publishedFigures(comparison),
    limit: options.limit ?? null,
    madeAt: options.madeAt,
  };
}

/** What a topology translates by; null: neither a NAT instance nor a NAT gateway. */
function natOf({ topology }: PricedTopology): Topology["nat"] {
  return topologyNamed(topology)?.nat ?? null;
}

/** Between every NAT instance and every NAT gateway of one cloud. */
function breakEvensOf(
  costs: readonly PricedColumn[],
  outShare: number,
  prices: Readonly<Record<PricedCloud, PriceBook>>,
): BreakEven[] {
  const instances = costs.filter(({ priced }) => natOf(priced) === "instance");
  const gateways = costs.filter(({ priced }) => natOf(priced) === "gateway");
  return instances.flatMap((instance) =>
    gateways
      .filter(({ priced }) => priced.cloud === instance.priced.cloud)
      .flatMap((gateway) => {
        const gb = breakEvenGb(instance.priced, gateway.priced, HOURS_PER_MONTH, outShare, prices);
        if (gb === null) {
          return [];
        }
        const traffic = { gbIn: gb * (1 - outShare), gbOut: gb * outShare };
        const cost = topologyCost(
          gateway.priced,
          { hours: HOURS_PER_MONTH, ...traffic },
          prices[gateway.priced.cloud],
        );
        return [{ between: [instance.column.label, gateway.column.label] as const, gb, usd: cost.knownUsd }];
      }),
  );
}

/** Names the prices of the bill that nobody could compare with anything. */
function unverified(costs: readonly PricedColumn[]): string[] {
  const meters = costs.flatMap(({ cost }) =>
    cost.charges.filter(({ usd, checked }) => usd !== null && checked === null).map(({ meter }) => meter),
  );
  return meters.length === 0
    ? []
    : [`Unverified prices, from memory of the page that is named: ${[...new Set(meters)].join(", ")}.`];
}

const origins = {
  snapshot: "the snapshot that ships with egress-bench",
  live: "the cloud's price service",
  cache: "the cloud's price service, cached",
} as const;

function priceNotes(
  costs: readonly PricedColumn[],
  prices: Readonly<Record<PricedCloud, PriceBook>>,
  inputs: readonly Input[],
  options: ReportOptions,
): string[] {
  const clouds = [...new Set(costs.map(({ priced }) => priced.cloud))];
  const used = clouds.map((cloud) => {
    const { origin, asOf, note } = prices[cloud];
    const priced = costs.flatMap((entry) => (entry.priced.cloud === cloud ? [entry.priced] : []));
    const machines = priced.filter((one) => natOf(one) === "instance").map(({ natSize }) => natSize);
    const sizes = machines.length === 0 ? "" : ` NAT machine: ${[...new Set(machines)].join(", ")}.`;
    const regions = [...new Set(priced.map(({ region }) => region))].join(" and ");
    return `Prices of ${cloud}, ${regions}, as of ${asOf}${age(asOf, options.madeAt)}, from ${origins[origin]}. ${note}${sizes}`;
  });
  const lab = inputs.find(({ results }) => results.cloud === "local");
  const local =
    lab === undefined
      ? []
      : [
          `The local lab costs nothing: its topologies are priced as ${pricedCloud(lab.results, options.priceLocalAs)}'s.`,
        ];
  return [
    ...(options.priceProblems ?? []),
    ...used,
    ...local,
    ...unverified(costs),
    "Client and server are the reader's own and not in the bill.",
  ];
}

/** How old prices are when a report is made, where that is more than a day. */
function age(asOf: string, madeAt: string): string {
  const days = Math.floor((Date.parse(madeAt) - Date.parse(asOf)) / 86_400_000);
  return days > 1 ? ` (${days} days old)` : "";
}
