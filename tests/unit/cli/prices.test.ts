/**
 * Live prices against a price service on loopback, with hand-made answers in the services' documented shapes.
 * Proves the clients, not that the services still answer so.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchAwsPrices } from "../../../cli/prices/aws.ts";
import { signAws } from "../../../cli/prices/aws-signature.ts";
import { fetchAzurePrices } from "../../../cli/prices/azure.ts";
import { loadLivePrices } from "../../../cli/prices/load.ts";
import { findPrice } from "../../../report/index.ts";

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;
let server: Server;
let endpoint: string;
let handler: Handler;
let requests: number;
let cacheDir: string;

beforeEach(async () => {
  cacheDir = mkdtempSync(join(tmpdir(), "egress-bench-prices-"));
  requests = 0;
  server = createServer(async (request, response) => {
    requests += 1;
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    handler(request, Buffer.concat(chunks).toString(), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(cacheDir, { recursive: true, force: true });
});

const reply = (response: ServerResponse, body: unknown, status = 200) => {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
};

const row = (change: object) => ({
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

/** Azure rows by a word of the filter. */
const azureRows: Record<string, object[]> = {
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

const azureService: Handler = (request, _, response) => {
  const url = new URL(request.url ?? "", endpoint);
  const filter = url.searchParams.get("$filter") ?? "";
  const rows = Object.entries(azureRows).find(([word]) => filter.includes(word))?.[1] ?? [];
  // A row a page: every answer is paged.
  const skip = Number(url.searchParams.get("$skip") ?? 0);
  url.searchParams.set("$skip", String(skip + 1));
  reply(response, {
    Items: rows.slice(skip, skip + 1),
    NextPageLink: skip + 1 < rows.length ? url.href : null,
  });
};

const azureQuery = () => ({
  endpoint,
  region: "eastus",
  natSizes: ["Standard_D2ls_v5"],
  timeoutMs: 1000,
  backOffMs: 1,
});

describe("fetchAzurePrices", () => {
  it("reads all pages, Global meters and tiers, divides by the unit, leaves out Spot, Low Priority and Windows", async () => {
    handler = azureService;
    const { prices, problems } = await fetchAzurePrices(azureQuery());
    const tiers = (meter: string) => prices.find((price) => price.meter === meter)?.tiers;
    expect(tiers("nat-gateway-hour")).toEqual([{ from: 0, usd: 0.045 }]);
    expect(tiers("nat-gateway-gb")).toEqual([{ from: 0, usd: 0.045 }]);
    expect(tiers("vm-hour:Standard_D2ls_v5")).toEqual([{ from: 0, usd: 0.085 }]);
    expect(tiers("public-ip-hour")).toEqual([{ from: 0, usd: 0.005 }]);
    expect(tiers("egress-gb")).toEqual([
      { from: 0, usd: 0 },
      { from: 100, usd: 0.087 },
      { from: 10340, usd: 0.083 },
    ]);
    expect(prices.find(({ meter }) => meter === "nat-gateway-hour")?.region).toBeNull();
    expect(problems).toContain(
      "Azure Retail Prices API: firewall-hour in eastus: no row; the snapshot's price is used",
    );
  });

  it("asks for every size of NAT machine", async () => {
    const asked: string[] = [];
    handler = (request, ...rest) => {
      asked.push(decodeURIComponent(request.url ?? ""));
      azureService(request, ...rest);
    };
    const natSizes = ["Standard_D2ls_v5", "Standard_B2ats_v2"];
    const { prices } = await fetchAzurePrices({ ...azureQuery(), natSizes });
    for (const size of natSizes) {
      expect(prices.map(({ meter }) => meter)).toContain(`vm-hour:${size}`);
      expect(asked.join("\n")).toContain(`armSkuName eq '${size}'`);
    }
  });

  it.each([
    ["two prices for one thing", [row({}), row({ retailPrice: 0.05 })], "several rows with different prices"],
    ["another unit", [row({ unitOfMeasure: "1 GB" })], 'unit "1 GB" does not fit'],
    ["no first tier", [row({ tierMinimumUnits: 100 })], "no price for the first unit"],
    ["only Spot", [row({ skuName: "Standard Spot" })], "no row"],
  ])("takes no price from %s", async (_, Items, problem) => {
    handler = (_request, _body, response) => reply(response, { Items, NextPageLink: null });
    const { prices, problems } = await fetchAzurePrices(azureQuery());
    expect(prices.some(({ meter }) => meter === "nat-gateway-hour")).toBe(false);
    expect(problems.find((text) => text.includes("nat-gateway-hour"))).toContain(problem);
  });

  it.each<[string, Handler, RegExp]>([
    [
      "an HTTP error",
      (_q, _b, response) => reply(response, "no such filter", 400),
      /expected HTTP 200, got 400 no such filter/,
    ],
    ["a failing service", (_q, _b, response) => reply(response, "", 503), /expected HTTP 200, got 503/],
    ["no JSON", (_q, _b, response) => reply(response, "<html>"), /expected JSON, got "<html>"/],
    ["another shape", (_q, _b, response) => reply(response, { Items: [{}] }), /field Items\.0\.retailPrice/],
    ["silence", () => undefined, /no answer within 50 ms/],
    [
      "a page elsewhere",
      (_q, _b, response) => reply(response, { Items: [], NextPageLink: "http://192.0.2.1/" }),
      /on another host, 192\.0\.2\.1/,
    ],
    [
      "pages without end",
      (request, _b, response) => reply(response, { Items: [], NextPageLink: `${endpoint}${request.url}` }),
      /more than 50 pages/,
    ],
  ])("says what came in place of prices: %s", async (what, answer, message) => {
    handler = answer;
    await expect(
      fetchAzurePrices({ ...azureQuery(), timeoutMs: what === "silence" ? 50 : 5000 }),
    ).rejects.toThrow(message);
  });

  it("asks again when the service was busy", async () => {
    const refused = new Set<string>();
    handler = (request, body, response) => {
      const first = !refused.has(request.url ?? "");
      refused.add(request.url ?? "");
      first ? reply(response, "slow down", 429) : azureService(request, body, response);
    };
    expect((await fetchAzurePrices(azureQuery())).prices.length).toBeGreaterThan(3);
  });
});

describe("fetchAwsPrices", () => {
  const credentials = {
    accessKeyId: "AKIDEXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  };
  const product = (usagetype: string, dimensions: [unit: string, begin: string, usd: string][]) =>
    JSON.stringify({
      product: { attributes: { usagetype } },
      terms: {
        OnDemand: {
          term: {
            priceDimensions: Object.fromEntries(
              dimensions.map(([unit, beginRange, USD], index) => [
                index,
                { unit, beginRange, pricePerUnit: { USD } },
              ]),
            ),
          },
        },
      },
    });

  it("reads products that are JSON in strings, page after page, with signed requests", async () => {
    const seen: string[] = [];
    handler = (request, body, response) => {
      seen.push(String(request.headers.authorization));
      const { Filters, NextToken } = JSON.parse(body) as {
        Filters: { Field: string; Value: string }[];
        NextToken?: string;
      };
      const value = (field: string) => Filters.find(({ Field }) => Field === field)?.Value;
      if (value("productFamily") === "NAT Gateway") {
        const page = NextToken
          ? { PriceList: [product("APN1-NatGateway-Bytes", [["GB", "0", "0.062"]])] }
          : { PriceList: [product("APN1-NatGateway-Hours", [["Hrs", "0", "0.062"]])], NextToken: "more" };
        reply(response, page);
      } else if (value("instanceType")) {
        expect(Filters.map(({ Field, Value }) => `${Field}=${Value}`)).toEqual(
          expect.arrayContaining(["operatingSystem=Linux", "tenancy=Shared", "capacitystatus=Used"]),
        );
        reply(response, { PriceList: [product("APN1-BoxUsage:t4g.micro", [["Hrs", "0", "0.0108"]])] });
      } else if (value("fromRegionCode")) {
        reply(response, {
          PriceList: [
            product("APN1-DataTransfer-Out-Bytes", [
              ["GB", "10240", "0.089"],
              ["GB", "0", "0.114"],
            ]),
          ],
        });
      } else if (value("volumeApiName")) {
        reply(response, { PriceList: [product("APN1-EBS:VolumeUsage.gp3", [["GB-Mo", "0", "0.096"]])] });
      } else {
        reply(response, { PriceList: [] });
      }
    };
    const { prices, problems } = await fetchAwsPrices({
      endpoint,
      region: "ap-northeast-1",
      natSizes: ["t4g.micro"],
      credentials,
      backOffMs: 1,
    });
    const tiers = (meter: string) => prices.find((price) => price.meter === meter)?.tiers;
    expect(tiers("nat-gateway-hour")).toEqual([{ from: 0, usd: 0.062 }]);
    expect(tiers("nat-gateway-gb")).toEqual([{ from: 0, usd: 0.062 }]);
    expect(tiers("vm-hour:t4g.micro")).toEqual([{ from: 0, usd: 0.0108 }]);
    expect(tiers("egress-gb")).toEqual([
      { from: 0, usd: 0.114 },
      { from: 10240, usd: 0.089 },
    ]);
    expect(tiers("disk-month")?.[0]?.usd).toBeCloseTo(0.768, 10);
    expect(problems).toEqual([
      "AWS Price List: public-ip-hour in ap-northeast-1: no product; the snapshot's price is used",
    ]);
    expect(
      seen.every((text) =>
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/us-east-1\/pricing\/aws4_request/.test(text),
      ),
    ).toBe(true);
  });

  it("names a product that is none", async () => {
    handler = (_request, _body, response) => reply(response, { PriceList: ["{}"] });
    const query = { endpoint, region: "us-east-1", natSizes: ["t4g.micro"], credentials, backOffMs: 1 };
    await expect(fetchAwsPrices(query)).rejects.toThrow(/field PriceList: an entry is no product/);
  });

  it("signs as AWS's own published example", () => {
    const headers = signAws(
      {
        method: "GET",
        url: new URL("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08"),
        headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
        body: "",
        service: "iam",
        region: "us-east-1",
        at: new Date("2015-08-30T12:36:00Z"),
      },
      credentials,
    );
    expect(headers.authorization).toMatch(
      /Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7$/,
    );
  });
});

describe("loadLivePrices", () => {
  const request = (change: object = {}) => ({
    cloud: "azure" as const,
    cacheDir,
    now: new Date("2026-11-21T12:00:00Z"),
    environment: {},
    ...azureQuery(),
    ...change,
  });

  it("asks once a day, and fills up from the snapshot", async () => {
    handler = azureService;
    const first = await loadLivePrices(request());
    expect(first.book).toMatchObject({ origin: "live", asOf: "2026-11-21" });
    expect(findPrice(first.book, "load-balancer-hour", "eastus")?.source).toContain("snapshot of");
    const asked = requests;
    const second = await loadLivePrices(request());
    expect(second.book.origin).toBe("cache");
    expect(requests).toBe(asked);
    const other = await loadLivePrices(request({ region: "westus" }));
    expect(other.book.origin).toBe("live");
    await loadLivePrices(request({ now: new Date("2026-11-23T12:00:00Z") }));
    expect(requests).toBeGreaterThan(asked);
  });

  it("falls back to an older cache, else to the snapshot, and says so", async () => {
    handler = (_request, _body, response) => reply(response, "", 500);
    const none = await loadLivePrices(request());
    expect(none.book.origin).toBe("snapshot");
    expect(none.problems[0]).toMatch(
      /^Live prices of azure could not be had .* got 500.*: the snapshot of .* is used\.$/,
    );
    handler = azureService;
    await loadLivePrices(request());
    handler = (_request, _body, response) => reply(response, "", 500);
    const old = await loadLivePrices(request({ now: new Date("2026-12-24T12:00:00Z") }));
    expect(old.book).toMatchObject({ origin: "cache", asOf: "2026-11-21" });
    expect(old.problems[0]).toContain("those of 2026-11-21 are used");
  });

  it("takes a broken cache for none", async () => {
    handler = azureService;
    writeFileSync(join(cacheDir, "azure_eastus_Standard_D2ls_v5.json"), '{"cloud":"azure"');
    expect((await loadLivePrices(request())).book.origin).toBe("live");
  });

  it("asks AWS only with credentials", async () => {
    const { book, problems } = await loadLivePrices(
      request({ cloud: "aws", natSizes: ["t4g.micro"], region: "us-east-1" }),
    );
    expect(book.origin).toBe("snapshot");
    expect(problems[0]).toContain("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
    expect(requests).toBe(0);
  });
});
