/**
 * A price service on loopback with hand-made answers in the services' documented form. Proves the clients, not that the
 * services still answer so.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach } from "vitest";

export type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

export type PriceService = ReturnType<typeof priceService>;

/** A service for each test of a file. */
export function priceService() {
  let server: Server;
  const service = {
    endpoint: "",
    requests: 0,
    /** Empty when a test starts. */
    cacheDir: "",
    /** Answers requests; each test sets it. */
    handler: (() => {}) as Handler,
    /** Answers like Azure's service. */
    azure: ((request, _, response) => answerAsAzure(request, response, service.endpoint)) as Handler,
    /** Answers like AWS's service in ap-northeast-1, without public addresses. */
    aws: answerAsAws as Handler,
  };
  beforeEach(async () => {
    service.cacheDir = mkdtempSync(join(tmpdir(), "egress-bench-prices-"));
    service.requests = 0;
    server = createServer(async (request, response) => {
      service.requests += 1;
      const chunks: Buffer[] = [];
      for await (const chunk of request) {
        chunks.push(chunk as Buffer);
      }
      service.handler(request, Buffer.concat(chunks).toString(), response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    service.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(service.cacheDir, { recursive: true, force: true });
  });
  return service;
}

/** Answers, compressed if the request allows it, like both services. */
export const reply = (response: ServerResponse, body: unknown, status = 200) => {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const zipped = /\bgzip\b/.test(String(response.req.headers["accept-encoding"] ?? ""));
  response.writeHead(status, {
    "content-type": "application/json",
    ...(zipped ? { "content-encoding": "gzip" } : {}),
  });
  response.end(zipped ? gzipSync(text) : text);
};

/**
 * A row with every field of Azure's documentation.
 *
 * Source: https://learn.microsoft.com/rest/api/cost-management/retail-prices/azure-retail-prices#api-response-examples
 */
export const row = (change: object) => ({
  currencyCode: "USD",
  unitPrice: 0.045,
  location: "Global",
  effectiveStartDate: "2021-11-01T00:00:00Z",
  meterId: "000a794b-bdb0-58be-a0cd-0c3a0f222923",
  productId: "DZH318Z0BQPS",
  skuId: "DZH318Z0BQPS/00TG",
  serviceName: "NAT Gateway",
  serviceId: "DZH3180HX10K",
  serviceFamily: "Networking",
  isPrimaryMeterRegion: true,
  armSkuName: "",
  retailPrice: 0.045,
  unitOfMeasure: "1 Hour",
  tierMinimumUnits: 0,
  armRegionName: "Global",
  meterName: "Standard Gateway",
  productName: "NAT Gateway",
  skuName: "Standard",
  type: "Consumption",
  ...change,
});

/** Azure rows by a word of the filter. All regions have eastus's. */
const azureRows: Record<string, ReturnType<typeof row>[]> = {
  "'NAT Gateway'": [row({}), row({ meterName: "Standard Data Processed", unitOfMeasure: "1 GB" })],
  "'Virtual Machines'": [
    row({
      meterName: "D2ls v5",
      productName: "Virtual Machines Dlsv5 Series",
      armRegionName: "eastus",
      retailPrice: 0.085,
    }),
    row({
      meterName: "D2ls v5 Spot",
      skuName: "D2ls v5 Spot",
      productName: "Virtual Machines Dlsv5 Series",
      armRegionName: "eastus",
      retailPrice: 0.01,
    }),
    row({
      meterName: "D2ls v5 Low Priority",
      skuName: "D2ls v5 Low Priority",
      productName: "Virtual Machines Dlsv5 Series",
      armRegionName: "eastus",
      retailPrice: 0.02,
    }),
    row({
      meterName: "D2ls v5",
      productName: "Virtual Machines Dlsv5 Series Windows",
      armRegionName: "eastus",
      retailPrice: 0.177,
    }),
    row({
      meterName: "D2ls v5",
      productName: "Virtual Machines Dlsv5 Series",
      armRegionName: "eastus",
      retailPrice: 500,
      type: "Reservation",
    }),
  ],
  "'VPN Gateway'": [
    row({ meterName: "VpnGw1AZ", skuName: "VpnGw1AZ", productName: "VPN Gateway", retailPrice: 0.361 }),
    row({ meterName: "S2S Connection", skuName: "VpnGw1AZ", productName: "VPN Gateway", retailPrice: 0.015 }),
  ],
  "'ExpressRoute Gateway'": [1, 2].map((size) =>
    row({
      meterName: `ErGw${size}AZ Gateway`,
      skuName: `ErGw${size}AZ`,
      productName: "ExpressRoute Gateway",
      armRegionName: "eastus",
      retailPrice: 0.361 * size,
    }),
  ),
  "'IP Addresses'": [
    row({
      meterName: "Standard IPv4 Static Public IP",
      productName: "IP Addresses",
      unitOfMeasure: "100 Hours",
      retailPrice: 0.5,
    }),
  ],
  "'Bandwidth'": [0, 100, 10340].map((from) =>
    row({
      meterName: "Standard Data Transfer Out",
      productName: "Rtn Preference: MGN",
      unitOfMeasure: "1 GB",
      armRegionName: "eastus",
      tierMinimumUnits: from,
      retailPrice: from === 0 ? 0 : from === 100 ? 0.087 : 0.083,
    }),
  ),
};

function answerAsAzure(request: IncomingMessage, response: ServerResponse, endpoint: string): void {
  const url = new URL(request.url ?? "", endpoint);
  const filter = url.searchParams.get("$filter") ?? "";
  const asked = /armRegionName eq '(\w+)'/.exec(filter)?.[1];
  const rows = (Object.entries(azureRows).find(([word]) => filter.includes(word))?.[1] ?? []).map((one) =>
    one.armRegionName === "eastus" ? { ...one, armRegionName: asked } : one,
  );
  // One row per page, so that every answer has pages.
  const skip = Number(url.searchParams.get("$skip") ?? 0);
  url.searchParams.set("$skip", String(skip + 1));
  const page = rows.slice(skip, skip + 1);
  reply(response, {
    ...{ BillingCurrency: "USD", CustomerEntityId: "Default", CustomerEntityType: "Retail" },
    ...{ Items: page, NextPageLink: skip + 1 < rows.length ? url.href : null, Count: page.length },
  });
}

/**
 * A list entry as in AWS's documentation, with a reserved term, which is not an on-demand price.
 *
 * Source: https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api-get-products.html
 */
const product = (
  usagetype: string,
  dimensions: readonly (readonly [unit: string, begin: string, usd: string])[],
) => {
  const sku = "2223B6PCG6QAUYY6";
  const term = (offerTermCode: string, own: typeof dimensions) => ({
    [`${sku}.${offerTermCode}`]: {
      ...{ offerTermCode, sku, effectiveDate: "2026-11-01T00:00:00Z", termAttributes: {} },
      priceDimensions: Object.fromEntries(
        own.map(([unit, beginRange, USD], index) => {
          const rateCode = `${sku}.${offerTermCode}.${index}`;
          const endRange = own[index - 1]?.[1] ?? "Inf";
          const rest = { rateCode, endRange, appliesTo: [], description: `$${USD} per ${unit}` };
          return [rateCode, { ...rest, unit, beginRange, pricePerUnit: { USD } }];
        }),
      ),
    },
  });
  return JSON.stringify({
    product: {
      productFamily: "Any",
      attributes: { servicecode: "AmazonEC2", regionCode: "ap-northeast-1", operation: "", usagetype },
      sku,
    },
    serviceCode: "AmazonEC2",
    terms: {
      OnDemand: term("JRTCKXETXF", dimensions),
      Reserved: term("HU7G6KETJZ", [["Quantity", "0", "99"]]),
    },
    version: "20261101000000",
    publicationDate: "2026-11-01T00:00:00Z",
  });
};

/** Filters of a request to AWS's service, by field. */
function awsFilters(body: string): Readonly<Record<string, string>> {
  const { Filters } = JSON.parse(body) as { Filters: { Field: string; Value: string }[] };
  return Object.fromEntries(Filters.map(({ Field, Value }) => [Field, Value]));
}

function answerAsAws(_request: IncomingMessage, body: string, response: ServerResponse): void {
  const { NextToken } = JSON.parse(body) as { NextToken?: string };
  const asked = awsFilters(body);
  if (asked.productFamily === "NAT Gateway") {
    const page = NextToken
      ? { FormatVersion: "aws_v1", PriceList: [product("APN1-NatGateway-Bytes", [["GB", "0", "0.062"]])] }
      : { PriceList: [product("APN1-NatGateway-Hours", [["Hrs", "0", "0.062"]])], NextToken: "more" };
    reply(response, page);
    return;
  }
  const egress = [
    ["GB", "10240", "0.089"],
    ["GB", "0", "0.114"],
  ] as const;
  reply(response, {
    PriceList: asked.instanceType
      ? [product(`APN1-BoxUsage:${asked.instanceType}`, [["Hrs", "0", "0.0108"]])]
      : asked.fromRegionCode
        ? [product("APN1-DataTransfer-Out-Bytes", egress)]
        : asked.volumeApiName
          ? [product("APN1-EBS:VolumeUsage.gp3", [["GB-Mo", "0", "0.096"]])]
          : [],
  });
}

export const azureQuery = ({ endpoint }: PriceService) => ({
  endpoint,
  region: "eastus",
  natSizes: ["Standard_D2ls_v5"],
  timeoutMs: 1000,
  backOffMs: 1,
});
