/**
 * Live prices of Azure, from the Retail Prices API, which needs no account.
 * Source: https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices
 */
import { z } from "zod";
import { validate } from "../../../bench/validate.ts";
import {
  answersTo,
  BusyError,
  type Fetched,
  type Pace,
  type PriceQuery,
  PriceServiceError,
  patiently,
  pricesOf,
  type Rows,
  retryAfterMs,
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
export async function fetchAzurePrices(query: PriceQuery): Promise<Fetched> {
  const wanted = [...queries, ...query.natSizes.map(machineQuery)];
  const filters = [...new Set(wanted.map(({ filter }) => filter))];
  const pace = { notBefore: 0 };
  const pages = await answersTo(filters, (filter) => fetchItems(query, filter, pace));
  const { region } = query;
  return pricesOf(
    { source: "Azure Retail Prices API", rows: "rows", region },
    wanted,
    wanted.map(({ filter }) => pages[filters.indexOf(filter)] ?? []),
    (one, page) => pricesIn(page, one, region),
  );
}

const MAX_PAGES = 50;

async function fetchItems(query: PriceQuery, filter: string, pace: Pace): Promise<Item[]> {
  const endpoint = new URL(query.endpoint ?? "https://prices.azure.com");
  const region = query.region.replaceAll("'", "''");
  // NAT gateway and load balancer meters are the same everywhere and sit under Global.
  const where = `${filter} and priceType eq 'Consumption' and (armRegionName eq '${region}' or armRegionName eq 'Global')`;
  let next: URL | null = new URL(`/api/retail/prices?$filter=${encodeURIComponent(where)}`, endpoint);
  const items: Item[] = [];
  for (let page = 0; next !== null; page++) {
    const url: URL = next;
    if (page === MAX_PAGES) {
      throw new PriceServiceError(`${endpoint.host}: more than ${MAX_PAGES} pages for ${filter}`);
    }
    const answer = validate(
      pageSchema,
      await patiently(() => requestJson(url, query.timeoutMs ?? 10_000), query, pace),
      ([problem]) => new PriceServiceError(`${endpoint.host}: ${problem}`),
    );
    items.push(...answer.Items);
    const link: string | null | undefined = answer.NextPageLink;
    next = link ? new URL(link) : null;
    if (next !== null && next.origin !== endpoint.origin) {
      throw new PriceServiceError(`${endpoint.host}: its next page is on another host, ${next.host}`);
    }
  }
  return items;
}

/** One try. @throws {PriceServiceError} naming the host and its answer */
async function requestJson(url: URL, timeoutMs: number): Promise<unknown> {
  let response: Response;
  let body: string;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: "error" });
    body = await response.text();
  } catch (error) {
    const { name, message, cause } = error as Error;
    if (name === "TimeoutError") {
      throw new PriceServiceError(`${url.host}: no answer within ${timeoutMs} ms`);
    }
    throw new BusyError(
      `${url.host}: cannot be reached: ${(cause as Error | undefined)?.message ?? message}`,
      0,
    );
  }
  if (!response.ok) {
    const problem = `${url.host}: expected HTTP 200, got ${response.status} ${body.slice(0, 120).trim()}`;
    throw response.status === 429 || response.status >= 500
      ? new BusyError(problem, retryAfterMs(response.headers.get("retry-after")))
      : new PriceServiceError(problem);
  }
  try {
    return JSON.parse(body);
  } catch {
    throw new PriceServiceError(`${url.host}: expected JSON, got "${body.slice(0, 60)}"`);
  }
}

/** A meter's prices among the rows of its service, or the reason why there are none. */
function pricesIn(items: readonly Item[], { meter, meterName, productName }: MeterQuery, region: string) {
  const fitting = items.filter(
    (item) =>
      item.type === "Consumption" &&
      meterName.test(item.meterName) &&
      (productName?.test(item.productName) ?? true) &&
      !/Spot|Low Priority/.test(`${item.skuName} ${item.meterName}`) &&
      !/Windows/.test(item.productName),
  );
  const regional = fitting.filter(({ armRegionName }) => armRegionName === region);
  const rows =
    regional.length > 0 ? regional : fitting.filter(({ armRegionName }) => armRegionName === "Global");
  const unfit = rows.find(({ unitOfMeasure }) => unitDivisor(unitOfMeasure, meter) === null);
  if (rows.length === 0 || unfit !== undefined) {
    return unfit === undefined ? "no row" : `unit "${unfit.unitOfMeasure}" does not fit`;
  }
  const prices: Rows = rows.map(({ tierMinimumUnits, retailPrice, unitOfMeasure }) => [
    tierMinimumUnits,
    retailPrice / (unitDivisor(unitOfMeasure, meter) ?? 1),
  ]);
  return { prices, region: regional.length > 0 ? region : null };
}

/** Meter units per price of `1 Hour`, `1 GB`, `1/Month` or `100 Hours`; null: another unit. */
function unitDivisor(unitOfMeasure: string, meter: string): number | null {
  const [, amount, unit] = /^(\d+)\s*\/?\s*(Hour|GB|Month)s?$/i.exec(unitOfMeasure) ?? [];
  const expected = /-(hour|gb|month)(:|$)/.exec(meter)?.[1];
  return amount !== undefined && unit?.toLowerCase() === expected && Number(amount) > 0
    ? Number(amount)
    : null;
}
