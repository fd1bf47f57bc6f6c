import { describe, expect, it } from "vitest";
import { fetchAzurePrices } from "../../../cli/report/prices/azure.ts";
import { azureQuery, type Handler, priceService, reply, row } from "../../helpers/price-service.ts";

const service = priceService();

describe("fetchAzurePrices", () => {
  it("reads all pages, Global meters and tiers, divides by the unit, leaves out Spot, Low Priority and Windows", async () => {
    service.handler = service.azure;
    const { prices, problems } = await fetchAzurePrices(azureQuery(service));
    const tiers = (meter: string) => prices.find((price) => price.meter === meter)?.tiers;
    expect(tiers("nat-gateway-hour")).toEqual([{ from: 0, price: 0.045 }]);
    expect(tiers("nat-gateway-gb")).toEqual([{ from: 0, price: 0.045 }]);
    expect(tiers("vm-hour:Standard_D2ls_v5")).toEqual([{ from: 0, price: 0.085 }]);
    expect(tiers("public-ip-hour")).toEqual([{ from: 0, price: 0.005 }]);
    expect(tiers("egress-gb")).toEqual([
      { from: 0, price: 0 },
      { from: 100, price: 0.087 },
      { from: 10340, price: 0.083 },
    ]);
    expect(prices.find(({ meter }) => meter === "nat-gateway-hour")?.region).toBeNull();
    expect(problems).toContain(
      "Azure Retail Prices API: firewall-hour in eastus: no row; the snapshot's price is used",
    );
  });

  it("distinguishes gateways from their connections and from other sizes", async () => {
    service.handler = service.azure;
    const { prices } = await fetchAzurePrices(azureQuery(service));
    for (const meter of ["vpn-gateway-hour", "expressroute-gateway-hour"]) {
      expect(prices.find((price) => price.meter === meter)?.tiers).toEqual([{ from: 0, price: 0.361 }]);
    }
  });

  it("asks for every size of NAT machine", async () => {
    const asked: string[] = [];
    service.handler = (request, ...rest) => {
      asked.push(decodeURIComponent(request.url ?? ""));
      service.azure(request, ...rest);
    };
    const natSizes = ["Standard_D2ls_v5", "Standard_B2ats_v2"];
    const { prices } = await fetchAzurePrices({ ...azureQuery(service), natSizes });
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
  ])("uses no price from %s", async (_, Items, problem) => {
    service.handler = (_request, _body, response) => reply(response, { Items, NextPageLink: null });
    const { prices, problems } = await fetchAzurePrices(azureQuery(service));
    expect(prices.some(({ meter }) => meter === "nat-gateway-hour")).toBe(false);
    expect(problems.find((text) => text.includes("nat-gateway-hour"))).toContain(problem);
  });

  it("waits until the date that a busy service names", async () => {
    const asked: number[] = [];
    let until = 0;
    service.handler = (request, body, response) => {
      asked.push(Date.now());
      if (until === 0) {
        // HTTP dates have whole seconds.
        until = Math.ceil(Date.now() / 1000) * 1000 + 1000;
        response.setHeader("retry-after", new Date(until).toUTCString());
        reply(response, "slow down", 429);
        return;
      }
      // The other one of the two requests is answered after the pause, so no further request falls within it.
      setTimeout(() => service.azure(request, body, response), until - Date.now());
    };
    await fetchAzurePrices({ ...azureQuery(service), timeoutMs: 10_000 });
    // Timers and the clock may differ slightly.
    expect(asked.slice(2).filter((at) => at < until - 50)).toEqual([]);
    expect(asked.length).toBeGreaterThan(10);
  });

  it("gives up on a service that asks for a pause of more than a minute, and says so", async () => {
    const began = Date.now();
    service.handler = (request, body, response) => {
      if (!decodeURIComponent(request.url ?? "").includes("Firewall")) {
        service.azure(request, body, response);
        return;
      }
      response.setHeader("retry-after", "3600");
      reply(response, "slow down", 429);
    };
    const { prices, problems, whole } = await fetchAzurePrices(azureQuery(service));
    expect(prices.map(({ meter }) => meter)).toContain("nat-gateway-hour");
    expect(problems.join(" ")).toMatch(
      /firewall-hour in eastus: .*429 slow down; the snapshot's price is used/,
    );
    expect(whole).toBe(false);
    expect(Date.now() - began).toBeLessThan(60_000);
  });

  it("asks for compressed answers and reads them", async () => {
    const asked = new Set<string>();
    service.handler = (request, body, response) => {
      asked.add(String(request.headers["accept-encoding"]));
      service.azure(request, body, response);
    };
    const { prices } = await fetchAzurePrices(azureQuery(service));
    expect([...asked].every((one) => /\bgzip\b/.test(one))).toBe(true);
    expect(prices.find(({ meter }) => meter === "egress-gb")?.tiers).toHaveLength(3);
  });

  it("uses no tiers of a partial answer: its second page fails, and the other meters stay", async () => {
    service.handler = (request, body, response) => {
      const url = decodeURIComponent(request.url ?? "");
      const second = url.includes("Bandwidth") && url.includes("skip=2");
      second ? reply(response, "gone", 410) : service.azure(request, body, response);
    };
    const { prices, problems, whole } = await fetchAzurePrices(azureQuery(service));
    expect(prices.map(({ meter }) => meter)).not.toContain("egress-gb");
    expect(problems.join(" ")).toMatch(/egress-gb in eastus: .*410 gone; the snapshot's price is used/);
    expect(prices.map(({ meter }) => meter)).toContain("vm-hour:Standard_D2ls_v5");
    expect(whole).toBe(false);
  });

  it.each<[string, Handler, RegExp]>([
    [
      "an HTTP error",
      (_q, _b, response) => reply(response, "no such filter", 400),
      /expected HTTP 200, got 400 no such filter/,
    ],
    ["a failing service", (_q, _b, response) => reply(response, "", 503), /expected HTTP 200, got 503/],
    ["no JSON", (_q, _b, response) => reply(response, "<html>"), /expected JSON, got "<html>"/],
    [
      "another shape",
      (_q, _b, response) => reply(response, { Items: [{}] }),
      /Items\[0\]\.retailPrice: is missing; expected a number/,
    ],
    ["silence", () => undefined, /no answer within 50 ms/],
    [
      "a page elsewhere",
      (_q, _b, response) => reply(response, { Items: [], NextPageLink: "http://192.0.2.1/" }),
      /on another host, 192\.0\.2\.1/,
    ],
    [
      "pages without end",
      (request, _b, response) =>
        reply(response, { Items: [], NextPageLink: `${service.endpoint}${request.url}` }),
      /more than 50 pages/,
    ],
  ])("reports the answer that came in place of prices: %s", async (what, answer, message) => {
    service.handler = answer;
    await expect(
      fetchAzurePrices({ ...azureQuery(service), timeoutMs: what === "silence" ? 50 : 5000 }),
    ).rejects.toThrow(message);
  });

  it("asks again when the service was busy", async () => {
    const refused = new Set<string>();
    service.handler = (request, body, response) => {
      const first = !refused.has(request.url ?? "");
      refused.add(request.url ?? "");
      first ? reply(response, "slow down", 429) : service.azure(request, body, response);
    };
    expect((await fetchAzurePrices(azureQuery(service))).prices.length).toBeGreaterThan(3);
  });
});
