import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fetchAwsPrices } from "../../../cli/report/prices/aws.ts";
import { priceService, reply } from "../../helpers/price-service.ts";

const service = priceService();

describe("fetchAwsPrices", () => {
  beforeEach(() => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
  });
  afterEach(() => vi.unstubAllEnvs());

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

  it("reads products that are JSON in strings, page after page, with signed service.requests", async () => {
    const seen: string[] = [];
    service.handler = (request, body, response) => {
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
      endpoint: service.endpoint,
      region: "ap-northeast-1",
      natSizes: ["t4g.micro"],
    });
    const tiers = (meter: string) => prices.find((price) => price.meter === meter)?.tiers;
    expect(tiers("nat-gateway-hour")).toEqual([{ from: 0, price: 0.062 }]);
    expect(tiers("nat-gateway-gb")).toEqual([{ from: 0, price: 0.062 }]);
    expect(tiers("vm-hour:t4g.micro")).toEqual([{ from: 0, price: 0.0108 }]);
    expect(tiers("egress-gb")).toEqual([
      // The offer starts behind the 100 GB a month that are free.
      { from: 0, price: 0 },
      { from: 100, price: 0.114 },
      { from: 10340, price: 0.089 },
    ]);
    expect(tiers("disk-month")?.[0]?.price).toBeCloseTo(0.768, 10);
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
    service.handler = (_request, _body, response) => reply(response, { PriceList: ["{}"] });
    const query = {
      endpoint: service.endpoint,
      region: "us-east-1",
      natSizes: ["t4g.micro"],
    };
    await expect(fetchAwsPrices(query)).rejects.toThrow(/field PriceList: an entry is no product/);
  });
});
