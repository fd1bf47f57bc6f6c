/**
 * Live prices of AWS, from the Price List Query API. The SDK finds credentials as the AWS CLI does (environment,
 * profiles, SSO, roles); they need `pricing:GetProducts`.
 * Source: https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
 */
import type { PricingClient } from "@aws-sdk/client-pricing";
import { z } from "zod";
import type { Price } from "../../../report/cost/prices.ts";
import {
  answersTo,
  BusyError,
  type Fetched,
  type Pace,
  type Patience,
  PriceServiceError,
  patiently,
  pricesOf,
  retryAfterMs,
  tiersOf,
} from "./patience.ts";

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
export interface AwsQuery extends Patience {
  /** @default "https://api.pricing.us-east-1.amazonaws.com" */
  readonly endpoint?: string;
  readonly region: string;
  /** Instance types of NAT machines. */
  readonly natSizes: readonly string[];
}

interface MeterQuery {
  readonly meter: string;
  readonly service: string;
  readonly filters: Readonly<Record<string, string>>;
  /** Value of `usagetype`, without the region's prefix. */
  readonly usage: RegExp;
  /** The service's units per unit of ours. */
  readonly factor?: number;
  /** Free units per month, which the offer does not list. */
  readonly freeGb?: number;
}

/** Free traffic to the internet, over all regions. Source: https://aws.amazon.com/ec2/pricing/on-demand/ (data transfer). */
const FREE_EGRESS_GB = 100;

/** GB of a NAT machine's disk in our stacks. */
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
 * Prices of every meter the service knows; missing or ambiguous answers are problems, not errors.
 *
 * @throws {PriceServiceError} when the service cannot be used at all.
 */
export async function fetchAwsPrices(query: AwsQuery): Promise<Fetched<Price>> {
  const client = await openClient(query);
  const pace = { notBefore: 0 };
  const wanted = queries(query);
  try {
    return pricesOf(
      wanted,
      await answersTo(wanted, (one) => fetchProducts(client, one, query, pace)),
      (one, products) => choose(query, one, products),
      ({ meter }, { message }) => problemOf(query, meter, message),
    );
  } finally {
    client.destroy();
  }
}

function problemOf({ region }: AwsQuery, meter: string, what: string): string {
  return `AWS Price List: ${meter} in ${region}: ${what}; the snapshot's price is used`;
}

/** Loads the SDK only on demand: most reports use the snapshot. */
async function openClient({ endpoint, timeoutMs = 10_000 }: AwsQuery): Promise<PricingClient> {
  const { PricingClient } = await import("@aws-sdk/client-pricing");
  return new PricingClient({
    region: "us-east-1",
    // Our own rule repeats requests: the SDK's back-off waits at most five seconds.
    maxAttempts: 1,
    requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs },
    ...(endpoint === undefined ? {} : { endpoint }),
  });
}

/** Converts the SDK's error: whether to ask again, with advice if credentials are missing. */
function explained(error: Error & SdkError, { endpoint }: AwsQuery): Error {
  const { name, message, $metadata, $response } = error;
  if (error instanceof PriceServiceError) {
    return error;
  }
  if (name === "CredentialsProviderError") {
    return new PriceServiceError(
      "no AWS credentials were found; log in (aws sso login, aws configure) or set AWS_PROFILE or AWS_ACCESS_KEY_ID, with permission for pricing:GetProducts",
    );
  }
  const host = endpoint === undefined ? "AWS Price List" : new URL(endpoint).host;
  const text = `${host}: ${name}: ${message.slice(0, 120)}`;
  const status = $metadata?.httpStatusCode ?? 0;
  const busy =
    status === 0 || status === 429 || status >= 500 || /throttl|too ?many|limit ?exceeded/i.test(name);
  return busy && name !== "TimeoutError"
    ? new BusyError(text, retryAfterMs($response?.headers?.["retry-after"]))
    : new PriceServiceError(text);
}

interface SdkError {
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly $response?: { readonly headers?: Readonly<Record<string, string>> };
}

const MAX_PAGES = 50;

async function fetchProducts(
  client: PricingClient,
  { service, filters }: MeterQuery,
  query: AwsQuery,
  pace: Pace,
): Promise<Product[]> {
  const { GetProductsCommand } = await import("@aws-sdk/client-pricing");
  const Filters = Object.entries(filters).map(([Field, Value]) => ({
    Type: "TERM_MATCH" as const,
    Field,
    Value,
  }));
  const products: Product[] = [];
  let token: string | undefined;
  for (let page = 0; page === 0 || token; page++) {
    if (page === MAX_PAGES) {
      throw new PriceServiceError(`AWS Price List: more than ${MAX_PAGES} pages for ${service}`);
    }
    const command = new GetProductsCommand({
      ...{ ServiceCode: service, FormatVersion: "aws_v1", Filters, MaxResults: 100 },
      ...(token ? { NextToken: token } : {}),
    });
    const send = () =>
      client.send(command).catch((error: Error) => {
        throw explained(error, query);
      });
    const { PriceList = [], NextToken } = await patiently(send, query, pace);
    products.push(...PriceList.map((text: unknown) => readProduct(String(text))));
    token = NextToken;
  }
  return products;
}

/** An entry of the list is itself JSON in a string. */
function readProduct(text: string): Product {
  try {
    return productSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new PriceServiceError(
      `AWS Price List: field PriceList: an entry is not a product: ${(error as Error).message.slice(0, 120)}`,
    );
  }
}

function choose(query: AwsQuery, wanted: MeterQuery, products: readonly Product[]): Price | string {
  const { region } = query;
  const problem = (what: string) => problemOf(query, wanted.meter, what);
  const dimensions = products
    .filter(({ product }) => wanted.usage.test(product.attributes.usagetype ?? ""))
    .flatMap(({ terms }) =>
      Object.values(terms.OnDemand ?? {}).flatMap((term) => Object.values(term.priceDimensions)),
    );
  if (dimensions.length === 0) {
    return problem("no product");
  }
  const found: [from: number, price: number][] = [];
  for (const { unit, beginRange, pricePerUnit } of dimensions) {
    const price = Number(pricePerUnit.USD) * (wanted.factor ?? 1);
    if (!fits(unit, wanted.meter) || !Number.isFinite(price)) {
      return problem(`unit "${unit}" or its price does not fit`);
    }
    found.push([Number(beginRange), price]);
  }
  const own = tiersOf(found, "products");
  if (typeof own === "string") {
    return problem(own);
  }
  const tiers = behindFree(own, wanted.freeGb ?? 0);
  return { meter: wanted.meter, region, tiers, source: "AWS Price List", checked: "the service itself" };
}

/** Tiers with the free units in front. */
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
