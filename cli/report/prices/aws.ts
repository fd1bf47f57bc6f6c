/**
 * Live prices of AWS, from the Price List Query API. The SDK finds credentials as the AWS CLI does (environment,
 * profiles, SSO, roles); they need `pricing:GetProducts`.
 * Source: https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
 *
 * @module
 */
import type { PricingClient } from "@aws-sdk/client-pricing";
import { z } from "zod";
import type { Price } from "../../../report/cost/prices.ts";
import { type HttpOptions, PriceServiceError } from "./http.ts";

const productSchema = z.object({
  product: z.object({ attributes: z.record(z.string(), z.string()) }),
  terms: z.object({
    OnDemand: z
      .record(
        z.string(),
        z.object({
          priceDimensions: z.record(
            z.string(),
            z.object({
              unit: z.string(),
              beginRange: z.string().default("0"),
              pricePerUnit: z.object({ USD: z.string().optional() }),
            }),
          ),
        }),
      )
      .optional(),
  }),
});
type Product = z.infer<typeof productSchema>;

/** A query to AWS's price service. */
export interface AwsQuery extends HttpOptions {
  /** @default "https://api.pricing.us-east-1.amazonaws.com" */
  readonly endpoint?: string;
  readonly region: string;
  /** Types of NAT machines. */
  readonly natSizes: readonly string[];
}

interface MeterQuery {
  readonly meter: string;
  readonly service: string;
  readonly filters: Readonly<Record<string, string>>;
  /** Value of `usagetype`, without the region's prefix. */
  readonly usage: RegExp;
  /** Units of the service in one of ours. */
  readonly factor?: number;
  /** Units a month that cost nothing and that the offer does not list. */
  readonly freeGb?: number;
}

/** Sent to the internet, over all regions. Source: https://aws.amazon.com/ec2/pricing/on-demand/ (data transfer). */
const FREE_EGRESS_GB = 100;

/** GB of the NAT machine's disk in our stacks. */
const DISK_GB = 8;

function queries({ region, natSizes }: AwsQuery): MeterQuery[] {
  const nat = { service: "AmazonEC2", filters: { regionCode: region, productFamily: "NAT Gateway" } };
  return [
    { meter: "nat-gateway-hour", ...nat, usage: /(^|-)NatGateway-Hours$/ },
    { meter: "nat-gateway-gb", ...nat, usage: /(^|-)NatGateway-Bytes$/ },
    {
      meter: "public-ip-hour",
      service: "AmazonVPC",
      filters: { regionCode: region, group: "VPCPublicIPv4Address" },
      usage: /(^|-)PublicIPv4:InUseAddress$/,
    },
    {
      meter: "egress-gb",
      service: "AWSDataTransfer",
      filters: { fromRegionCode: region, transferType: "AWS Outbound", toLocation: "External" },
      usage: /(^|-)DataTransfer-Out-Bytes$/,
      freeGb: FREE_EGRESS_GB,
    },
    {
      meter: "disk-month",
      service: "AmazonEC2",
      filters: { regionCode: region, productFamily: "Storage", volumeApiName: "gp3" },
      usage: /(^|-)EBS:VolumeUsage\.gp3$/,
      factor: DISK_GB,
    },
    ...natSizes.map((instanceType) => ({
      meter: `vm-hour:${instanceType}`,
      service: "AmazonEC2",
      filters: {
        regionCode: region,
        instanceType,
        operatingSystem: "Linux",
        tenancy: "Shared",
        capacitystatus: "Used",
        preInstalledSw: "NA",
      },
      usage: /(^|-)BoxUsage:/,
    })),
  ];
}

/**
 * Prices of every meter the service knows; what it lacks or answers ambiguously is a problem, not an error.
 *
 * @throws {PriceServiceError} when the service cannot be used at all.
 */
export async function fetchAwsPrices(query: AwsQuery): Promise<{ prices: Price[]; problems: string[] }> {
  const client = await openClient(query);
  try {
    const answers = queries(query).map(async (wanted) =>
      choose(query, wanted, await fetchProducts(client, wanted)),
    );
    const chosen = await Promise.all(answers);
    return {
      prices: chosen.filter((answer) => typeof answer !== "string"),
      problems: chosen.filter((answer) => typeof answer === "string"),
    };
  } catch (error) {
    throw error instanceof PriceServiceError ? error : explained(error as Error, query);
  } finally {
    client.destroy();
  }
}

/** The SDK is loaded only when somebody asks: most reports use the snapshot. */
async function openClient({ endpoint, timeoutMs = 10_000 }: AwsQuery): Promise<PricingClient> {
  const { PricingClient } = await import("@aws-sdk/client-pricing");
  return new PricingClient({
    region: "us-east-1",
    maxAttempts: 3,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
    ...(endpoint === undefined ? {} : { endpoint }),
  });
}

/** The error's message, with advice where credentials are missing. */
function explained(error: Error, { endpoint }: AwsQuery): PriceServiceError {
  const host = endpoint === undefined ? "AWS Price List" : new URL(endpoint).host;
  return new PriceServiceError(
    error.name === "CredentialsProviderError"
      ? `no AWS credentials were found; log in (aws sso login, aws configure) or set AWS_PROFILE or AWS_ACCESS_KEY_ID, with leave for pricing:GetProducts`
      : `${host}: ${error.name}: ${error.message.slice(0, 120)}`,
  );
}

const MAX_PAGES = 50;

async function fetchProducts(client: PricingClient, { service, filters }: MeterQuery): Promise<Product[]> {
  const { paginateGetProducts } = await import("@aws-sdk/client-pricing");
  const pages = paginateGetProducts(
    { client, pageSize: 100 },
    {
      ServiceCode: service,
      FormatVersion: "aws_v1",
      Filters: Object.entries(filters).map(([Field, Value]) => ({ Type: "TERM_MATCH", Field, Value })),
    },
  );
  const products: Product[] = [];
  let count = 0;
  for await (const { PriceList = [] } of pages) {
    if (++count > MAX_PAGES) {
      throw new PriceServiceError(`AWS Price List: more than ${MAX_PAGES} pages for ${service}`);
    }
    products.push(...PriceList.map((text: unknown) => readProduct(String(text))));
  }
  return products;
}

/** An entry of the list is itself JSON in a string. */
function readProduct(text: string): Product {
  try {
    return productSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new PriceServiceError(
      `AWS Price List: field PriceList: an entry is no product: ${(error as Error).message.slice(0, 120)}`,
    );
  }
}

function choose({ region }: AwsQuery, wanted: MeterQuery, products: readonly Product[]): Price | string {
  const problem = (what: string) =>
    `AWS Price List: ${wanted.meter} in ${region}: ${what}; the snapshot's price is used`;
  const dimensions = products
    .filter(({ product }) => wanted.usage.test(product.attributes.usagetype ?? ""))
    .flatMap(({ terms }) =>
      Object.values(terms.OnDemand ?? {}).flatMap((term) => Object.values(term.priceDimensions)),
    );
  if (dimensions.length === 0) {
    return problem("no product");
  }
  const tiers = new Map<number, number>();
  for (const { unit, beginRange, pricePerUnit } of dimensions) {
    const price = Number(pricePerUnit.USD) * (wanted.factor ?? 1);
    if (!fits(unit, wanted.meter) || !Number.isFinite(price)) {
      return problem(`unit "${unit}" or its price does not fit`);
    }
    const from = Number(beginRange);
    if ((tiers.get(from) ?? price) !== price) {
      return problem("several products with different prices");
    }
    tiers.set(from, price);
  }
  const sorted = [...tiers].sort(([a], [b]) => a - b).map(([from, price]) => ({ from, price }));
  return sorted[0]?.from === 0
    ? {
        meter: wanted.meter,
        region,
        tiers: behindFree(sorted, wanted.freeGb ?? 0),
        source: "AWS Price List",
        checked: "the service itself",
      }
    : problem("no price for the first unit");
}

/** Tiers with the free units put before them. */
function behindFree(tiers: Price["tiers"], free: number): Price["tiers"] {
  return free === 0
    ? tiers
    : [{ from: 0, price: 0 }, ...tiers.map(({ from, price }) => ({ from: from + free, price }))];
}

function fits(unit: string, meter: string): boolean {
  const kind = /-(hour|gb|month)(:|$)/.exec(meter)?.[1];
  const units = { hour: /^(hrs|hours?)$/i, gb: /^(gb|gigabytes?)$/i, month: /^gb-mo(nth)?$/i };
  return kind !== undefined && units[kind as keyof typeof units].test(unit);
}
