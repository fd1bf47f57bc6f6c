import { describe, expect, it } from "vitest";
import { fetchAwsPrices } from "../../../cli/report/prices/aws.ts";
import { signAws } from "../../../cli/report/prices/aws-signature.ts";
import { priceService, reply } from "../../helpers/price-service.ts";

const service = priceService();

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
      credentials,
      backOffMs: 1,
    });
    const tiers = (meter: string) => prices.find((price) => price.meter === meter)?.tiers;
    expect(tiers("nat-gateway-hour")).toEqual([{ from: 0, usd: 0.062 }]);
    expect(tiers("nat-gateway-gb")).toEqual([{ from: 0, usd: 0.062 }]);
    expect(tiers("vm-hour:t4g.micro")).toEqual([{ from: 0, usd: 0.0108 }]);
    expect(tiers("egress-gb")).toEqual([
      // The offer starts behind the 100 GB a month that are free.
      { from: 0, usd: 0 },
      { from: 100, usd: 0.114 },
      { from: 10340, usd: 0.089 },
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
    service.handler = (_request, _body, response) => reply(response, { PriceList: ["{}"] });
    const query = {
      endpoint: service.endpoint,
      region: "us-east-1",
      natSizes: ["t4g.micro"],
      credentials,
      backOffMs: 1,
    };
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
