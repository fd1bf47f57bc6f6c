/**
 * Live prices of AWS, from the Price List Query API. The SDK finds credentials as the AWS CLI does (environment,
 * profiles, SSO, roles); they need `pricing:GetProducts`.
 * Source: https://docs.aws.amazon.com/aws-cost-management/latest/APIReference/API_pricing_GetProducts.html
 */
import type { PricingClient } from "@aws-sdk/client-pricing";
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

const DISK_GB = 8;

function queries({ region, natSizes }: PriceQuery): MeterQuery[] {
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
export async function fetchAwsPrices(query: PriceQuery): Promise<Fetched> {
  const client = await openClient(query);
  const pace = { notBefore: 0 };
  const wanted = queries(query);
  const { region } = query;
  try {
    const answers = await answersTo(wanted, (one) => fetchProducts(client, one, query, pace));
    return pricesOf(
      { source: "AWS Price List", rows: "products", region },
      wanted,
      answers,
      (one, products) => {
        const prices = pricesIn(products, one);
        return typeof prices === "string" ? prices : { prices, region };
      },
    );
  } finally {
    client.destroy();
  }
}

/** Loads the SDK only on demand: most reports use the snapshot. */
async function openClient({ endpoint, timeoutMs = 10_000 }: PriceQuery): Promise<PricingClient> {
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
function explained(error: Error & SdkError, { endpoint }: PriceQuery): Error {
  const { name, message, $metadata, $response } = error;
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
  query: PriceQuery,
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
  const refuse = (why: string) =>
    new PriceServiceError(`AWS Price List: PriceList: an entry is not a product: ${why.slice(0, 120)}`);
  let product: unknown;
  try {
    product = JSON.parse(text);
  } catch (error) {
    throw refuse((error as Error).message);
  }
  return validate(productSchema, product, ([problem]) => refuse(problem));
}

function pricesIn(products: readonly Product[], { usage, meter, factor = 1 }: MeterQuery): Rows | string {
  const dimensions = products
    .filter(({ product }) => usage.test(product.attributes.usagetype ?? ""))
    .flatMap(({ terms }) =>
      Object.values(terms.OnDemand ?? {}).flatMap((term) => Object.values(term.priceDimensions)),
    );
  const priceOf = ({ USD }: { USD?: string | undefined }) => Number(USD) * factor;
  const unfit = dimensions.find(
    ({ unit, pricePerUnit }) => !fits(unit, meter) || !Number.isFinite(priceOf(pricePerUnit)),
  );
  if (unfit !== undefined) {
    return `unit "${unfit.unit}" or its price does not fit`;
  }
  return dimensions.length === 0
    ? "no product"
    : dimensions.map(({ beginRange, pricePerUnit }) => [Number(beginRange), priceOf(pricePerUnit)]);
}

function fits(unit: string, meter: string): boolean {
  const kind = /-(hour|gb|month)(:|$)/.exec(meter)?.[1];
  const units = { hour: /^(hrs|hours?)$/i, gb: /^(gb|gigabytes?)$/i, month: /^gb-mo(nth)?$/i };
  return kind !== undefined && units[kind as keyof typeof units].test(unit);
}
