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

  it("reads products that are JSON in strings, page after page, with signed service.requests", async () => {
    const seen: string[] = [];
    service.handler = (request, body, response) => {
      seen.push(String(request.headers.authorization));
      service.aws(request, body, response);
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
      // The offer starts after the 100 GB per month that are free.
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

  it("names an invalid product", async () => {
    service.handler = (_request, _body, response) => reply(response, { PriceList: ["{}"] });
    const query = {
      endpoint: service.endpoint,
      region: "us-east-1",
      natSizes: ["t4g.micro"],
    };
    await expect(fetchAwsPrices(query)).rejects.toThrow(/PriceList: an entry is not a product/);
  });
});
