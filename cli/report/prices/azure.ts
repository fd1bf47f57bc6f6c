/**
 * Live prices of Azure, from the Retail Prices API, which needs no account.
 * Source: https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices
 */
import { z } from "zod";
import { issueWords } from "../../../bench/type-words.ts";
import type { Price } from "../../../report/cost/prices.ts";
import { requestJson } from "./http.ts";
import {
  answersTo,
  type Fetched,
  type Pace,
  type Patience,
  PriceServiceError,
  pricesOf,
  tiersOf,
} from "./patience.ts";

const itemSchema = z.object({
  retailPrice: z.number(),
  unitOfMeasure: z.string(),
  tierMinimumUnits: z.number(),
  armRegionName: z.string(),
  meterName: z.string(),
  productName: z.string(),
  skuName: z.string(),
  type: z.string(),
});
type Item = z.infer<typeof itemSchema>;
const pageSchema = z.object({ Items: z.array(itemSchema), NextPageLink: z.string().nullish() });

/** A query to Azure's price service. */
export interface AzureQuery extends Patience {
  /** @default "https://prices.azure.com" */
  readonly endpoint?: string;
  readonly region: string;
  /** Sizes of NAT machines. */
  readonly natSizes: readonly string[];
}

interface MeterQuery {
  readonly meter: string;
  readonly filter: string;
  readonly meterName: RegExp;
  readonly productName?: RegExp;
}

const nat = "serviceName eq 'NAT Gateway'";
const balancer = "serviceName eq 'Load Balancer' and skuName eq 'Standard'";
const network = "serviceName eq 'Virtual Network'";
const firewall = "serviceName eq 'Azure Firewall' and skuName eq 'Standard'";

/** Queries by meter. Filter values are case-sensitive. */
const queries: readonly MeterQuery[] = [
  { meter: "nat-gateway-hour", filter: nat, meterName: /^Standard Gateway$/ },
  { meter: "nat-gateway-gb", filter: nat, meterName: /^Standard Data Processed$/ },
  { meter: "load-balancer-hour", filter: balancer, meterName: /Included LB Rules/ },
  { meter: "load-balancer-gb", filter: balancer, meterName: /Data Processed$/ },
  {
    meter: "public-ip-hour",
    filter: `${network} and productName eq 'IP Addresses'`,
    meterName: /^Standard IPv4 Static Public IP$/,
  },
  {
    meter: "peering-gb",
    filter: `${network} and productName eq 'Virtual Network Peering'`,
    meterName: /^Intra-Region Egress$/,
  },
  { meter: "firewall-hour", filter: firewall, meterName: /Deployment$/ },
  { meter: "firewall-gb", filter: firewall, meterName: /Data Processed$/ },
  {
    meter: "vpn-gateway-hour",
    filter: "serviceName eq 'VPN Gateway' and skuName eq 'VpnGw1AZ'",
    // Connections beyond the first ten share the sku.
    meterName: /^VpnGw1AZ$/,
  },
  {
    meter: "expressroute-gateway-hour",
    filter: "serviceName eq 'ExpressRoute' and productName eq 'ExpressRoute Gateway'",
    meterName: /^ErGw1AZ Gateway$/,
  },
  {
    meter: "egress-gb",
    filter: "serviceName eq 'Bandwidth'",
    meterName: /^Standard Data Transfer Out$/,
    productName: /MGN/,
  },
  {
    meter: "disk-month",
    filter: "serviceName eq 'Storage' and skuName eq 'E4 LRS'",
    meterName: /^E4 LRS Disk$/,
    productName: /^Standard SSD Managed Disks$/,
  },
];

function machineQuery(size: string): MeterQuery {
  const filter = `serviceName eq 'Virtual Machines' and armSkuName eq '${size.replaceAll("'", "''")}'`;
  return { meter: `vm-hour:${size}`, filter, meterName: /./ };
}

/**
 * Prices of every meter the service knows; missing or ambiguous answers are problems, not errors.
 *
 * @throws {PriceServiceError} when the service cannot be used at all.
 */
export async function fetchAzurePrices(query: AzureQuery): Promise<Fetched<Price>> {
  const wanted = [...queries, ...query.natSizes.map(machineQuery)];
  const filters = [...new Set(wanted.map(({ filter }) => filter))];
  const pace = { notBefore: 0 };
  const pages = await answersTo(filters, (filter) => fetchItems(query, filter, pace));
  const pageOf = ({ filter }: MeterQuery) => pages[filters.indexOf(filter)] ?? [];
  return pricesOf(
    wanted,
    wanted.map(pageOf),
    (one, page) => choose(query, one, page),
    ({ meter }, { message }) => problemOf(query, meter, message),
  );
}

function problemOf({ region }: AzureQuery, meter: string, what: string): string {
  return `Azure Retail Prices API: ${meter} in ${region}: ${what}; the snapshot's price is used`;
}

const MAX_PAGES = 50;

async function fetchItems(query: AzureQuery, filter: string, pace: Pace): Promise<Item[]> {
  const endpoint = new URL(query.endpoint ?? "https://prices.azure.com");
  const region = query.region.replaceAll("'", "''");
  // NAT gateway and load balancer meters are the same everywhere and sit under Global.
  const where = `${filter} and priceType eq 'Consumption' and (armRegionName eq '${region}' or armRegionName eq 'Global')`;
  let next: URL | null = new URL(`/api/retail/prices?$filter=${encodeURIComponent(where)}`, endpoint);
  const items: Item[] = [];
  for (let page = 0; next !== null; page++) {
    if (page === MAX_PAGES) {
      throw new PriceServiceError(`${endpoint.host}: more than ${MAX_PAGES} pages for ${filter}`);
    }
    const answer = pageSchema.safeParse(await requestJson(next, query, pace));
    if (!answer.success) {
      throw new PriceServiceError(`${endpoint.host}: ${issueWords(answer.error.issues[0])}`);
    }
    items.push(...answer.data.Items);
    const link: string | null | undefined = answer.data.NextPageLink;
    next = link ? new URL(link) : null;
    if (next !== null && next.origin !== endpoint.origin) {
      throw new PriceServiceError(`${endpoint.host}: its next page is on another host, ${next.host}`);
    }
  }
  return items;
}

/** The price of one meter among the rows of its service, or the reason why there is none. */
function choose(query: AzureQuery, wanted: MeterQuery, items: readonly Item[]): Price | string {
  const { region } = query;
  const fitting = items.filter(
    (item) =>
      item.type === "Consumption" &&
      wanted.meterName.test(item.meterName) &&
      (wanted.productName?.test(item.productName) ?? true) &&
      !/Spot|Low Priority/.test(`${item.skuName} ${item.meterName}`) &&
      !/Windows/.test(item.productName),
  );
  const regional = fitting.filter(({ armRegionName }) => armRegionName === region);
  const rows =
    regional.length > 0 ? regional : fitting.filter(({ armRegionName }) => armRegionName === "Global");
  const problem = (what: string) => problemOf(query, wanted.meter, what);
  if (rows.length === 0) {
    return problem("no row");
  }
  const found: [from: number, price: number][] = [];
  for (const { tierMinimumUnits, retailPrice, unitOfMeasure } of rows) {
    const divisor = unitDivisor(unitOfMeasure, wanted.meter);
    if (divisor === null) {
      return problem(`unit "${unitOfMeasure}" does not fit`);
    }
    found.push([tierMinimumUnits, retailPrice / divisor]);
  }
  const tiers = tiersOf(found, "rows");
  const [where, source] = [regional.length > 0 ? region : null, "Azure Retail Prices API"];
  return typeof tiers === "string"
    ? problem(tiers)
    : { meter: wanted.meter, region: where, tiers, source, checked: "the service itself" };
}

/** Meter units per price of `1 Hour`, `1 GB`, `1/Month` or `100 Hours`; null: another unit. */
function unitDivisor(unitOfMeasure: string, meter: string): number | null {
  const [, amount, unit] = /^(\d+)\s*\/?\s*(Hour|GB|Month)s?$/i.exec(unitOfMeasure) ?? [];
  const expected = /-(hour|gb|month)(:|$)/.exec(meter)?.[1];
  return amount !== undefined && unit?.toLowerCase() === expected && Number(amount) > 0
    ? Number(amount)
    : null;
}
